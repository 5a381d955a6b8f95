"""Searching messages: on the server, or offline in the cache."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast.commands import targets
from narrowcast.runtime.context import in_app
from narrowcast.screens.dialogs.late import RequestOrigin
from narrowcast.screens.dialogs.search import search_question
from narrowcast.screens.messages.found import FoundScreen
from narrowcast.text import names, search_completion
from narrowcast.text.formats import counted, excerpt, has_long_clock
from narrowcast_api.errors import ApiError, Unsupported
from narrowcast_api.narrow.narrow import Narrow, missing_operand, unknown_operators
from narrowcast_api.narrow.resolve import Unresolved, resolve
from narrowcast_api.state.changes import Change, ViewChanged

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.sync.local_search import LocalHit

CACHED_AT_MOST = 100
"""Number of cached messages that are counted while one types."""
OFFLINE = "Not connected: only cached messages are searched."


def search(screen: Workspace) -> None:
    """Asks for search words and operators, starting with those of the open view."""
    narrow, base = screen.narrow, ""
    if narrow is not None and narrow.terms and narrow.destination is None:
        base = names.terms(screen.session.state, narrow) + " "
    _ask(screen, base)


def _ask(screen: Workspace, text: str, problem: str = "") -> None:
    session = screen.session

    def offer(typed: str, cursor: int) -> Sequence[search_completion.SearchOffer]:
        return search_completion.offers(session.state, typed, cursor)

    async def preview(typed: str) -> tuple[str, Sequence[str]]:
        if unknown_operators(typed) or missing_operand(typed):
            return "", ()
        try:
            narrow = _resolved(screen, typed)
        except Unresolved:
            return "", ()
        found = (await session.search_cached(narrow, CACHED_AT_MOST + 1)).hits
        more = "more than " if len(found) > CACHED_AT_MOST else ""
        number = min(len(found), CACHED_AT_MOST)
        return f"{more}{counted(number, 'cached message')}", [_about(screen, hit) for hit in found]

    def check(typed: str) -> str:
        for operator in unknown_operators(typed):
            return f"{operator} is not a search operator. Quote it to search for the words."
        if missing := missing_operand(typed):
            return missing
        try:
            narrow = _resolved(screen, typed)
            if session.is_live:
                narrow.to_wire(session.state.server, session.state, session.state.me)
        except (Unresolved, Unsupported) as error:
            return error.user_message
        return ""

    def entered(typed: str | None) -> None:
        if typed:
            _show(screen, typed, _resolved(screen, typed))

    note = "" if session.is_live else OFFLINE
    screen.app.push_screen(
        search_question(text, offer=offer, preview=preview, check=check, problem=problem, note=note), entered
    )


def _about(screen: Workspace, hit: LocalHit) -> str:
    """A found message in a line."""
    state, message = screen.session.state, hit.message
    where = names.destination(state, message.destination(state.me))
    said = excerpt(message.content, time.time(), long=has_long_clock(state))
    return f"{state.users.name(message.sender_id)} in {where}: {said}"


def _resolved(screen: Workspace, text: str) -> Narrow:
    state = screen.session.state
    return resolve(Narrow.search(text), state.users, state.channels, state.me)


def _show(screen: Workspace, text: str, narrow: Narrow) -> None:
    if not screen.session.is_live and not narrow.marks_read:
        screen.spawn(_show_cached(screen, text, narrow), "search the cache")
        return
    session, view = screen.session, screen.session.view(narrow)

    def watch(changes: Sequence[Change]) -> None:
        if not any(isinstance(change, ViewChanged) for change in changes) or view.loading:
            return
        unsubscribe()
        if isinstance(view.error, ApiError) and screen.narrow == narrow and attention.is_here:
            _ask(screen, text, view.error.user_message)

    screen.go(narrow)
    attention = RequestOrigin(screen.messages)
    unsubscribe = session.subscribe(in_app(watch))


async def _show_cached(screen: Workspace, text: str, narrow: Narrow) -> None:
    attention = RequestOrigin(screen.messages)
    result = await screen.session.search_cached(narrow)
    if not attention.is_here:
        attention.tell_missed("The search results", "<go.search> searches again.")
        return
    targets.open_list(screen, FoundScreen(screen.session, text, result))
