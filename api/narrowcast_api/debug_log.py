"""The debug log: what the library and the app do, a line for each step.

It contains no secrets and no texts of people: a value that is not a number, a name of the program or an identifier
is left out (`note`), and so are the parts of a path that people choose (`without_texts`). Turn it on with
`logging.getLogger(NAME).setLevel(logging.DEBUG)` and a handler.
"""

from __future__ import annotations

import logging
import re

from narrowcast_api.errors import ApiError, ServerFault

NAME = "narrowcast_api.debug"
"""The name of the logger."""

LEFT_OUT = "…"

_log = logging.getLogger(NAME)
_IDENTIFIER = re.compile(r"[A-Za-z0-9_./:…-]{1,80}")
_WORD = re.compile(r"[a-z_]+|[0-9]+")

TEXT_FOLLOWS = frozenset(
    {"domains", "emoji", "join", "navigation_views", "reset", "subdomain", "tus", "user_uploads"}
)
"""Segments of paths after which people choose the rest, or it is a secret."""


def is_on() -> bool:
    """Whether the debug log is written: for what takes time only to be noted."""
    return _log.isEnabledFor(logging.DEBUG)


def note(step: str, *facts: object, **named: object) -> None:
    """Writes one step: its name, and facts such as `live` or `ms=12.5`. `step` and names are the program's own."""
    if _log.isEnabledFor(logging.DEBUG):
        words = [step, *map(_safe, facts), *(f"{name}={_safe(value)}" for name, value in named.items())]
        _log.debug("%s", " ".join(words))


def without_texts(path: str) -> str:
    """The path of a request with `…` for what is neither an id nor a word of the API."""
    kept: list[str] = []
    for part in path.strip("/").split("/"):
        before = kept[-1] if kept else ""
        is_text = before in TEXT_FOLLOWS or not _WORD.fullmatch(part)
        # People can be requested by email address, which need not contain an @.
        if is_text or (before == "users" and part != "me" and not part.isdecimal()):
            kept.append(LEFT_OUT)
            break
        kept.append(part)
    return "/" + "/".join(kept)


def _safe(value: object) -> str:
    """A value that can be written; texts that are no identifiers are left out."""
    match value:
        case None | bool() | int():
            return str(value)
        case float():
            return f"{value:.1f}"
        case BaseException():
            return _error(value)
        case type():
            return value.__name__
        case str() if _IDENTIFIER.fullmatch(value):
            return str(value)
        case _:
            return LEFT_OUT


def _error(error: BaseException) -> str:
    """The type of an error, and the server's code for it; never its message."""
    name = type(error).__name__
    match error:
        case ApiError():
            code = error.code if _IDENTIFIER.fullmatch(error.code) else LEFT_OUT
            return f"{name}:{error.status}:{code}"
        case ServerFault():
            return f"{name}:{error.status}"
        case _:
            return name
