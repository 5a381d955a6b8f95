"""Searching messages: on the server, or offline in the cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast.commands import targets
from narrowcast.runtime.context import in_app
from narrowcast.screens.dialogs.late import RequestOrigin
from narrowcast.screens.dialogs.search import CachedFinds, SearchScreen
from narrowcast.screens.messages.found import FoundMessages, FoundScreen, hit_row, place_of
from narrowcast.screens.messages.last_messages import STAYS
from narrowcast.screens.messages.message_preview import MessagePreview
from narrowcast.text import names, search_completion
from narrowcast.text.formats import counted
from narrowcast_api.errors import ApiError, Unsupported
from narrowcast_api.narrow.narrow import Narrow, missing_operand, unknown_operators
from narrowcast_api.narrow.resolve import Unresolved, resolve
from narrowcast_api.state.changes import Change, ViewChanged
from narrowcast_api.sync.local_search import LocalHit

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace

CACHED_AT_MOST, LISTED = 100, 20
"""Numbers of cached messages that are counted, and listed, while one types."""
OFFLINE = "Not connected: only cached messages are searched."


def search(screen: Workspace) -> None:
    """Asks for search words and operators, starting with those of the open view."""
    narrow, base = screen.narrow, ""
    if narrow is not None and narrow.terms and narrow.destination is None:
        base = names.terms(screen.session.state, narrow) + " "
    _ask(screen, base)


def _ask(screen: Workspace, text: str, problem: str = "") -> None:
    session = screen.session

    def entered(typed: str | None) -> None:
        if typed:
            _show(screen, typed, _resolved(screen, typed))

    preview = MessagePreview(session, FoundMessages(session, rests=STAYS))
    note = "" if session.is_live else OFFLINE
    asked = SearchScreen(text, SearchFrom(screen), preview, problem=problem, note=note)
    screen.app.push_screen(asked, entered)


class SearchFrom:
    """What the search dialog needs to know of the messages of the account on screen."""

    def __init__(self, screen: Workspace) -> None:
        self._screen = screen
        self._session = screen.session

    def offers(self, text: str, cursor: int) -> Sequence[search_completion.SearchOffer]:
        """The completions of a text at the cursor."""
        return search_completion.offers(self._session.state, text, cursor)

    async def cached(self, text: str) -> CachedFinds:
        """What the cache has for a text."""
        if unknown_operators(text) or missing_operand(text):
            return CachedFinds()
        try:
            narrow = _resolved(self._screen, text)
        except Unresolved:
            return CachedFinds()
        found = (await self._session.search_cached(narrow, CACHED_AT_MOST + 1)).hits
        more = "more than " if len(found) > CACHED_AT_MOST else ""
        count = f"{more}{counted(min(len(found), CACHED_AT_MOST), 'cached message')}"
        now = self._session.clock.now()
        return CachedFinds(count, [hit_row(self._session.state, hit, now) for hit in found[:LISTED]])

    def problem(self, text: str) -> str:
        """Why a text cannot be searched for; empty if it can."""
        for operator in unknown_operators(text):
            return f"{operator} is not a search operator. Quote it to search for the words."
        if missing := missing_operand(text):
            return missing
        session = self._session
        try:
            narrow = _resolved(self._screen, text)
            if session.is_live:
                narrow.to_wire(session.state.server, session.state, session.state.me)
        except (Unresolved, Unsupported) as error:
            return error.user_message
        return ""

    def go(self, found: object) -> None:
        """Goes to a message that the cache has found."""
        if isinstance(found, LocalHit):
            targets.go_to(self._screen, place_of(self._session.state, found))


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
