"""Why there is no archive, or none that can be taken in."""

from __future__ import annotations


class ArchiveError(Exception):
    """In words for the operator."""
