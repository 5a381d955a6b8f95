"""An OpenAPI description of the service, and where answers differ from it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

Schema = Mapping[str, Any]

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_OWN = ("service_", "event_stream_path")
"""Keys that this server adds on purpose begin with these."""
_DEEPEST = 60


class Description:
    """The operations of a description, with a check of what a server answers."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._operations = [
            (method.upper(), re.compile(re.sub(r"\\\{[^}]*\\\}", "[^/]+", re.escape(path))), operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
            if method in ("get", "post", "put", "patch", "delete")
        ]

    @classmethod
    def read(cls, file: Path) -> Description:
        """Reads a file of JSON, or of YAML if PyYAML is installed."""
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".json":
            return cls(json.loads(text))
        try:
            yaml = import_module("yaml")
        except ImportError:
            raise SystemExit(
                "PyYAML is not installed: pip install pyyaml, or convert the file to JSON"
            ) from None
        return cls(yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))

    def schema_of(self, method: str, path: str, status: int) -> Schema | None:
        """The schema of an answer; `path` is below /api/v1. None if the description has none."""
        found = [
            operation
            for name, shape, operation in self._operations
            if name == method and shape.fullmatch(path)
        ]
        if not found:
            return None
        responses = found[0].get("responses", {})
        response = self._resolved(responses.get(str(status)) or responses.get(f"{status // 100}XX") or {})
        schema = response.get("content", {}).get("application/json", {}).get("schema")
        return schema if isinstance(schema, Mapping) else None

    def faults(self, schema: Schema, value: object, where: str = "", depth: int = 0) -> Iterator[str]:
        """Where a value differs from a schema, one sentence each."""
        schema = self._resolved(schema)
        if depth > _DEEPEST or (value is None and schema.get("nullable")):
            return
        for part in schema.get("allOf", ()):
            yield from self.faults(part, value, where, depth + 1)
        for kind in ("oneOf", "anyOf"):
            if schema.get(kind):
                yield from self._closest(schema[kind], value, where, depth)
        yield from self._own_faults(schema, value, where)
        if isinstance(value, dict):
            yield from self._object_faults(schema, value, where, depth)
        if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
            for item in value:
                yield from self.faults(schema["items"], item, f"{where}[]", depth + 1)

    def _closest(self, choices: list[Schema], value: object, where: str, depth: int) -> list[str]:
        """The faults against the choice that fits best: that of the same `type` and `op` first."""
        found = [list(self.faults(choice, value, where, depth + 1)) for choice in choices]
        return min(found, key=lambda faults: (sum(" is not one of " in one for one in faults), len(faults)))

    def _own_faults(self, schema: Schema, value: object, where: str) -> Iterator[str]:
        kind = schema.get("type")
        if isinstance(kind, str) and kind in _TYPES:
            is_wrong = not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean")
            if is_wrong:
                yield f"{where or 'the answer'} is {type(value).__name__}, not {kind}"
        if "enum" in schema and value not in schema["enum"]:
            yield f"{where} is not one of {schema['enum']}"

    def _object_faults(
        self, schema: Schema, value: Mapping[str, object], where: str, depth: int
    ) -> Iterator[str]:
        properties = schema.get("properties", {})
        for name in schema.get("required", ()):
            if name not in value:
                yield f"{where}.{name} is missing"
        others = schema.get("additionalProperties")
        for name, item in value.items():
            if name in properties:
                yield from self.faults(properties[name], item, f"{where}.{name}", depth + 1)
            elif others is False and not name.startswith(_OWN):
                yield f"{where}.{name} is not described"
            elif isinstance(others, Mapping):
                yield from self.faults(others, item, f"{where}.*", depth + 1)

    def _resolved(self, schema: Schema) -> Schema:
        for _ in range(_DEEPEST):
            reference = schema.get("$ref")
            if not isinstance(reference, str):
                return schema
            found: Any = self._document
            for part in reference.removeprefix("#/").split("/"):
                found = found[part.replace("~1", "/").replace("~0", "~")]
            schema = found
        return schema
