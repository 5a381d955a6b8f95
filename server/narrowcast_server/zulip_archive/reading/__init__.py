"""Imports an archive into a new data folder, completely or not at all."""
