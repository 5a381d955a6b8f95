"""Users: accounts (`accounts.py`), what administrators change (`changes.py`), the operations (`operations.py`)."""
