"""What the parts of compose share: the account, the fields, the current text, and notices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from narrowcast.panes.compose.fields import TargetLine
from narrowcast.panes.compose.writing import Writing
from narrowcast.runtime.context import app_of
from narrowcast.widgets.editor import Editor

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel
    from textual.widget import Widget

    from narrowcast_api.sync.session import Session

__all__ = ["ComposeContext"]


class ComposeContext:
    """One per pane, which is ``host``. ``shown`` is called after another text was put into the editor; ``claim``
    before a draft is shown in it.
    """

    def __init__(
        self,
        host: Widget,
        session: Session,
        target: TargetLine,
        text: Editor,
        shown: Callable[[], None],
        claim: Callable[[str], bool],
    ) -> None:
        self.host = host
        self.session = session
        self.target = target
        self.text = text
        self.writing = Writing(session, target, text, tell=self.tell, shown=shown, claim=claim)

    @property
    def is_edit(self) -> bool:
        """Whether a message is being edited."""
        return self.writing.edits.message_id is not None

    def tell(self, text: str, *, severity: SeverityLevel = "information") -> None:
        app_of(self.host).tell(text, severity=severity)

    def refuse(self, text: str) -> bool:
        """Shows why a key had no effect, unless ``text`` is empty; returns whether there was a text."""
        return app_of(self.host).refuse(text)
