"""Every response parses completely: our own samples always, recordings of a real server where available."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from narrowcast_api.wire.model import fields_of
from support.captures import fixture, recorded_responses
from support.responses import model_for, operation, operations_with_responses

_ELSEWHERE = frozenset({"GET events", "POST register"})


def _successes() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    for name, response in fixture("responses.json").items():
        method, path = name.split(" ", 1)
        yield "our own sample", method, path.replace("/N", "/5").replace("FILE", "2/ab/c.txt"), response
    for source, record in recorded_responses():
        if record["status"] == 200:
            yield source, record["request"]["method"], record["request"]["path"], record["response"]


def test_every_response_parses_whole(caplog: pytest.LogCaptureFixture) -> None:
    for source, method, path, response in _successes():
        if operation(method, path) in _ELSEWHERE:
            continue
        model = model_for(method, path)
        assert model is not None, (source, method, path)
        parsed = model.read(response)
        assert caplog.messages == [], source
        for field in fields_of(model):
            if field.name in response:
                assert parsed.was_sent(field.name), (source, field.name)


def test_our_own_samples_cover_every_response() -> None:
    assert set(fixture("responses.json")) == operations_with_responses()
