"""Writes the pages that are made from the code: ``python docs/write_pages.py`` (``--check`` only compares).

Keys, settings, the command line with its manual page, the JSON of scripts, and of the API errors, levels and
operations. A test fails while one of them is not what the code says.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
from argparse_manpage.manpage import Manpage

from narrowcast.app import config
from narrowcast.app.config_keys import CONFIG_KEYS, ConfigKey, value_of
from narrowcast.cli import records
from narrowcast.cli.grammar import build_parser
from narrowcast.cli.outcome import exit_code
from narrowcast.commands.keymap import key_label, key_table
from narrowcast.commands.offline import Offline, offline
from narrowcast.commands.presets import PRESETS
from narrowcast.commands.registry import REGISTRY, Context, by_id, groups
from narrowcast_api import errors
from narrowcast_api.version import VERSION
from narrowcast_api.wire.levels import CONTRACT_LEVEL, Gate

DOCS = Path(__file__).parent
MADE = "<!-- Made by docs/write_pages.py from the code. -->\n\n"


def pages() -> dict[str, str]:
    """The text of each page by its file below ``docs/``."""
    makers: dict[str, Callable[[], str]] = {
        "keys.md": keys,
        "offline.md": without_connection,
        "tasks.md": tasks,
        "settings.md": settings,
        "command-line.md": command_line,
        "json.md": json_records,
        "api/errors.md": api_errors,
        "api/levels.md": api_levels,
        "api/operations.md": api_operations,
    }
    return {
        **{name: MADE + make().rstrip("\n") + "\n" for name, make in makers.items()},
        "narrowcast.1": manual_page(),
        "json.schema.json": json_schema(),
    }


def cell(text: str) -> str:
    """Text for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


# of the app


def keys() -> str:
    """All commands, and what the presets change."""
    parts = [
        "# All keys",
        "The id in the last column is what `[keys]` in [config.toml](configuration.md) names. In the app, `?` shows "
        "the same with your own keys, and *App settings* changes them. A key is heard where its heading says; the "
        "innermost place wins.",
        key_table(),
        "## Presets",
        '`preset = "vim"` in config.toml, or *Key preset* in *App settings*. What a preset does not name stays.',
    ]
    for name, changed in PRESETS.items():
        rows = [
            (
                " ".join(f"`{key_label(key)}`" for key in keys).replace("|", "\\|") or "none",
                by_id()[command_id].title,
                f"`{command_id}`",
            )
            for command_id, keys in changed.items()
        ]
        if rows:
            parts += [f"### {name}", table(("keys", "does", "id"), rows)]
    return "\n\n".join(parts)


def without_connection() -> str:
    """What each command does offline."""
    meanings = {Offline.WORKS: "yes", Offline.WAITS: "waits", Offline.REFUSED: "no"}
    parts = [
        "# Without a connection",
        "What was seen can be read and searched, drafts and messages can be written, read marks, stars and reactions "
        "set. All of that is on the disk at once, shows in every window of the account, and is sent in order when the "
        "server answers, also by the next start, or by `narrowcast watch`. What needs the server is refused at once, "
        "and nothing is changed: nothing is dropped silently.",
        "*yes*: works with what is known here. *waits*: done here, sent later. *no*: refused. What a dialog changes "
        "(settings, channels, people) is not in the table and needs the connection.",
    ]
    for heading, commands in groups(
        command for command in REGISTRY if command.context in _WITH_PURPOSE
    ).items():
        rows = [(cell(one.title), meanings[offline(one)], f"`{one.id}`") for one in commands]
        parts += [f"## {heading}", table(("command", "offline", "id"), rows)]
    return "\n\n".join(parts)


_WITH_PURPOSE = {Context.MAIN, Context.NAVIGATION, Context.MESSAGES, Context.COMPOSE, Context.OUTBOX}


def tasks() -> str:
    """Everyday tasks, with the keys that their commands have."""
    parts = [
        "# Everyday tasks",
        "What one does all day, and how: in the app, and on the command line where that can do it too. The keys are "
        "the defaults; the palette (`Ctrl-p`) has everything, with your own keys.",
    ]
    for heading, listed in _module(DOCS / "everyday.py").TASKS.items():
        rows = [
            (task, cell(_COMMAND.sub(_key_or_palette, how)) or "–", f"`{line}`" if line else "–")
            for task, how, line in listed
        ]
        parts += [f"## {heading}", table(("task", "in the app", "on the command line"), rows)]
    return "\n\n".join(parts)


