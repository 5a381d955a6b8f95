"""The error of reading and writing archives."""

from __future__ import annotations


class ArchiveError(Exception):
    """Why an archive could not be written or read; shown to the operator."""
