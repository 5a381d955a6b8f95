"""Users: their accounts (`accounts.py`), what administrators change (`changes.py`), and the operations of all users
(`operations.py`) and of administrators (`administration.py`)."""
