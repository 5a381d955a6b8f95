"""The output of ``--json``: as a page, and as JSON Schema."""

from __future__ import annotations

import inspect

import msgspec

from generate.markdown import table
from narrowcast.cli import records


def schema() -> str:
    """Returns the JSON Schema of the output of ``--json``."""
    (schema,), components = msgspec.json.schema_components([records.Record], ref_template="#/$defs/{name}")
    for component in components.values():
        component["description"] = " ".join(
            component["description"].split()
        )  # Python 3.13 indents it differently
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "$defs": components}
    return msgspec.json.format(msgspec.json.encode(whole, order="sorted"), indent=2).decode() + "\n"


def page() -> str:
    """Returns the page of the output of ``--json``."""
    parts = [
        "# JSON",
        inspect.cleandoc(records.__doc__ or "").replace("``", "`"),
        "[JSON Schema](json.schema.json) of the output.",
    ]
    kinds = [
        one for one in vars(records).values() if isinstance(one, type) and issubclass(one, msgspec.Struct)
    ]
    for one in kinds:
        if one is msgspec.Struct:
            continue
        tag = msgspec.inspect.type_info(one)
        assert isinstance(tag, msgspec.inspect.StructType)
        heading = f"`{tag.tag}`" if tag.tag else one.__name__
        rows = [("`kind`", "string", "always")] if tag.tag else []
        rows += [
            (
                f"`{field.encode_name}`",
                _json_type(field.type),
                "always" if field.required else "if applicable",
            )
            for field in tag.fields
        ]
        parts += [
            f"## {heading}",
            " ".join(inspect.cleandoc(one.__doc__ or "").split()),
            table(("Field", "Type", "Present"), rows),
        ]
    return "\n\n".join(parts)


def _json_type(kind: msgspec.inspect.Type) -> str:
    match kind:
        case msgspec.inspect.IntType():
            return "integer"
        case msgspec.inspect.FloatType():
            return "number"
        case msgspec.inspect.StrType():
            return "string"
        case msgspec.inspect.BoolType():
            return "boolean"
        case msgspec.inspect.NoneType():
            return "null"
        case msgspec.inspect.ListType():
            return f"list of {_json_type(kind.item_type)}"
        case msgspec.inspect.StructType():
            return kind.cls.__name__
        case msgspec.inspect.UnionType():
            return " or ".join(_json_type(one) for one in kind.types)
    return type(kind).__name__
