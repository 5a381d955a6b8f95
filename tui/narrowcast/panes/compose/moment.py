"""What the user is writing and where the keys go, to find out whether it changed before a response arrived."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from textual.widget import Widget

    from narrowcast_api.narrow.destinations import Destination

__all__ = ["Moment"]


class Moment(NamedTuple):
    """The address and text in compose, the message that is being edited, and the widget with the focus."""

    address: tuple[Destination | None, str]
    text: str
    editing: int | None
    focused: Widget | None
