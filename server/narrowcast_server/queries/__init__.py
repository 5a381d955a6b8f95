"""Queries: read rows and build the objects of answers and events."""
