"""The check of answers against an OpenAPI description."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conform.description import Description
from conform.plugin import Watcher
from support.server import WATCHERS, TestServer

_SNIPPET = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id", "title"],
    "properties": {
        "id": {"type": "integer"},
        "title": {"type": "string"},
        "note": {"type": "string", "nullable": True},
    },
}
_EVENT = {
    "oneOf": [
        {"properties": {"type": {"enum": ["a"]}, "value": {"type": "integer"}}, "required": ["value"]},
        {"properties": {"type": {"enum": ["b"]}, "name": {"type": "string"}}, "required": ["name"]},
    ]
}


def described(schema: object) -> Description:
    answer = {"content": {"application/json": {"schema": schema}}}
    paths = {
        "/things/{thing_id}": {
            "get": {"responses": {"200": answer, "400": {"$ref": "#/components/responses/bad"}}}
        }
    }
    bad = {"content": {"application/json": {"schema": {"required": ["code"]}}}}
    return Description(
        {"paths": paths, "components": {"schemas": {"Snippet": _SNIPPET}, "responses": {"bad": bad}}}
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"id": 1, "title": "x", "note": None}, []),
        ({"id": 1}, [".title is missing"]),
        ({"id": True, "title": "x"}, [".id is bool, not integer"]),
        ({"id": 1, "title": None}, [".title is NoneType, not string"]),
        ({"id": 1, "title": "x", "more": 1}, [".more is not described"]),
        ({"id": 1, "title": "x", "service_level": 1}, []),
        ([], ["the answer is list, not object"]),
    ],
)
def test_a_difference_from_a_schema_is_told(value: object, said: list[str]) -> None:
    description = described({"allOf": [{"$ref": "#/components/schemas/Snippet"}]})
    schema = description.schema_of("GET", "/things/7", 200)
    assert schema is not None
    assert list(description.faults(schema, value)) == said


def test_the_differences_of_an_event_are_those_from_its_own_kind() -> None:
    description = described({"type": "array", "items": _EVENT})
    schema = description.schema_of("GET", "/things/7", 200)
    assert schema is not None
    events = [{"type": "a", "value": 1}, {"type": "b"}, {"type": "a", "value": "x"}]
    assert list(description.faults(schema, events)) == ["[].name is missing", "[].value is str, not integer"]


def test_an_answer_is_found_by_its_path_and_status(tmp_path: Path) -> None:
    file = tmp_path / "description.json"
    file.write_text(json.dumps({"paths": {"/a/{x}/b": {"post": {"responses": {"200": {}}}}}}))
    assert Description.read(file).schema_of("POST", "/a/1/b", 200) is None
    description = described({})
    assert description.schema_of("POST", "/things/7", 200) is None
    assert description.schema_of("GET", "/things/7/8", 200) is None
    assert description.schema_of("GET", "/things/7", 400) == {"required": ["code"]}


async def test_the_answers_of_a_server_are_watched(server: TestServer) -> None:
    snippets = {"type": "object", "properties": {"saved_snippets": {"type": "string"}}}
    answer = {"content": {"application/json": {"schema": snippets}}}
    watcher = Watcher(Description({"paths": {"/saved_snippets": {"get": {"responses": {"200": answer}}}}}))
    WATCHERS.append(watcher)
    try:
        await server.call("ada", "GET", "/saved_snippets")
        await server.call("ada", "GET", "/users/me")
    finally:
        WATCHERS.remove(watcher)
    assert dict(watcher.faults) == {"GET /saved_snippets 200: .saved_snippets is list, not string": 1}
    assert watcher.unknown == {("GET", "/users/me")}
