"""Uploaded files: stored in the data folder, visible to those who can see a message that links to them."""
