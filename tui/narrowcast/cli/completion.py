"""``narrowcast completion SHELL``: a script that completes commands, options and file names."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from narrowcast.cli.grammar import build_parser
from narrowcast.cli.outcome import CommandError, Exit
from narrowcast.cli.printing import say

FILES = frozenset({"FILE", "PATH"})
FOLDERS = frozenset({"DIR"})


def run(args: argparse.Namespace) -> int:
    try:
        import shtab
    except ImportError:
        raise CommandError("completion needs shtab: pip install shtab") from None
    parser = build_parser()
    for action in _actions(parser):
        if action.metavar in FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # how the library is told
        elif action.metavar in FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]  # as above
    say(shtab.complete(parser, args.shell))
    return Exit.DONE


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _actions(inner)
        else:
            yield action
