"""Narrows and destinations: which messages a view shows, and where a message is sent."""
