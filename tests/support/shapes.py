"""Shapes of JSON values: which types occur at which paths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_BY_ID = {"presences", "user_status", "profile_data", "realm_emoji", "message_details"}
"""Fields whose keys are ids or addresses."""


def paths(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """(path, type) of a JSON value and everything in it; a key that is an id is written `<id>`, list items `[]`."""
    yield path, _type(value)
    if isinstance(value, dict):
        by_id = path.rpartition(".")[2] in _BY_ID or (
            value and all(key.lstrip("-").isdigit() for key in value)
        )
        for key, inner in value.items():
            yield from paths(inner, f"{path}.{'<id>' if by_id else key}")
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, f"{path}[]")


def _type(value: object) -> str:
    return (
        "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__
    )


class Shape:
    """The shape of several values: `types` at each path, and the paths that are `always` present."""

    def __init__(self, values: Sequence[object]) -> None:
        each: list[dict[str, set[str]]] = []
        for value in values:
            types: dict[str, set[str]] = defaultdict(set)
            for path, kind in paths(value):
                types[path].add(kind)
            each.append(types)
        self.types: dict[str, set[str]] = defaultdict(set)
        for types in each:
            for path, kinds in types.items():
                self.types[path] |= kinds
        self.always = {path for path in self.types if all(path in types for types in each)}

    def differences(self, other: Shape) -> Iterator[str]:
        """Lists the differences from another shape: missing keys, additional keys, other types."""
        for path in sorted(self.always - other.always):
            if _parent(path) in other.always and not path.endswith("[]"):
                yield f"{path} is missing"
        for path in sorted(other.types.keys() - self.types.keys()):
            if _parent(path) in self.types and not path.endswith("[]"):
                yield f"{path} is new"
        for path in sorted(self.types.keys() & other.types.keys()):
            for kind in sorted(other.types[path] - self.types[path]):
                yield f"{path} can be {kind}"


def _parent(path: str) -> str:
    return path[: max(path.rfind("."), path.rfind("["))]


def kind_of(event: Mapping[str, Any]) -> str:
    """The kind of an event: its type, operation, and subject."""
    words = [str(event["type"])]
    words += [str(event[key]) for key in ("op", "flag", "property", "message_type") if key in event]
    match event["type"]:
        case "message":
            words.append(event["message"]["type"])
        case "update_message":
            parts = ("rendering_only", "content", "subject", "new_stream_id")
            words += [part for part in parts if event.get(part) not in (None, False)]
        case "realm_user" | "realm_bot" if event["op"] == "update":
            words += sorted(
                event[event["type"].removeprefix("realm_").replace("user", "person")].keys() - {"user_id"}
            )
        case "realm" | "user_group" | "channel_folder" if "data" in event:
            words += sorted(event["data"])
    return "/".join(words)
