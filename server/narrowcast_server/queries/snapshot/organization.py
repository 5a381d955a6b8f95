"""Parts of the snapshot: linkifiers, playgrounds, custom emoji, domains."""

from __future__ import annotations

from narrowcast_server.queries.organization import domains_of
from narrowcast_server.queries.snapshot.parts import Snapshot, part


@part("realm_domains")
def domains(request: Snapshot) -> dict[str, object]:
    """Email domains whose addresses may join."""
    return {"realm_domains": domains_of(request.core)}
