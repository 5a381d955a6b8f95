"""JSON encoding of responses."""

from __future__ import annotations

import json

import pytest

from narrowcast_api.wire.vocabulary import MessageFlag, Role
from narrowcast_server.organization.json_text import encoded, encoded_text


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, 2.5, None, True, "é\u2028😀"], "b": {}},
        {1: "keys are text", "2": []},
        {"role": Role.OWNER, "flag": MessageFlag.READ},
        (1, 2),
        '\x00\x1f"\\',
        2**70,
        {"text": "\ud800"},
        -(2**63) - 1,
    ],
)
def test_the_json_has_the_same_meaning_as_that_of_the_standard_library(value: object) -> None:
    assert json.loads(encoded(value)) == json.loads(json.dumps(value))
    assert encoded_text(value).encode() == encoded(value)


def test_the_json_has_no_unnecessary_spaces() -> None:
    assert encoded({"a": [1, 2], "b": "é"}) == '{"a":[1,2],"b":"é"}'.encode()
