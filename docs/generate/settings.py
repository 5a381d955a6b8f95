"""Generates the page of all settings."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from types import ModuleType

from generate.markdown import cell, table
from narrowcast.config import config
from narrowcast.config.config_file import CONFIG_KEYS, ConfigKey, value_of


def page() -> str:
    """Returns the page of every key of config.toml."""
    described = dict(_attribute_docs(config))
    parts = [
        "# All settings",
        "Every key of [config.toml](configuration.md). *App settings* in the palette (`Ctrl-p`) shows and changes all "
        "of them; errors in the file are reported with line and key.",
    ]
    for heading, listed in CONFIG_KEYS.items():
        rows = [_setting(one, described) for one in listed]
        parts += [f"## {heading}", table(("Key", "Default", "Description"), rows)]
    parts += [
        "## Tables",
        table(
            ("Table", "Contents"),
            [
                ("`[keys]`", cell(described["keys"]) + " [All keys](keys.md)"),
                ("`[themes.NAME]`", cell(described["themes"]) + " [Colors](configuration.md#colors)"),
                ("`[extensions.NAME]`", cell(described["extensions"]) + " [Extensions](extensions.md)"),
            ],
        ),
    ]
    return "\n\n".join(parts)


def _setting(one: ConfigKey, described: dict[str, str]) -> tuple[str, str, str]:
    value = value_of(config.Config(), one.key)
    default = {True: "true", False: "false"}.get(value) if isinstance(value, bool) else None
    if default is None:
        default = f'"{value}"' if isinstance(value, str) else "[]"
    text = described[one.key].replace("``", "`")
    choices = f" One of {', '.join(f'`{choice}`' for choice in one.choices)}." if one.choices else ""
    return f"`{one.key}`", f"`{default}`", cell(text + choices)


def _attribute_docs(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Yields the docstring below each field of the configuration's classes, by its key in the file."""
    tables = {
        "Accounts": "accounts.",
        "Appearance": "appearance.",
        "Writing": "compose.",
        "Notifications": "notifications.",
        "Config": "",
    }
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ClassDef) and node.name in tables:
            for field, below in zip(node.body, node.body[1:], strict=False):
                if (
                    isinstance(field, ast.AnnAssign)
                    and isinstance(field.target, ast.Name)
                    and _is_text(below)
                ):
                    text = inspect.cleandoc(ast.literal_eval(below.value))  # type: ignore[attr-defined]
                    yield tables[node.name] + field.target.id, text.replace("``", "`")


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
