"""Generates pages from the code, one module per subject. `docs/write_pages.py` writes them."""
