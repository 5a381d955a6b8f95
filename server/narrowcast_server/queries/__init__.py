"""Queries: read rows and build the objects of responses and events."""
