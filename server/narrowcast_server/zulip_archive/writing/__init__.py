"""Exports a data folder, which may be in use, to an archive."""
