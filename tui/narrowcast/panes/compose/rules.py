"""Whether what is written may be sent to where it goes; known, and said, before anybody sends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from narrowcast.commands.hints import keys_of, with_keys
from narrowcast.panes.compose.fields import TargetLine
from narrowcast.panes.compose.writing import Writing
from narrowcast.widgets.editor import Editor
from narrowcast_api import permissions
from narrowcast_api.narrow.destinations import ChannelDestination

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session

__all__ = ["SendRules"]

READ_ONLY = "This window is read-only: the account is open elsewhere, where its files cannot be shared."
"""Words that could not be kept are not taken at all."""


class SendRules:
    """``changed`` is called when there is another reason why nothing can be sent."""

    def __init__(
        self,
        session: Session,
        target: TargetLine,
        text: Editor,
        writing: Writing,
        changed: Callable[[], None],
    ) -> None:
        self._session = session
        self._target = target
        self._text = text
        self._writing = writing
        self._changed = changed
        self.refusal = ""
        """Why nothing can be sent to where the text goes."""

    @property
    def read_only(self) -> str:
        """Why nothing can be written at all; empty where it can."""
        return READ_ONLY if self._session.read_only else ""

    @property
    def _how_to_begin(self) -> str:
        begin = "message.reply" if self._target.is_direct else "write.channel"
        return with_keys(keys_of(self._text), f"Write a message (<{begin}>)")

    def refresh(self) -> None:
        """Look again at what the channel takes, and whether one may write there."""
        state, is_edit = self._session.state, self._writing.edits.message_id is not None
        self._target.show_rules(state)
        where = self._writing.destination()[0] if not is_edit else None
        refusal = "" if where is None else permissions.write_refusal(state, where)
        if not refusal and isinstance(where, ChannelDestination) and self._text.text.strip():
            refusal = permissions.topic_refusal(state, where.channel_id, where.topic)
        if refusal != self.refusal:
            self.refusal = refusal
            self._changed()
        self._text.placeholder = self.read_only or refusal or self._how_to_begin
