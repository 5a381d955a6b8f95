"""A note of which drafts are in compose, so that the next start restores them. The texts are in the journal."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from narrowcast_api.regular_files import regular


class ComposeNote(Struct, frozen=True):
    """One small file. It may be lost: the drafts are then still in the list of drafts."""

    path: Path

    def read(self) -> list[str]:
        """The ids of the drafts, at most one per conversation on the screen."""
        try:
            return [draft_id[:100] for draft_id in regular(self.path).read_text(encoding="utf-8").split()[:2]]
        except (OSError, UnicodeDecodeError):
            return []

    def write(self, draft_ids: Sequence[str]) -> None:
        """Stores the ids of the drafts in compose."""
        with contextlib.suppress(OSError):
            self.path.write_text("\n".join(draft_ids), encoding="utf-8")
