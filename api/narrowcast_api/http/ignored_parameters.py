"""What servers ignored of a request: `ignored_parameters_unsupported` (CONV-09, CONV-20), for any call.

    with ignored_parameters() as ignored:
        draft_ids = await client.drafts.create(drafts=[draft])
    for one in ignored:
        print(one.path, one.names)

Answers that are models carry the names themselves; this is for those that are a number, a list or a mapping, and
for calls that make several requests. Cheap to import.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from msgspec import Struct


class Ignored(Struct, frozen=True):
    """Parameters that the server said it did not understand and left out. `path` begins after /api/v1."""

    method: str
    path: str
    names: tuple[str, ...]


_watching: ContextVar[tuple[list[Ignored], ...]] = ContextVar("watching", default=())


@contextmanager
def ignored_parameters() -> Iterator[Sequence[Ignored]]:
    """Collects what is ignored of requests made within, also by tasks that are started within. Nests."""
    collected: list[Ignored] = []
    token = _watching.set((*_watching.get(), collected))
    try:
        yield collected
    finally:
        _watching.reset(token)


def report(ignored: Ignored) -> None:
    """Tell everybody who watches in this context."""
    for collected in _watching.get():
        collected.append(ignored)
