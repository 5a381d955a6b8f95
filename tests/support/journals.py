"""What happens to journals in tests."""

from __future__ import annotations

from narrowcast_api.storage.journal import Journal


def killed(journal: Journal) -> None:
    """Ends a journal as the death of its process does: what it had not written is gone."""
    journal._file.connection.close()