_COMMAND = re.compile(r"<([a-z]+\.[a-z-]+)>")


def _key_or_palette(found: re.Match[str]) -> str:
    command = by_id()[found[1]]
    if command.keys:
        return f"`{key_label(command.keys[0])}`"
    return f"`{key_label(by_id()['app.palette'].keys[0])}` *{command.title.partition(':')[0]}*"


def settings() -> str:
    """Every key of config.toml."""
    described = dict(_attribute_docs(config))
    parts = [
        "# All settings",
        "Every key of [config.toml](configuration.md). *App settings* in the palette (`Ctrl-p`) shows and changes all "
        "of them; a mistake is named with its line and key.",
    ]
    for heading, listed in CONFIG_KEYS.items():
        rows = [_setting(one, described) for one in listed]
        parts += [f"## {heading}", table(("key", "default", "what it does"), rows)]
    parts += [
        "## Tables",
        table(
            ("table", "what it holds"),
            [
                ("`[keys]`", cell(described["keys"]) + " [All keys](keys.md)"),
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
    """What stands below each field of the configuration's classes, by its key in the file."""
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


# of the command line


def command_line() -> str:
    """Every command with its options."""
    parser = build_parser()
    codes = next(part for part in (parser.epilog or "").split("\n\n") if part.startswith("exit codes"))
    codes = " ".join(codes.split())
    parts = [
        "# Command line",
        "The same as `narrowcast COMMAND --help` and `man narrowcast`. [Scripting](scripting.md) has examples, "
        "[JSON](json.md) what `--json` prints.",
        f"{codes[0].upper()}{codes[1:]}. Errors are on standard error, each line with `narrowcast: ` before it.",
        *_command(parser, 2),
    ]
    return "\n\n".join(parts)


def _command(parser: argparse.ArgumentParser, level: int) -> Iterator[str]:
    yield f"{'#' * min(level, 4)} {parser.prog}"
    if parser.description:
        yield " ".join(parser.description.split())
    rows = [_option(action) for action in parser._actions if action.help is not argparse.SUPPRESS]
    shown = [row for row in rows if row is not None]
    if shown:
        yield table(("option", "does"), shown)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {one.dest: one.help or "" for one in action._choices_actions}
            for name, inner in action.choices.items():
                inner.description = inner.description or _sentence(helps.get(name, ""))
                yield from _command(inner, level + 1)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "." if text else ""


def _option(action: argparse.Action) -> tuple[str, str] | None:
    if isinstance(action, argparse._SubParsersAction | argparse._HelpAction):
        return None
    metavar = action.metavar if isinstance(action.metavar, str) else (action.dest or "").upper()
    if action.choices:
        metavar = "|".join(str(choice) for choice in action.choices)
    names = ", ".join(action.option_strings)
    takes = "" if action.nargs == 0 else f" {metavar}" if names else metavar
    text = (action.help or "") % {**vars(action), "prog": ""}
    return f"`{cell(names + takes)}`", cell(text)


def manual_page() -> str:
    """``man narrowcast``."""
    parser = build_parser()
    parser.prog = "narrowcast"
    parser._manpage = [  # type: ignore[attr-defined]  # how the library is told
        {
            "heading": "exit status",
            "content": _roff(parser.epilog or "").partition("exit codes: ")[2].strip(),
        },
        {
            "heading": "files",
            "content": "\n".join(
                f".TP\n.I {name}\n{about}"
                for name, about in (
                    (
                        "~/.config/narrowcast/config.toml",
                        "settings and keys; \\fBnarrowcast doctor\\fR checks it",
                    ),
                    ("~/.config/narrowcast/accounts/", "the accounts, one zuliprc file each"),
                    ("~/.config/narrowcast/extensions/", "extensions"),
                    ("~/.local/share/narrowcast/", "drafts and unsent messages: must not be lost"),
                    ("~/.cache/narrowcast/", "messages seen, to be fetched again"),
                    ("~/.local/state/narrowcast/log/", "the log"),
                )
            ),
        },
        {
            "heading": "environment",
            "content": ".B XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_CACHE_HOME, XDG_STATE_HOME\nmove these folders;\n"
            ".br\n.B VISUAL, EDITOR\nname the editor; \n.br\n.B NO_COLOR\nturns colours off.",
        },
    ]
    parser.epilog = None
    data = {
        "project_name": "narrowcast",
        "version": VERSION,
        "date": " ",
        "manual_title": "User commands",
        "description": "team chat in the terminal",
    }
    text = str(Manpage(parser, data, format="single-commands-section"))
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", text))


def _roff(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")


def json_schema() -> str:
    """The same as JSON Schema."""
    (schema,), components = msgspec.json.schema_components([records.Record], ref_template="#/$defs/{name}")
    for component in components.values():
        component["description"] = " ".join(
            component["description"].split()
        )  # Python 3.13 indents it otherwise
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "$defs": components}
    return msgspec.json.format(msgspec.json.encode(whole, order="sorted"), indent=2).decode() + "\n"


def json_records() -> str:
    """What ``--json`` prints."""
    parts = [
        "# JSON",
        inspect.cleandoc(records.__doc__ or "").replace("``", "`"),
        "[The same as JSON Schema](json.schema.json).",
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
        rows = [("`kind`", "text", "always")] if tag.tag else []
        rows += [
            (
                f"`{field.encode_name}`",
                _json_type(field.type),
                "always" if field.required else "where it applies",
            )
            for field in tag.fields
        ]
        parts += [
            f"## {heading}",
            " ".join(inspect.cleandoc(one.__doc__ or "").split()),
            table(("field", "type", "there"), rows),
        ]
    return "\n\n".join(parts)


def _json_type(kind: msgspec.inspect.Type) -> str:
    match kind:
        case msgspec.inspect.IntType():
            return "whole number"
        case msgspec.inspect.FloatType():
            return "number"
        case msgspec.inspect.StrType():
            return "text"
        case msgspec.inspect.BoolType():
            return "true or false"
        case msgspec.inspect.NoneType():
            return "null"
        case msgspec.inspect.ListType():
            return f"list of {_json_type(kind.item_type)}"
        case msgspec.inspect.StructType():
            return kind.cls.__name__
        case msgspec.inspect.UnionType():
            return " or ".join(_json_type(one) for one in kind.types)
    return type(kind).__name__


# of the API


def api_errors() -> str:
    """One type per cause."""
    intro = inspect.cleandoc(errors.__doc__ or "")
    title, _, rest = intro.partition("\n\n")
    tree, _, after = rest.partition("\n\n")
    kinds = [
        one
        for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, errors.NarrowcastError)
    ]
    rows = []
    for one in kinds:
        base = next((above.__name__ for above in one.__mro__[1:] if above in kinds), "Exception")
        rows.append(
            (
                f"`{one.__name__}`",
                f"`{base}`",
                cell(inspect.cleandoc(one.__doc__ or "")),
                str(int(exit_code(one))),
            )
        )
    return "\n\n".join(
        [
            "# Errors",
            "All of them are in `narrowcast_api.errors`. " + title,
            "```\n" + inspect.cleandoc(tree) + "\n```",
            " ".join(after.split()),
            "`exit` is the exit code of a command that ends with it.",
            table(("error", "is a", "when", "exit"), rows),
        ]
    )


def api_levels() -> str:
    """Every gate."""
    rows = [
        (str(gate.level), cell(gate.title), cell(gate.value.below), cell(", ".join(gate.value.rows)))
        for gate in Gate
    ]
    return "\n\n".join(
        [
            "# Levels",
            "A server says its feature level; what it is too old for is done another way, or refused before anything "
            f"is sent. The embedded server speaks level {CONTRACT_LEVEL}. The last column names statements of the "
            "contract (tests/contract/ledger.csv).",
            table(("from level", "what", "below it", "contract"), rows),
        ]
    )


def api_operations() -> str:
    """Every operation; the table is that of the library's README."""
    return "\n\n".join(
        [
            "# Operations",
            "Every operation of the service, the function of the client that does it, the level that it needs, the "
            "levels at which it adapts, and the statements of the contract.",
            _module(DOCS.parent / "api" / "reference.py").table(),
        ]
    )


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def stale() -> list[str]:
    """The pages that are not what the code says."""
    return [
        name
        for name, text in pages().items()
        if not (DOCS / name).exists() or (DOCS / name).read_text(encoding="utf-8") != text
    ]


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` say which are stale: 0 if none is, else 1."""
    if "--check" in arguments:
        names = stale()
        sys.stdout.writelines(f"stale: docs/{name}\n" for name in names)
        return 1 if names else 0
    for name, text in pages().items():
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
