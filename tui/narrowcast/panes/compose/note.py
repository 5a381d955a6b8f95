"""A note of which draft is in compose, so that the next start restores it. The text itself is in the journal."""

from __future__ import annotations

import contextlib
from pathlib import Path

from msgspec import Struct


class ComposeNote(Struct, frozen=True):
    """One small file. It may be lost: the draft is then still in the list of drafts."""

    path: Path

    def read(self) -> str | None:
        """The draft's id; None if there is none."""
        try:
            return self.path.read_text(encoding="utf-8").strip()[:100] or None
        except (OSError, UnicodeDecodeError):
            return None

    def write(self, draft_id: str | None) -> None:
        """Store ``draft_id``, or that compose is empty."""
        with contextlib.suppress(OSError):
            self.path.write_text(draft_id or "", encoding="utf-8")
