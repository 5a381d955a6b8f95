"""What the parts of compose are given: the account, the fields, what is being written, and a way to tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from narrowcast.app.context import app_of
from narrowcast.panes.compose.fields import TargetLine
from narrowcast.panes.compose.writing import Writing
from narrowcast.widgets.editor import Editor

if TYPE_CHECKING:
    from textual.widget import Widget

    from narrowcast_api.sync.session import Session

__all__ = ["ComposeContext"]


class ComposeContext:
    """One for each pane, which is ``host``. ``shown`` is called when another text was put into the editor."""

    def __init__(
        self,
        host: Widget,
        session: Session,
        target: TargetLine,
        text: Editor,
        shown: Callable[[], None],
    ) -> None:
        self.host = host
        self.session = session
        self.target = target
        self.text = text
        self.writing = Writing(session, target, text, tell=self.tell, shown=shown)

    @property
    def is_edit(self) -> bool:
        """Whether another text for a message is being written."""
        return self.writing.edits.message_id is not None

    def tell(self, text: str, *, severity: str = "information") -> None:
        """Say something to the user."""
        app_of(self.host).tell(text, severity=severity)

    def refuse(self, text: str) -> bool:
        """Say why a key could not act, where there is a reason; whether there is one."""
        return app_of(self.host).refuse(text)
