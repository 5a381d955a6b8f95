"""The command line: from arguments to a command and its exit code. Each command is imported when it runs."""

from __future__ import annotations

import argparse
import gc
import importlib
import sys
from collections.abc import Callable, Sequence

from narrowcast.cli.grammar import build_parser
from narrowcast.cli.outcome import CommandError, Exit, explain, print_error
from narrowcast.cli.streams import ready_streams, settle_streams
from narrowcast.terminal import last_screen
from narrowcast_api.version import VERSION


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code and never raises for errors that a user can cause."""
    ready_streams()
    try:
        code = _outcome(arguments)
    except BaseException:  # also what argparse ends with: its text has to be written, too
        settle_streams()
        raise
    problem = settle_streams()
    if problem is None or code != Exit.DONE:
        return code
    return _fail(f"the output could not be written: {problem.strerror}", Exit.FAILED)


def _outcome(arguments: Sequence[str] | None) -> int:
    try:
        return _run(build_parser().parse_args(arguments))
    except CommandError as error:
        return _fail(str(error), error.code)
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        return Exit.FAILED  # the reader of our output has closed it; nobody is left to notify
    except Exception as error:
        explained = explain(error)
        if explained is None:
            raise
        return _fail(*explained)


def _fail(message: str, code: int) -> int:
    last_screen.give_back()
    print_error(message)
    return code


def _run(args: argparse.Namespace) -> int:
    if args.version:
        print(f"narrowcast {VERSION}")  # noqa: T201 - the answer to --version
        return Exit.DONE
    if args.debug is not None:
        from narrowcast.terminal.logs import DebugLog  # late: most runs write none
        from narrowcast_api.storage.folders import expand_home

        DebugLog(expand_home(args.debug), args.command or "app")
    module = importlib.import_module(f"narrowcast.cli.{args.command or 'open_app'}")
    command: Callable[[argparse.Namespace], int] = module.run
    gc.enable()
    return command(args)


if __name__ == "__main__":
    sys.exit(main())
