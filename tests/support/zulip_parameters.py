"""What a Zulip server of level 442 takes: the parameters of each operation, and how each travels.

`tests/api/fixtures/zulip_parameters.csv` has a row a parameter, of the operations that there are here too:
`travels` is `json` or `text` (as it is, without quotes); `is` names the JSON types that are taken, or the words that a
text must be one of; `required` says whether a request without it is refused. Facts of the public documentation
(https://zulip.com/api/) and of what such a server refuses.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from narrowcast_api.wire.parameters import Operation
from support.captures import FIXTURES

ALIASES: Mapping[str, str] = {"subject": "topic"}
"""Older names that such a server takes too."""
OWN: Mapping[Operation, frozenset[str]] = {
    ("POST", "/fetch_api_key"): frozenset({"second_factor"}),
    ("POST", "/invites/multiuse"): frozenset({"max_uses"}),
}
"""What servers of this project alone take."""


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
        """Whether a JSON value is of a type that is taken."""
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
