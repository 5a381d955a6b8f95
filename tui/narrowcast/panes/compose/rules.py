"""Whether the text may be sent to its destination; checked and shown before the user sends it."""

from __future__ import annotations

from collections.abc import Callable

from narrowcast.keys.hints import keys_of, with_keys
from narrowcast.panes.compose.banners import Banners
from narrowcast.panes.compose.session import ComposeContext
from narrowcast_api import permissions
from narrowcast_api.narrow.destinations import ChannelDestination

__all__ = ["SendRules"]

READ_ONLY = "This window is read-only: the account is open elsewhere, where its files cannot be shared."
"""Text that could not be saved is not accepted at all."""


class SendRules:
    """``changed`` is called after each check; ``banners`` are checked along."""

    def __init__(self, pane: ComposeContext, changed: Callable[[], None], banners: Banners) -> None:
        self._pane = pane
        self._banners = banners
        self._changed = changed
        self.refusal = ""
        """Why nothing can be sent to the current destination; empty if it can."""

    @property
    def read_only(self) -> str:
        """Why nothing can be written at all; empty if it can."""
        return READ_ONLY if self._pane.session.read_only else ""

    @property
    def _how_to_begin(self) -> str:
        begin = "message.reply" if self._pane.target.is_direct else "write.channel"
        return with_keys(keys_of(self._pane.text), f"Write a message (<{begin}>)")

    def refresh(self) -> None:
        """Checks again whether the channel takes topics, and whether the user may write there."""
        state, is_edit = self._pane.session.state, self._pane.is_edit
        self._pane.target.show_rules(state)
        where = self._pane.writing.destination()[0] if not is_edit else None
        refusal = "" if where is None else permissions.write_refusal(state, where)
        if not refusal and isinstance(where, ChannelDestination) and self._pane.text.text.strip():
            refusal = permissions.topic_refusal(state, where.channel_id, where.topic)
        self.refusal = refusal
        self._changed()
        self._banners.refresh(self.read_only or refusal)
        self._pane.text.placeholder = self.read_only or refusal or self._how_to_begin
