"""Addresses of views and messages: resolving links, and making the link to a message.

Links within the organization contain the view after `#narrow/`, as pairs of operator and operand; in operands
a dot replaces the percent sign of URL quoting.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

from msgspec import Struct

from narrowcast_api import characters
from narrowcast_api.narrow.narrow import Narrow, Term

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message
    from narrowcast_api.state.state import State

__all__ = ["External", "InApp", "fragment_of", "message_address", "resolve", "view_address"]

_CHANNEL = re.compile(r"(\d{1,15})(?:-.*)?")
_PEOPLE = re.compile(r"([\d,]{1,2000})(?:-.*)?")
_QUOTED = re.compile(r"\.(?=[0-9A-Fa-f]{2})")
_VIEW = re.compile(r"narrow(?:/.*)?")
_CHANNEL_PAGE = re.compile(r"(?:channels|streams)/(\d{1,15})(?:/.*)?")
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

    @property
    def follows_message(self) -> bool:
        """Whether the link leads to the conversation of its message, wherever that is now."""
        is_alone = self.narrow.terms == (Term("id", self.message_id or 0),)
        return self.message_id is not None and (self.narrow.is_conversation or is_alone)


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
        own = origin(parts) == origin(home)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    if " " in url or (characters.has_unsafe(url) and not _is_readable(url, parts.netloc)):
        return None
    url = characters.percent_encoded(url)
    fragment = _fragment(url) if own else ""
    if _VIEW.fullmatch(fragment):
        return _narrow(fragment, state)
    if match := _CHANNEL_PAGE.fullmatch(fragment):
        return InApp(Narrow.channel(int(match[1])))
    return InApp(Narrow.all()) if fragment == "feed" else External(url, own)


def _fragment(url: str) -> str:
    """The part after the # of a link, the signs of which other apps may have quoted when they passed it on."""
    fragment = url.partition("#" if "#" in url else "/%23")[2]
    return fragment if "/" in fragment else fragment.replace("%2F", "/").replace("%2f", "/")


def origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    """Scheme, host and port; a missing port is the scheme's default. Raises ValueError."""
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _as_browsers_read(href: str) -> str:
    """`href` with the backslashes in its host and path replaced by slashes, as browsers treat them."""
    end = min((place for sign in "?#" if (place := href.find(sign)) >= 0), default=len(href))
    return href[:end].replace("\\", "/") + href[end:]


def _is_readable(url: str, authority: str) -> bool:
    """Whether hidden characters are only in the path, where some languages need them, and none is a control."""
    return not (characters.has_unsafe(authority) or characters.has_controls(url))


def _decode(operand: str) -> str:
    return unquote(_QUOTED.sub("%", operand))


def _narrow(fragment: str, state: State) -> InApp | None:
    pieces = fragment.removeprefix("narrow").strip("/").split("/")
    terms: list[Term | None] = []
    message_id: int | None = None
    for raw_operator, raw_operand in zip(pieces[::2], pieces[1::2], strict=False):
        negated = raw_operator.startswith("-")
        operator = _NAMES.get(raw_operator.lstrip("-"), raw_operator.lstrip("-"))
        operand = _decode(raw_operand)
        if operator in ("near", "with", "id"):
            message_id = int(operand) if operand.isdecimal() and len(operand) < 16 else None
        else:
            terms.append(_term(operator, operand, negated, state))
    known = tuple(term for term in terms if term is not None)
    if len(known) == len(terms):
        return InApp(Narrow(known), message_id)
    # The channel has another name by now, or its people have other addresses; the message is still found.
    return None if message_id is None else InApp(Narrow((Term("id", message_id),)), message_id)


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
    if match is None and operator not in _ONE_USER:
        found = [state.users.id_of(email) for email in operand.split(",")]
        known = frozenset(user_id for user_id in found if user_id is not None)
        return Term(operator, known - {state.me}, negated) if len(known) == len(found) else None
    if match is None:
        return Term(operator, operand, negated)
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
