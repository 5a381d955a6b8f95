"""Registers functions as handlers of kinds of events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from narrowcast_api.resources.collection import EventHandlers
from narrowcast_api.state.changes import Change
from narrowcast_api.state.state import State
from narrowcast_api.wire.events import Event

Part = TypeVar("Part")
Kind = TypeVar("Kind", bound=Event)
Handler = Callable[[State, Any], tuple[Change, ...]]


class Handlers:
    """The handlers of one module, by class of event."""

    def __init__(self) -> None:
        self.table: dict[type[Event], Handler] = {}

    def of(
        self, kind: type[Kind]
    ) -> Callable[[Callable[[State, Kind], tuple[Change, ...]]], Callable[[State, Kind], tuple[Change, ...]]]:
        """Registers the decorated function for events of class `kind`."""

        def register(
            handler: Callable[[State, Kind], tuple[Change, ...]],
        ) -> Callable[[State, Kind], tuple[Change, ...]]:
            self.table[kind] = handler
            return handler

        return register

    def include(
        self,
        resource: EventHandlers[Part],
        part: Callable[[State], Part],
        *changes: Change | Callable[[Any], Change],
    ) -> None:
        """Registers the handlers of a resource, which change this part of the state; `changes` reports it, those
        that depend on the event as a function of it.
        """

        def handler(handle: Callable[[Part, Any], None]) -> Handler:
            def apply(state: State, event: Event) -> tuple[Change, ...]:
                handle(part(state), event)
                return tuple(change(event) if callable(change) else change for change in changes)

            return apply

        self.table.update((kind, handler(handle)) for kind, handle in resource.table.items())
