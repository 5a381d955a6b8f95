"""Parts of the snapshot: linkifiers, playgrounds, custom emoji, domains."""

from __future__ import annotations

from narrowcast_server.queries.custom_emoji import custom_emoji_table
from narrowcast_server.queries.linkifiers import linkifiers_of
from narrowcast_server.queries.organization import domains_of
from narrowcast_server.queries.playgrounds import playgrounds_of
from narrowcast_server.queries.snapshot.parts import Snapshot, part


@part("realm_linkifiers")
def linkifiers(request: Snapshot) -> dict[str, object]:
    """Linkifiers, in order; only for clients that support URL templates."""
    understands_templates = "linkifier_url_template" in request.options.capabilities
    return {"realm_linkifiers": linkifiers_of(request.core) if understands_templates else []}


@part("realm_playgrounds")
def playgrounds(request: Snapshot) -> dict[str, object]:
    return {"realm_playgrounds": playgrounds_of(request.core)}


@part("realm_emoji")
def emoji(request: Snapshot) -> dict[str, object]:
    """Custom emoji by id, deactivated ones included."""
    return {"realm_emoji": custom_emoji_table(request.core)}


@part("realm_domains")
def domains(request: Snapshot) -> dict[str, object]:
    """Email domains whose addresses may join."""
    return {"realm_domains": domains_of(request.core)}
