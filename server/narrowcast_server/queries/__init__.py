"""Reads: from rows to the objects of answers and events."""
