"""The pages that are made from the code, by subject. `docs/write_pages.py` writes them."""
