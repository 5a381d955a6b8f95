"""Parts of the snapshot: keys of features that this server does not have, with empty values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from narrowcast_server.queries.snapshot.parts import Snapshot, part

_NOTHING: Final[dict[str, Mapping[str, object]]] = {
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


def _declare(event_type: str, keys: Mapping[str, object]) -> None:
    @part(event_type)
    def nothing(request: Snapshot) -> dict[str, object]:
        return dict(keys)


for _type, _keys in _NOTHING.items():
    _declare(_type, _keys)
