"""``narrowcast completion SHELL``: a script that completes commands, options and file names."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from narrowcast.cli.grammar import build_parser
from narrowcast.cli.outcome import CommandError, Exit
from narrowcast.cli.parser import Parser
from narrowcast.cli.printing import say

FILES = frozenset({"FILE", "PATH"})
FOLDERS = frozenset({"DIR"})


def run(args: argparse.Namespace) -> int:
    try:
        import shtab
    except ImportError:
        raise CommandError("completion needs shtab: pip install shtab") from None
    parser = build_parser()
    for option in _options(parser):
        if option.metavar in FILES:
            option.complete = shtab.FILE  # type: ignore[attr-defined]  # how the library is told
        elif option.metavar in FOLDERS:
            option.complete = shtab.DIRECTORY  # type: ignore[attr-defined]  # as above
    say(shtab.complete(parser, args.shell))
    return Exit.DONE


def _options(parser: Parser) -> Iterator[argparse.Action]:
    yield from parser.options
    for command in parser.commands.values():
        yield from _options(command)
