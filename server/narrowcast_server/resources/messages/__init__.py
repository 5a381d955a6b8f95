"""Messages: what sends, edits, moves and deletes them (`sending.py`, `edits.py`, `moves.py`, `changes.py`,
`retention.py`), and the operations that send and read (`operations.py`) and change them (`change_operations.py`).
"""
