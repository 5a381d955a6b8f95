"""The command line: from arguments to a command and its exit code. Each command is imported when it runs."""

from __future__ import annotations

import argparse
import gc
import importlib
import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import cast

from narrowcast.cli.outcome import CommandError, Exit, explain, print_error
from narrowcast.cli.streams import ready_streams, settle_streams
from narrowcast.terminal import last_screen
from narrowcast_api.version import VERSION


def _plain(arguments: Sequence[str]) -> argparse.Namespace | None:
    """Parses the most common arguments without argparse: loading the grammar takes longer than everything
    else here.
    """
    args: dict[str, object] = {
        "version": False,
        "rc": None,
        "account": None,
        "no_extensions": False,
        "debug": None,
    }
    match arguments:
        case []:
            pass
        case ["--rc" | "--account" as name, value] if value and not value.startswith("-"):
            args[name.removeprefix("--")] = value
        case _:
            return None
    return cast("argparse.Namespace", SimpleNamespace(**args, command=None))


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Parses the arguments. Options of the app are tried first: building the parser of all commands takes ten
    times longer.
    """
    if (plain := _plain(arguments)) is not None:
        return plain
    grammar = importlib.import_module("narrowcast.cli.grammar")
    build_parser: Callable[[], argparse.ArgumentParser] = grammar.build_parser
    app = argparse.ArgumentParser(prog="narrowcast", add_help=False, exit_on_error=False)
    grammar.app_options(app)
    app.set_defaults(command=None)
    try:
        args, others = app.parse_known_args(arguments)
    except argparse.ArgumentError:
        return build_parser().parse_args(arguments)
    return build_parser().parse_args(arguments) if others else args


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code and never raises for errors that a user can cause."""
    ready_streams()
    try:
        return _run(_parsed(sys.argv[1:] if arguments is None else arguments))
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
    finally:
        settle_streams()


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
    if not gc.isenabled():
        gc.freeze()  # the first collection need not search what imports have made
        gc.enable()
    return command(args)


if __name__ == "__main__":
    sys.exit(main())
