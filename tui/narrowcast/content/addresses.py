"""Addresses of views and messages: resolving links, and making the link to a message.

Links within the organization contain the view after `#narrow/`, as pairs of operator and operand; in operands
a dot replaces the percent sign of URL quoting.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit

from msgspec import Struct

from narrowcast_api import characters
from narrowcast_api.narrow.narrow import Narrow, Term

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message
    from narrowcast_api.state.state import State

__all__ = ["External", "InApp", "fragment_of", "message_address", "resolve", "view_address"]

_CHANNEL = re.compile(r"(\d{1,15})(?:-.*)?")
_PEOPLE = re.compile(r"([\d,]{1,2000})(?:-.*)?")
_ONE_USER = ("sender", "mentions")
_NAMES = {
    "stream": "channel",
    "subject": "topic",
    "pm-with": "dm",
    "pm": "dm",
    "group-pm-with": "dm-including",
    "pm-including": "dm-including",
    "streams": "channels",
}


class InApp(Struct, frozen=True):
    """A view, and a message in it."""

    narrow: Narrow
    message_id: int | None = None


class External(Struct, frozen=True):
    """An absolute http(s) address; `own`: whether it is on the organization's own server."""

    url: str
    own: bool = False


def resolve(href: str, state: State) -> InApp | External | None:
    """The target of `href`; None if it must not or cannot be followed (scripts, broken addresses)."""
    site = state.server.site or "https://invalid"
    try:
        url = urljoin(site.rstrip("/") + "/", _as_browsers_read(href.strip()))
        parts, home = urlsplit(url), urlsplit(site)
        own = (parts.scheme, parts.hostname, parts.port) == (home.scheme, home.hostname, home.port)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    if " " in url or (characters.has_unsafe(url) and not _is_readable(url, parts.netloc)):
        return None
    url = characters.percent_encoded(url)
    if own and parts.fragment.startswith("narrow"):
        return _narrow(parts.fragment, state)
    return External(url, own)


def _as_browsers_read(href: str) -> str:
    """`href` with the backslashes in its host and path replaced by slashes, as browsers treat them."""
    end = min((place for sign in "?#" if (place := href.find(sign)) >= 0), default=len(href))
    return href[:end].replace("\\", "/") + href[end:]


def _is_readable(url: str, authority: str) -> bool:
    """Whether hidden characters are only in the path, where some languages need them, and none is a control."""
    return not (characters.has_unsafe(authority) or characters.has_controls(url))


def _decode(operand: str) -> str:
    return unquote(operand.replace(".", "%"))


def _narrow(fragment: str, state: State) -> InApp | None:
    pieces = fragment.removeprefix("narrow").strip("/").split("/")
    terms: list[Term] = []
    message_id: int | None = None
    for raw_operator, raw_operand in zip(pieces[::2], pieces[1::2], strict=False):
        negated = raw_operator.startswith("-")
        operator = _NAMES.get(raw_operator.lstrip("-"), raw_operator.lstrip("-"))
        operand = _decode(raw_operand)
        if operator in ("near", "with", "id"):
            message_id = int(operand) if operand.isdecimal() and len(operand) < 16 else None
            continue
        term = _term(operator, operand, negated, state)
        if term is None:
            return None
        terms.append(term)
    return InApp(Narrow(tuple(terms)), message_id)


def _term(operator: str, operand: str, negated: bool, state: State) -> Term | None:
    if operator == "channel":
        match = _CHANNEL.fullmatch(operand)
        by_name = state.channels.id_of
        channel_id = int(match[1]) if match else by_name(operand) or by_name(operand.replace("-", " "))
        return None if channel_id is None else Term("channel", channel_id, negated)
    if operator in ("dm", "dm-including", "sender", "mentions"):
        return _people(operator, operand, negated, state)
    is_operator = operator in ("topic", "is", "has", "search", "channels", "in")
    return Term(operator, operand, negated) if is_operator else None


def _people(operator: str, operand: str, negated: bool, state: State) -> Term | None:
    """People by their ids; a sender or mentioned user also by name or email address."""
    match = _PEOPLE.fullmatch(operand)
    if match is None:
        return Term(operator, operand, negated) if operator in _ONE_USER else None
    ids = {int(part) for part in match[1].split(",") if part.isdecimal() and len(part) < 16}
    if operator in _ONE_USER:
        return Term(operator, min(ids), negated) if ids else None
    return Term(operator, frozenset(ids - {state.me}), negated)


def _encode(operand: str) -> str:
    return quote(operand, safe="").replace(".", "%2E").replace("%", ".")


def message_address(message: Message, state: State) -> str:
    """The absolute address of a message in its conversation."""
    where = Narrow.from_destination(message.destination(state.me))
    return f"{view_address(where, state)}/near/{message.id}"


def view_address(narrow: Narrow, state: State) -> str:
    """The absolute address of a view."""
    return f"{state.server.site.rstrip('/')}/#{fragment_of(narrow, state)}"


def fragment_of(narrow: Narrow, state: State) -> str:
    """The part of a view's address after the #."""
    parts = ["narrow"]
    for term in narrow.terms:
        operand = term.operand
        if term.operator == "channel" and isinstance(operand, int):
            name = state.channels.name(operand) or "unknown"
            text = f"{operand}-{_encode(name.replace(' ', '-'))}"
        elif isinstance(operand, frozenset):
            people = sorted(operand | {state.me}) if term.operator == "dm" else sorted(operand)
            kind = "dm" if len(people) <= 2 else "group"
            text = f"{','.join(str(user_id) for user_id in people)}-{kind}"
        else:
            text = _encode(str(operand))
        parts += [f"{'-' if term.negated else ''}{term.operator}", text]
    return "/".join(parts) if len(parts) > 1 else "feed"
