"""The look of compose: its height, and the keys and limits on its frame."""

from __future__ import annotations

from narrowcast.keys.hints import KeyHint, hint_words, keys_of
from narrowcast.panes.compose.session import ComposeContext
from narrowcast.text.formats import counted
from narrowcast.widgets.one_line import Piece

__all__ = ["ComposeLook"]

ROOMY = 64
"""Minimum width that has room for all hints."""
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

    def show_idle(self, refusal: str) -> None:
        """Hides all but the upper edge of the frame while compose is idle; shows the focus on the frame."""
        if not self._pane.host.is_attached:
            return  # the screen is being removed
        idle = self.is_idle
        self._pane.host.set_class(self._pane.host.has_focus_within, "-focused")
        if self._pane.host.has_class("-idle") != idle:
            self._pane.host.set_class(idle, "-idle")
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
        """Shows the keys, the remaining length, or that nothing can be sent."""
        width = self._pane.host.size.width
        if not width:
            return  # not laid out yet: a class set now would be reset, and cost two updates of styles
        piece = self._urgent(refusal) or (self._usual(roomy=width >= ROOMY), "dim")
        target = self._pane.target
        target.hint.show_pieces([], [piece])
        target.edge.show_pieces([], [piece] if self.is_idle else [])

    def _urgent(self, refusal: str) -> Piece | None:
        """A hint that replaces the usual keys. That there is another text is shown beside why nothing can be sent."""
        is_edit, others = self._pane.is_edit, self._about_versions()
        obstacle = self._about_length()
        if obstacle is None and refusal and not (is_edit or self.is_idle):
            obstacle = ("You cannot send this ", "warn")
        if obstacle is not None:
            text, style = obstacle
            return (f"{others.strip()} · {text}" if others else text), style
        if others:
            return others, "warn"
        if self.is_idle:
            return self._hints(("write.channel", "channel"), ("write.direct", "direct")), "dim"
        if not is_edit:
            return None
        if self._pane.writing.edits.is_loading:
            return "", "dim"  # nothing can be saved yet
        if self._pane.writing.edits.is_too_late:
            return self._hints(("compose.leave", "leaves")), "dim"
        return self._hints((self._save, "saves"), ("compose.leave", "cancels")), "dim"

    def _about_versions(self) -> str:
        """The keys for the text that the draft or the edited message was given elsewhere; empty if there is none."""
        writing = self._pane.writing
        if not self._pane.is_edit:
            return self._hints(("write.versions", "two versions")) if writing.draft.is_in_conflict else ""
        if writing.edits.is_loading or writing.edits.theirs is None:
            return ""
        return self._hints(
            ("write.versions", "shows"), (self._save, "overwrites"), ("compose.leave", "leaves")
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
    def _save(self) -> str:
        """The command whose key saves an edit."""
        return "compose.enter" if self._enter_sends else "compose.other-enter"

    def _usual(self, *, roomy: bool) -> str:
        enter, other = ("sends", "new line") if self._enter_sends else ("new line", "sends")
        hints = (("compose.enter", enter), ("compose.other-enter", other), ("compose.leave", "leaves"))
        return self._hints(*(hints if roomy else hints[:1]))

    def _hints(self, *hints: KeyHint) -> str:
        return " · ".join(hint_words(keys_of(self._pane.host), hints)) + " "
