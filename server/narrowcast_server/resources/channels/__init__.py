"""Channels: what creates and changes them (`creation.py`, `changes.py`, `notices.py`), and the operations that read
(`operations.py`) and change them (`administration.py`)."""
