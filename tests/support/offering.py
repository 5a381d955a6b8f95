"""The embedded server as one that has what it has not: a language model, or a provider of calls.

Only their answers are made up, in the recorded shape; requests, checks and errors go their usual way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pytest

from narrowcast_server.http.routing import Answer, Call
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.routes import unavailable


@dataclass
class Offered:
    """What the server answers next, and what it was asked last."""

    answer: Answer | ServiceError
    asked: dict[str, str] | None = None

    def handle(self, call: Call) -> Answer:
        """The answer, or the refusal."""
        self.asked = dict(call.fields)
        if isinstance(self.answer, ServiceError):
            raise self.answer
        return self.answer


@contextmanager
def offering(path: str, answer: Answer) -> Iterator[Offered]:
    """Servers that begin within the block answer requests for this path."""
    offered = Offered(answer)
    endpoints = [
        replace(endpoint, handler=offered.handle) if endpoint.path == path else endpoint
        for endpoint in unavailable.routes.endpoints
    ]
    assert endpoints != unavailable.routes.endpoints
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(unavailable.routes, "endpoints", endpoints)
        yield offered
