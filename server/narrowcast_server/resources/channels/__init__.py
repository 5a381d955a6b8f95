"""Channels: what creates and changes them (`creation.py`, `changes.py`, `notices.py`), and the operations
(`operations.py`)."""
