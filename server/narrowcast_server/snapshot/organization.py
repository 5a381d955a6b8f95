"""Registration: linkifiers, playgrounds, custom emoji."""

from __future__ import annotations

from narrowcast_server.queries import organization
from narrowcast_server.snapshot.parts import Snapshot, part


@part("realm_linkifiers")
def linkifiers(request: Snapshot) -> dict[str, object]:
    """Linkifiers, in order; only for clients that know URL templates."""
    known = "linkifier_url_template" in request.options.capabilities
    return {"realm_linkifiers": organization.linkifiers(request.core) if known else []}


@part("realm_playgrounds")
def playgrounds(request: Snapshot) -> dict[str, object]:
    """Code playgrounds."""
    return {"realm_playgrounds": organization.playgrounds(request.core)}


@part("realm_emoji")
def emoji(request: Snapshot) -> dict[str, object]:
    """Custom emoji by id."""
    return {"realm_emoji": organization.custom_emoji(request.core)}
