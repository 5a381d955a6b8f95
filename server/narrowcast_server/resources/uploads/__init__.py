"""Uploads: their operations (`operations.py`), and those that can be resumed (`tus.py`)."""
