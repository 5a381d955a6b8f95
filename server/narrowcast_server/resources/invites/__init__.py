"""Invitations: what changes them (`changes.py`), and their operations (`operations.py`)."""
