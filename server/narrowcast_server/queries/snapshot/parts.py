"""The registry of the parts of a snapshot, and those of features that this server does not have."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from narrowcast_server.organization.event_variants import QueueOptions
from narrowcast_server.organization.models import User

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The user of a snapshot, and what the client asked for."""

    organization: Organization
    user: User
    options: QueueOptions
    fetched: frozenset[str] | None
    """Event types to fetch; None means all."""
    include_subscribers: bool | str = True

    def fetches(self, *event_types: str) -> bool:
        """Whether all of these types are fetched."""
        return self.fetched is None or set(event_types) <= self.fetched


Part = Callable[[Snapshot], dict[str, object]]
_parts: dict[str, list[Part]] = {}


def part(event_type: str) -> Callable[[Part], Part]:
    """Registers the decorated function as one that returns keys for an event type."""

    def declare(maker: Part) -> Part:
        _parts.setdefault(event_type, []).append(maker)
        return maker

    return declare


def snapshot(request: Snapshot) -> dict[str, object]:
    """All keys of the event types that the client fetches."""
    result: dict[str, object] = {}
    with _no_collection():
        for event_type, makers in _parts.items():
            if request.fetches(event_type):
                for maker in makers:
                    result.update(maker(request))
    return result


@contextmanager
def _no_collection() -> Iterator[None]:
    """Pauses garbage collection: a snapshot has no garbage, but collection would take a third of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


_UNUSED: Final[Mapping[str, Mapping[str, object]]] = {
    "giphy": {"giphy_api_key": ""},
    "push_device": {"push_devices": {}},
    "realm_billing": {"realm_billing": {"has_pending_sponsorship_request": False}},
    "realm_embedded_bots": {"realm_embedded_bots": []},
    "realm_filters": {"realm_filters": []},
    "realm_incoming_webhook_bots": {"realm_incoming_webhook_bots": []},
    "stop_words": {"stop_words": []},
    "tenor": {"tenor_api_key": ""},
    "video_calls": {"has_zoom_token": False},
}
"""Empty values of the keys that clients expect."""


def _declare(event_type: str, keys: Mapping[str, object]) -> None:
    @part(event_type)
    def nothing(request: Snapshot) -> dict[str, object]:
        return dict(keys)


for _type, _keys in _UNUSED.items():
    _declare(_type, _keys)
