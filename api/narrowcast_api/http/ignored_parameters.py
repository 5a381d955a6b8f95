"""Parameters that servers ignored: `ignored_parameters_unsupported` (CONV-09, CONV-20), for any call.

    with ignored_parameters() as ignored:
        draft_ids = await client.drafts.create(drafts=[draft])
    for one in ignored:
        print(one.path, one.names)

Responses that are models contain the names themselves; this is for responses that are a number, a list or a
mapping, and for calls that send several requests. Quick to import.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from msgspec import Struct


class Ignored(Struct, frozen=True):
    """Parameters that the server reported as unknown and ignored. `path` is below /api/v1."""

    method: str
    path: str
    names: tuple[str, ...]


_watching: ContextVar[tuple[list[Ignored], ...]] = ContextVar("watching", default=())


@contextmanager
def ignored_parameters() -> Iterator[Sequence[Ignored]]:
    """Collects the ignored parameters of requests made in this context, including tasks started in it. May be
    nested.
    """
    collected: list[Ignored] = []
    token = _watching.set((*_watching.get(), collected))
    try:
        yield collected
    finally:
        _watching.reset(token)


def report(ignored: Ignored) -> None:
    """Adds to every collection that is active in this context."""
    for collected in _watching.get():
        collected.append(ignored)
