"""Generates the page of all settings."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator
from types import ModuleType

from generate.markdown import cell, table
from narrowcast.config import config
from narrowcast.config.config_file import CONFIG_KEYS, ConfigKey, value_of
from narrowcast.screens.settings.catalog import Setting
from narrowcast.screens.settings.own import BY_SERVER, ELSEWHERE, OWN, WEB_APP

ACCOUNT_TEXT = (
    "Your account has these on the server, for all apps. *Personal settings* in the palette shows and changes them, "
    "except those of emails and phones, which administrators set for new users."
)


def page() -> str:
    """Returns the page of every key of config.toml and of the personal settings of the server."""
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
    parts += ["## Settings of the account", ACCOUNT_TEXT]
    for heading, settings in {**OWN, **ELSEWHERE}.items():
        rows = [(cell(setting.title), f"`{setting.name}`", _acts(heading, setting)) for setting in settings]
        parts += [f"### {heading}", table(("Setting", "In the API", "Takes effect"), rows)]
    return "\n\n".join(parts)


def _acts(heading: str, setting: Setting) -> str:
    if heading in ELSEWHERE:
        return "in emails" if setting.title.startswith("Email") else "on phones"
    if heading == WEB_APP:
        return "in the web app"
    return "on the server" if setting.name in BY_SERVER else "in Narrowcast"


def _setting(one: ConfigKey, described: dict[str, str]) -> tuple[str, str, str]:
    default = json.dumps(value_of(config.Config(), one.key))  # which is TOML too
    text = described[one.key].replace("``", "`")
    choices = f" One of {', '.join(f'`{choice}`' for choice in one.choices)}." if one.choices else ""
    return f"`{one.key}`", f"`{default}`", cell(text + choices)


def _attribute_docs(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Yields the docstring below each field of the configuration's classes, by its key in the file."""
    tables = {
        "Accounts": "accounts.",
        "Appearance": "appearance.",
        "Compose": "compose.",
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
