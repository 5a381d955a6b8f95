"""The page and the manual page of the command line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from argparse_manpage.manpage import Manpage

from generate.markdown import cell, table
from narrowcast.cli.grammar import build_parser
from narrowcast_api.version import VERSION


def page() -> str:
    """The page of all commands with their options."""
    parser = build_parser()
    codes = next(part for part in (parser.epilog or "").split("\n\n") if part.startswith("exit codes"))
    codes = " ".join(codes.split())
    parts = [
        "# Command line",
        "The same as `narrowcast COMMAND --help` and `man narrowcast`. [Scripting](scripting.md) has examples, "
        "[JSON](json.md) describes the output of `--json`.",
        f"{codes[0].upper()}{codes[1:]}. Errors go to standard error; each line starts with `narrowcast: `.",
        *_command(parser, 2),
    ]
    return "\n\n".join(parts)


def _command(parser: argparse.ArgumentParser, level: int) -> Iterator[str]:
    yield f"{'#' * min(level, 4)} {parser.prog}"
    if parser.description:
        yield _sentence(" ".join(parser.description.split()))
    rows = [_option(action) for action in parser._actions if action.help is not argparse.SUPPRESS]
    shown = [row for row in rows if row is not None]
    if shown:
        yield table(("Option", "Description"), shown)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {one.dest: one.help or "" for one in action._choices_actions}
            for name, inner in action.choices.items():
                inner.description = inner.description or _sentence(helps.get(name, ""))
                yield from _command(inner, level + 1)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "." * (not text.endswith(".")) if text else ""


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
    parser._manpage = [  # type: ignore[attr-defined]  # the library's interface
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
                    ("~/.local/share/narrowcast/", "drafts and unsent messages: do not delete"),
                    ("~/.cache/narrowcast/", "cached messages; may be deleted"),
                    ("~/.local/state/narrowcast/log/", "the log"),
                )
            ),
        },
        {
            "heading": "environment",
            "content": ".B XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_CACHE_HOME, XDG_STATE_HOME\nchange these folders;\n"
            ".br\n.B VISUAL, EDITOR\nthe editor; \n.br\n.B NO_COLOR\nturns colors off.",
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
