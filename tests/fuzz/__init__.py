"""Random requests to every operation of a running server."""
