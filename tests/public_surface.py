"""What people and programs rely on by name: `python tests/public_surface.py` adds what is new to `public_surface.txt`.

Names of the library and its errors, operations with their parameters, the interface for extensions, ids of commands (in
people's keymaps), entry points, and the fields of JSON output. Nothing may disappear from that list.
"""

from __future__ import annotations

import inspect
import json
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("public_surface.txt")


def surface() -> set[str]:
    """One line for each public name, as the code has it now."""
    return {*_library(), *_operations(), *_extensions(), *_commands(), *_entry_points(), *_json()}


def frozen() -> set[str]:
    """The lines of the list."""
    return set(LIST.read_text(encoding="utf-8").splitlines())


def _library() -> Iterator[str]:
    for module in ("narrowcast_api", "narrowcast_api.errors"):
        loaded = import_module(module)
        for name in loaded.__all__:
            value = getattr(loaded, name)
            bases = ""
            if inspect.isclass(value) and issubclass(value, Exception):
                bases = f"({', '.join(base.__name__ for base in value.__bases__)})"
            yield f"{module}.{name}{bases}"


def _operations() -> Iterator[str]:
    from narrowcast_api.client import Client
    from narrowcast_api.http.operations import Bound

    client = Client.open("https://surface.example")
    for group, value in client.groups().items():
        for name, member in vars(type(value)).items():
            if isinstance(member, Bound):
                parameters = list(inspect.signature(member.function).parameters.values())[1:]
                yield f"client.{group}.{name}({', '.join(map(_parameter, parameters))})"
            elif not name.startswith("_"):
                yield f"client.{group}.{name}"


def _parameter(parameter: inspect.Parameter) -> str:
    """Name, kind, and whether it has a default."""
    kind = parameter.kind
    stars = "*" if kind is parameter.VAR_POSITIONAL else "**" if kind is parameter.VAR_KEYWORD else ""
    keyword = "=" if kind is parameter.KEYWORD_ONLY else ""
    optional = "?" if parameter.default is not inspect.Parameter.empty else ""
    return f"{stars}{parameter.name}{keyword}{optional}"


def _extensions() -> Iterator[str]:
    extend = import_module("narrowcast.extend")
    for name in extend.__all__:
        value = getattr(extend, name)
        yield f"narrowcast.extend.{name}"
        if not getattr(value, "__module__", "").startswith("narrowcast.extend"):
            continue
        for member in (*vars(value), *inspect.get_annotations(value)):
            if not member.startswith("_"):
                yield f"narrowcast.extend.{name}.{member}"


def _commands() -> Iterator[str]:
    from narrowcast.keys.registry import REGISTRY

    return (f"command {command.id}" for command in REGISTRY)


def _entry_points() -> Iterator[str]:
    from narrowcast.extensions.search import GROUP

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    yield f"entry point group {GROUP}"
    for name, target in project["scripts"].items():
        yield f"script {name} = {target}"
    for extra in project["optional-dependencies"]:
        yield f"extra {extra}"


def _json() -> Iterator[str]:
    schema = json.loads((ROOT / "docs" / "json.schema.json").read_text(encoding="utf-8"))
    for definition in schema["$defs"].values():
        fields = definition["properties"]
        kind = fields["kind"]["enum"][0] if "kind" in fields else definition["title"]
        for field, value in fields.items():
            always = "" if field in definition.get("required", ()) else "?"
            yield f"json {kind}.{field}{always}: {_type(value)}"


def _type(value: dict[str, object]) -> str:
    return json.dumps({key: part for key, part in value.items() if key != "description"}, sort_keys=True)


def main() -> int:
    """Adds what is new; returns 1 without writing if something on the list is gone."""
    lines, found = frozen() if LIST.exists() else set(), surface()
    if gone := sorted(lines - found):
        sys.stdout.writelines(f"gone: {line}\n" for line in gone)
        return 1
    LIST.write_text("".join(f"{line}\n" for line in sorted(found)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
