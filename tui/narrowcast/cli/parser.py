"""The parser of the command line: what `ArgumentParser` does not do itself. Only argparse is imported here."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, Protocol

from narrowcast.cli.outcome import CommandError, Exit

__all__ = ["Commands", "Parser"]


class Parser(argparse.ArgumentParser):
    """Reports errors like the commands do, names the help option, and knows its options and commands."""

    def __init__(self, **options: Any) -> None:
        parents: Sequence[Parser] = options.get("parents", ())
        self.options: list[argparse.Action] = [option for parent in parents for option in parent.options]
        """Its options and arguments, except those of groups."""
        self.commands: Mapping[str, Parser] = {}
        super().__init__(**options)
        self.takes_terms = False
        """Whether positional words are search terms: they may stand between options, and begin with a minus."""
        self.color = False  # Python 3.14 would write escape sequences, which the output streams filter out

    def add_argument(self, *names: Any, **options: Any) -> argparse.Action:
        added: argparse.Action = super().add_argument(*names, **options)
        self.options.append(added)
        return added

    def add_commands(self, dest: str, metavar: str, *, required: bool = False) -> Commands:
        """As `add_subparsers`."""
        commands = self.add_subparsers(dest=dest, metavar=metavar, required=required, title="commands")
        self.commands = commands.choices
        return commands

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """As `ArgumentParser.parse_known_args`, but unknown arguments are an error: a subcommand would otherwise
        leave the error to `narrowcast`, which names the wrong help.
        """
        words = list(sys.argv[1:] if args is None else args)
        end = words.index("--") if self.takes_terms and "--" in words else len(words)
        negated = [word for word in words[:end] if self.takes_terms and _NEGATED.match(word)]
        words = [word for word in words[:end] if word not in negated] + words[end:]
        parsed, others = super().parse_known_args(words, namespace)
        if self.takes_terms:
            terms = [word for word in others if not word.startswith("-")]
            parsed.narrow = [*parsed.narrow, *terms, *negated]
            others = [word for word in others if word.startswith("-")]
        if others:
            self.error(f"unrecognized arguments: {' '.join(others)}")
        return parsed, others

    def error(self, message: str) -> NoReturn:
        raise CommandError(f"{message}\nsee: {self.prog} --help", Exit.USAGE)


class Commands(Protocol):
    """What `add_subparsers` returns; argparse has no public name for it."""

    def add_parser(
        self,
        name: str,
        *,
        help: str | None = ...,  # noqa: A002 - its name there
        description: str | None = ...,
        parents: Sequence[Parser] = ...,
    ) -> Parser:
        """Adds a command."""


_NEGATED = re.compile(r"-[a-z][a-z-]*:")
"""A negated search term such as -from:ada@example.com; no option contains a colon."""
