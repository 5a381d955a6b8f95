"""The embedded server."""
