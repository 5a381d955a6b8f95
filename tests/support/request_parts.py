"""Parts of requests that no client builds: Zulip's parameters, placeholders of paths, the Authorization header."""

from __future__ import annotations

import base64
import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from narrowcast_api.wire.parameters import Operation
from support.captures import FIXTURES

DESCRIBED_LEVEL = 442
"""The level of the description that the list of parameters is from."""
ALIASES: Mapping[str, str] = {"subject": "topic"}
"""Older names that such a server also accepts."""
OWN: Mapping[Operation, frozenset[str]] = {
    ("POST", "/fetch_api_key"): frozenset({"second_factor"}),
    ("POST", "/invites/multiuse"): frozenset({"max_uses"}),
}
"""Parameters that only servers of this project accept."""


@dataclass(frozen=True, slots=True)
class ZulipParameter:
    """One parameter, as the module says."""

    travels: str
    kinds: frozenset[str]
    words: frozenset[str]
    required: bool

    @property
    def is_json(self) -> bool:
        return self.travels == "json"

    def takes(self, value: object) -> bool:
        """Whether a JSON value has an accepted type."""
        return kind_of(value) in self.kinds or ("number" in self.kinds and isinstance(value, int))


def kind_of(value: object) -> str:
    """The name of a JSON value's type."""
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "list"
        case dict():
            return "object"
    return "null"


@cache
def zulip_parameters() -> Mapping[Operation, Mapping[str, ZulipParameter]]:
    """The parameters of each operation, by name."""
    found: dict[Operation, dict[str, ZulipParameter]] = {}
    with (FIXTURES / "zulip_parameters.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            text = row["travels"] == "text"
            words = row["is"].split("|") if text and row["is"] != "text" else []
            found.setdefault((row["method"], row["path"]), {})[row["parameter"]] = ZulipParameter(
                row["travels"],
                frozenset([] if text else row["is"].split()),
                frozenset(words),
                row["required"] == "yes",
            )
    return found


def fill(value: Any, known: Mapping[str, object]) -> Any:
    """Returns the value with the placeholders of `known` replaced, also in lists and objects.

    A string that is only a placeholder becomes the known value itself, within longer strings it becomes text.
    """
    if isinstance(value, Mapping):
        return {name: fill(inner, known) for name, inner in value.items()}
    if isinstance(value, list):
        return [fill(inner, known) for inner in value]
    if not isinstance(value, str):
        return value
    for name, one in known.items():
        placeholder = f"{{{name}}}"
        if value == placeholder:
            return one
        if placeholder in value:
            value = value.replace(placeholder, str(one))
    return value


def basic(email: str, key: str) -> str:
    """Returns the value of the Authorization header."""
    return f"Basic {base64.b64encode(f'{email}:{key}'.encode()).decode()}"
