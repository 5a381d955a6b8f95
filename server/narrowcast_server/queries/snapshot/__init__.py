"""The response of POST /register: the whole state of the organization as one user may see it.

Each part belongs to an event type; a client that fetches some event types gets their parts. Modules of this
package and `resources/` add parts with `@part("type")`.
"""

from __future__ import annotations

# Imported for the parts that they declare.
from narrowcast_server.queries.snapshot import channels, messages, people, realm  # noqa: F401
from narrowcast_server.queries.snapshot.parts import Snapshot, part, snapshot

__all__ = ["Snapshot", "part", "snapshot"]
