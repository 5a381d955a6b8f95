"""Lists whose order can be changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from typing import Any

from narrowcast.keys.hints import KeyHint
from narrowcast.screens.dialogs.manage import ManageScreen

__all__ = ["ORDERED_KEYS", "moved", "shift"]

ORDERED_KEYS: tuple[KeyHint, ...] = (
    ("list.select", "edits"),
    ("manage.new", "adds"),
    ("manage.delete", "deletes"),
    ("ordered.up", "moves up"),
    ("ordered.down", "moves down"),
)
"""The keys of a list whose things can be edited and reordered."""


def shift(screen: ManageScreen[Any], by: int, save: Callable[[list[Hashable]], Awaitable[object]]) -> None:
    """Moves the selected thing by ``by`` places; ``save`` sends the keys of all rows in their new order to
    the server.
    """
    row = screen.list.selected_item
    if row is None or screen.refused():
        return
    order = moved([item.key for item in screen.list.items], row.key, by)
    if order is not None:
        screen.work(save(order))


def moved(order: list[Hashable], key: Hashable, by: int) -> list[Hashable] | None:
    """The order with one thing moved; None if it cannot be moved further."""
    place = order.index(key)
    target = place + by
    if not 0 <= target < len(order):
        return None
    order = list(order)
    order.insert(target, order.pop(place))
    return order
