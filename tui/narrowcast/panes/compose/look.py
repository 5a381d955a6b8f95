"""The look of compose: its height, and the keys and limits on its frame."""

from __future__ import annotations

from collections.abc import Sequence

from narrowcast.keys.hints import SEPARATOR, KeyHint, ShownHint, keys_of, shown_hints
from narrowcast.panes.compose.session import ComposeContext
from narrowcast.runtime.context import app_of
from narrowcast.text.formats import counted
from narrowcast.widgets.one_line import Piece, hint_pieces

__all__ = ["ComposeLook"]

COUNT_FROM = 0.8
"""Fraction of the length limit from which the remaining characters are shown."""
LOW_BELOW = 30
"""Height of the terminal below which compose takes one row while it is not in use."""
FRAME_ROWS = 2
"""Rows of the frame's edges, above and below the text."""


class ComposeLook:
    """``enter_sends``: what Enter does; the other Enters do the opposite."""

    def __init__(self, pane: ComposeContext, *, enter_sends: bool) -> None:
        self._pane = pane
        self._enter_sends = enter_sends

    def refresh(self, refusal: str) -> None:
        """Adapts to another text, which may have another size."""
        self.show_idle(refusal)
        self.fit()
        self.show_hint(refusal)

    @property
    def is_idle(self) -> bool:
        """Whether compose takes one row, because the terminal is low and compose is empty and without focus."""
        host = self._pane.host
        return (
            host.screen.size.height < LOW_BELOW
            and not host.has_focus_within
            and not self._pane.writing.is_busy
        )

    @property
    def _has_air(self) -> bool:
        """Whether a blank row divides compose from the messages."""
        rows = self._pane.host.screen.size.height
        return rows >= LOW_BELOW and app_of(self._pane.host).config.appearance.has_air(rows)

    def show_idle(self, refusal: str) -> None:
        """Hides all but the upper edge of the frame while compose is idle; shows the focus on the frame."""
        if not self._pane.host.is_attached:
            return  # the screen is being removed
        host = self._pane.host
        now = {"-focused": host.has_focus_within, "-idle": self.is_idle, "-airy": self._has_air}
        if any(host.has_class(name) != wanted for name, wanted in now.items()):
            for name, wanted in now.items():
                host.set_class(wanted, name)
            self.show_hint(refusal)

    def fit(self) -> None:
        """Grows with the text; a resize repaints the whole screen, so only if the number of rows changes."""
        text = self._pane.text
        if not text.size.width:
            return  # not laid out yet: the number of rows is not known
        room = max(1, self._pane.host.screen.size.height // 2 - FRAME_ROWS)
        rows = min(room, text.row_count)
        if text.styles.height is None or text.styles.height.value != rows:
            text.styles.height = rows

    def show_hint(self, refusal: str) -> None:
        """Shows the key that sends, the remaining length, or that nothing can be sent."""
        if not self._pane.host.size.width:
            return  # not laid out yet: a class set now would be reset, and cost two updates of styles
        pieces = self._urgent(refusal) or self._usual()
        target = self._pane.target
        target.hint.show_pieces([], pieces)
        target.edge.show_pieces([], pieces if self.is_idle else [])

    def _urgent(self, refusal: str) -> Sequence[Piece]:
        """A hint that replaces the usual keys. That there is another text is shown beside why nothing can be sent."""
        is_edit, others = self._pane.is_edit, self._about_versions()
        obstacle = self._about_length()
        if obstacle is None and refusal and not (is_edit or self.is_idle):
            obstacle = ("You cannot send this ", "warn")
        if obstacle is not None:
            text, style = obstacle
            return [(SEPARATOR.join([*(hint.words for hint in others), text]), style)]
        if others:
            return hint_pieces(others, "warn")
        if self.is_idle:
            return hint_pieces(self._hints(("write.channel", "channel"), ("write.direct", "direct")))
        if not is_edit:
            return ()
        if self._pane.writing.edits.is_loading:
            return [("", "dim")]  # nothing can be saved yet
        if self._pane.writing.edits.is_too_late:
            return hint_pieces(self._hints(("compose.leave", "leaves")))
        return hint_pieces(self._hints((self._sends, "saves"), ("compose.leave", "cancels")))

    def _about_versions(self) -> Sequence[ShownHint]:
        """The keys for the text that the draft or the edited message was given elsewhere; empty if there is none."""
        writing = self._pane.writing
        if not self._pane.is_edit:
            return self._hints(("write.versions", "two versions")) if writing.draft.is_in_conflict else ()
        if writing.edits.is_loading or writing.edits.theirs is None:
            return ()
        return self._hints(
            ("write.versions", "shows"), (self._sends, "overwrites"), ("compose.leave", "leaves")
        )

    def _about_length(self) -> Piece | None:
        """How near the text is to the limit of the server, if it is."""
        used = len(self._pane.text.text.strip())  # leading and trailing whitespace is not sent
        limit = self._pane.session.state.limits.max_message_length
        if used > limit:
            return f"{used - limit} over the limit ", "bad"
        if used > limit * COUNT_FROM:
            return f"{counted(limit - used, 'character')} left ", "warn"
        return None

    @property
    def _sends(self) -> str:
        """The command whose key sends the text, or saves an edit."""
        return "compose.enter" if self._enter_sends else "compose.other-enter"

    def _usual(self) -> Sequence[Piece]:
        """The key that sends, while one writes: elsewhere it does something else. The status line has the others."""
        if not self._pane.host.has_focus_within:
            return ()
        return hint_pieces(self._hints((self._sends, "sends")))

    def _hints(self, *hints: KeyHint) -> Sequence[ShownHint]:
        return shown_hints(keys_of(self._pane.host), hints)
