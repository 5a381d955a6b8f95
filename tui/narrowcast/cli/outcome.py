"""How a command ends: exit codes, and error messages."""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import TYPE_CHECKING

from narrowcast.config.config import ConfigError
from narrowcast_api import errors
from narrowcast_api.characters import sanitized_line
from narrowcast_assets.installing import with_extra

if TYPE_CHECKING:
    from narrowcast_api.errors import NarrowcastError

MAX_LENGTH = 2000
"""Maximum length of a server's error message."""


class Exit(IntEnum):
    """The exit codes, as ``narrowcast --help`` lists them."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    NOT_ALLOWED = 3
    UNREACHABLE = 4
    INTERRUPTED = 130


class CommandError(Exception):
    """Ends a command with a message that says what to do, and an exit code."""

    def __init__(self, message: str, code: Exit = Exit.FAILED) -> None:
        super().__init__(message)
        self.code = code


def print_error(message: str) -> None:
    """Writes an error to standard error, each line prefixed with the program's name."""
    for line in message.splitlines() or [message]:
        sys.stderr.write(f"narrowcast: {line}\n")


def quoted(text: str) -> str:
    """A server's text as one line of limited length."""
    return sanitized_line(text, MAX_LENGTH)


def explain(error: Exception) -> tuple[str, Exit] | None:
    """Message and exit code for an expected error; None for a defect of the program."""
    known = _explained(error)
    if known is None:
        return None
    message, code = known
    return (message if code is Exit.USAGE else quoted(message)), code


def _explained(error: Exception) -> tuple[str, Exit] | None:
    if isinstance(error, ConfigError):
        return str(error), Exit.USAGE
    if isinstance(error, errors.NarrowcastError):
        code = exit_code(type(error))
        message = error.user_message
        if isinstance(error, errors.UnusableProxy) and error.extra:
            message += f" To install it, {with_extra(error.extra)}"
        return (quoted(message) if isinstance(error, errors.BadNarrow) else message), code
    if isinstance(error, OSError):
        return f"{error.filename or ''}{': ' if error.filename else ''}{error.strerror or error}", Exit.FAILED
    return None


def exit_code(kind: type[NarrowcastError]) -> Exit:
    """The exit code for an error of this type."""

    if issubclass(kind, errors.BadNarrow | errors.AccountError):
        return Exit.USAGE
    if issubclass(kind, errors.Unauthorized | errors.PermissionDenied):
        return Exit.NOT_ALLOWED
    return Exit.UNREACHABLE if issubclass(kind, errors.TransportError) else Exit.FAILED
