"""How compose looks: how many rows it takes, and the hint at the end of the address."""

from __future__ import annotations

from narrowcast.commands.hints import KeyHint, hint_words, keys_of
from narrowcast.panes.compose.context import ComposeContext
from narrowcast.text.formats import counted
from narrowcast.widgets.one_line import Piece

__all__ = ["ComposeLook"]

ROOMY = 110
"""From this width on there is room for every hint beside a whole topic."""
COUNT_FROM = 0.8
"""Share of the length limit from which the count is shown."""
LOW_BELOW = 30
"""Rows of the terminal below which compose takes one row while nobody writes."""
LEAST_ROWS, MOST_ROWS = 3, 12
"""Rows of the text; the most on a high terminal."""


class ComposeLook:
    """``enter_sends``: what Enter does; the other Enters do the opposite."""

    def __init__(self, pane: ComposeContext, *, enter_sends: bool) -> None:
        self._pane = pane
        self._enter_sends = enter_sends

    def refresh(self, refusal: str) -> None:
        """Another text stands there, which may have another size."""
        self.show_idle(refusal)
        self.fit()
        self.show_hint(refusal)

    @property
    def is_idle(self) -> bool:
        """Whether nothing stands here and nobody writes: one row is enough on a low terminal."""
        host = self._pane.host
        return (
            host.screen.size.height < LOW_BELOW
            and not host.has_focus_within
            and not self._pane.writing.is_busy
        )

    def show_idle(self, refusal: str) -> None:
        """Hide the text where nobody writes and there is little room."""
        if not self._pane.host.is_attached:
            return  # its screen is going away
        idle = self.is_idle
        if self._pane.text.display == idle:
            self._pane.text.display = not idle
            self.show_hint(refusal)

    def fit(self) -> None:
        """Grow with the text; a taller pane costs a whole repaint, so only where rows are missing."""
        text = self._pane.text
        if not text.size.width:
            return  # not laid out yet: nobody knows how many rows the text takes
        room = max(LEAST_ROWS, min(MOST_ROWS, self._pane.host.screen.size.height // 3))
        rows = min(room, max(LEAST_ROWS, text.row_count))
        if text.styles.height is None or text.styles.height.value != rows:
            text.styles.height = rows

    def show_hint(self, refusal: str) -> None:
        """Say what the keys do, how much room is left, or that nothing can be sent."""
        width = self._pane.host.size.width
        if not width:
            return  # nothing is laid out yet: a class set now is taken back, and costs two rounds of styles
        self._pane.target.set_class(width < ROOMY, "-narrow")
        piece = self._urgent(refusal) or (self._usual(roomy=width >= ROOMY), "dim")
        self._pane.target.hint.show_pieces([], [piece])

    def _urgent(self, refusal: str) -> Piece | None:
        """What is said in place of the usual keys."""
        used = len(self._pane.text.text.strip())  # blanks at the ends are not sent
        limit = self._pane.session.state.limits.max_message_length
        is_edit = self._pane.is_edit
        if used > limit:
            return f"{used - limit} over the limit ", "bad"
        if used > limit * COUNT_FROM:
            return f"{counted(limit - used, 'character')} left ", "warn"
        if not self._pane.text.display:
            return self._hints(("write.channel", "channel"), ("write.direct", "direct")), "dim"
        if refusal and not is_edit:
            return "You cannot send this ", "warn"
        if not is_edit:
            return None
        save = "compose.enter" if self._enter_sends else "compose.other-enter"
        return self._hints((save, "saves"), ("compose.leave", "cancels")), "dim"

    def _usual(self, *, roomy: bool) -> str:
        enter, other = ("sends", "new line") if self._enter_sends else ("new line", "sends")
        hints = (("compose.enter", enter), ("compose.other-enter", other), ("compose.leave", "leaves"))
        return self._hints(*(hints if roomy else hints[:1]))

    def _hints(self, *hints: KeyHint) -> str:
        return " · ".join(hint_words(keys_of(self._pane.host), hints)) + " "
