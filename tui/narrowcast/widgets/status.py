"""The status line: connection, account, unread counts, typing users, and the current keys. A click on a part runs the
command that it leads to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast.keys.hints import Keys, ShownHint, with_keys
from narrowcast.text import formats, names
from narrowcast.text.columns import most_columns
from narrowcast.widgets.one_line import OneLine, Piece, hint_pieces
from narrowcast_api.protocols.outbox_item import OutboxState

if TYPE_CHECKING:
    from narrowcast_api.narrow.destinations import Destination
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

LOOKS = {
    "live": ("●", "good", "live"),
    "connecting": ("◌", "warn", "connecting"),
    "reconnecting": ("◌", "warn", "reconnecting"),
    "offline": ("▲", "bad", "offline"),
    "refused": ("✕", "bad", "logged out"),
}
"""Sign, look and word of each connection state: the word is always shown, colour is only an addition."""

LOG_IN_AGAIN = "Log in again: <account.switch>, then <manage.new>"
DO_WITH_FAILED = "<write.outbox-retry> resends, <write.outbox-cancel> cancels, <go.outbox> lists"
DO_WITH_UNCONFIRMED = "<write.outbox-cancel> cancels, <go.outbox> lists"


def connection_piece(session: Session) -> Piece:
    """The connection state as a sign and a word."""
    sign, look, word = LOOKS.get(str(session.status.kind), ("?", "warn", str(session.status.kind)))
    return f" {sign} {word} ", look


def banner(session: Session, keys: Keys) -> str:
    """The warning at the top of the screen about a problem with the connection or the disk; '' if there is none."""
    return "  ".join(
        filter(None, [_connection_trouble(session, keys), *(f"▲ {text}" for text in session.warnings)])
    )


def _connection_trouble(session: Session, keys: Keys) -> str:
    status = session.status
    kind = str(status.kind)
    since = (
        formats.clock(formats.local(status.since), long=formats.has_long_clock(session.state))
        if status.since
        else ""
    )
    detail = f" ({status.detail})" if status.detail else ""
    if kind == "refused" and status.ended:
        return f"✕ The server does not accept this account: {status.detail}"
    if kind == "refused":
        return f"✕ Logged out by the server. {with_keys(keys, LOG_IN_AGAIN)}"
    if kind == "offline":
        return f"▲ No connection since {since}{detail}. {_promise(session)}".rstrip()
    if kind == "reconnecting":
        return f"◌ Reconnecting since {since}. {_promise(session)}".rstrip()
    return ""


def _promise(session: Session) -> str:
    """What becomes of messages that are written without a connection."""
    if session.read_only:
        return ""
    if session.storage.journal.is_on_disk:
        return "Messages are saved and sent once reconnected."
    return "Messages are sent once reconnected, unless Narrowcast is closed before."


def typing_text(session: Session, where: Destination | None) -> str:
    """Who is typing in the open conversation."""
    if where is None:
        return ""
    return names.activity(session.state, session.state.typing.typers(where), "typing")


def unsent_pieces(session: Session, keys: Keys) -> list[Piece]:
    """Counts of the user's messages, reactions and stars that are not on the server yet, from all windows."""

    states = [entry.state for entry in session.outbox.entries()]
    failed, unconfirmed = states.count(OutboxState.FAILED), states.count(OutboxState.UNCONFIRMED)
    waiting = states.count(OutboxState.WAITING) + states.count(OutboxState.SENDING)
    pieces: list[Piece] = []
    if failed:
        pieces.append((f" {failed} not sent: {with_keys(keys, DO_WITH_FAILED)} ", "bad"))
    if unconfirmed:
        checking = f"checking whether {'it' if unconfirmed == 1 else 'they'} arrived"
        pieces.append(
            (f" {unconfirmed} unconfirmed: {checking}; {with_keys(keys, DO_WITH_UNCONFIRMED)} ", "bad")
        )
    if waiting and not session.status.is_live:
        pieces.append((f" {waiting} waiting to be sent ", "warn"))
    if session.message_actions.waiting and not session.status.is_live:
        pieces.append((f" {formats.counted(session.message_actions.waiting, 'change')} waiting ", "warn"))
    return pieces


class StatusLine(OneLine):
    """See the module's description. Where the terminal is narrow, parts are left out in this order: the account, then
    the keys from the right, of which the last one stays; at the end the left side is cut.
    """

    def update(
        self,
        session: Session,
        where: Destination | None,
        hints: Sequence[ShownHint],
        keys: Keys,
        *,
        urgent: bool = False,
        added: Sequence[str] = (),
    ) -> None:
        """Updates the line. ``urgent`` hints show how to leave a mode; ``added``: the texts of extensions."""
        state = session.state
        commands: dict[Piece, str] = {}
        left = [connection_piece(session)]
        commands[left[0]] = "organization.server"
        if session.read_only:
            left.append((" read-only: open elsewhere ", "warn"))
        unsent = unsent_pieces(session, keys)
        commands.update(dict.fromkeys(unsent, "go.outbox"))
        left.extend(unsent)
        if typing := typing_text(session, where):
            left.append((f" {typing} ", "accent"))
        counts = _count_pieces(state)
        commands.update(zip(counts, ("go.inbox", "go.mentions"), strict=False))
        left.extend(counts)
        left.extend((f"  {text}", "accent") for text in added)
        who = state.users.name(state.me) if state.users.get(state.me) is not None else session.account.email
        account = [(f"  {who}", "dim"), (f" · {state.server.name or session.account.site}", "dim")]
        commands.update(dict.fromkeys(account, "account.switch"))
        left, hints = self._fitting(left, hints, urgent=urgent)
        for hint in hints:
            if hint.command_id:
                commands.update(dict.fromkeys(hint_pieces([hint]), hint.command_id))
        right = hint_pieces(hints, "accent" if urgent else "dim")
        self.show_pieces(left, [*right, (" ", "")], account, commands=commands)

    def _fitting(
        self, left: list[Piece], hints: Sequence[ShownHint], *, urgent: bool
    ) -> tuple[list[Piece], Sequence[ShownHint]]:
        """What there is room for. While a mode shows its keys they go first, above all the last one, which ends it."""
        shown, room = list(hints), self.app.size.width - 2  # one blank divides the sides, one ends the line
        if urgent and _columns(left) + _columns_of(shown) > room:
            left = left[:1]
        while len(shown) > 1 + urgent and _columns(left) + _columns_of(shown) > room:
            del shown[-2]
        return left, shown


def _count_pieces(state: State) -> list[Piece]:
    """The number of unread messages, and that of mentions."""
    unread, mentions = state.unreads.count_all(), state.unreads.count_mentions()
    some = formats.at_least(unread, more=state.unreads.old_missing)
    pieces = [(f" {some} unread" if unread else " no unread", "")]
    return [*pieces, (f"  {formats.counted(mentions, 'mention')}", "warn")] if mentions else pieces


def _columns(pieces: Sequence[Piece]) -> int:
    return sum(most_columns(text) for text, _ in pieces)


def _columns_of(hints: Sequence[ShownHint]) -> int:
    return _columns(hint_pieces(hints))
