"""Facts about a user, as lines of a label and a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from narrowcast.text import formats, names
from narrowcast.text.formats import counted
from narrowcast.text.presence import PresenceMark, of_person
from narrowcast.text.profile_values import value_text
from narrowcast_api import permissions
from narrowcast_api.wire.vocabulary import BotType, WebhookInterface

if TYPE_CHECKING:
    from narrowcast_api.model.users import User
    from narrowcast_api.state.state import State

Fact = tuple[str, str]
"""A label of the app's, and a text of any origin."""

BOT_NAMES = {
    int(BotType.GENERIC): "Generic bot",
    int(BotType.INCOMING_WEBHOOK): "Incoming webhook",
    int(BotType.OUTGOING_WEBHOOK): "Outgoing webhook",
    int(BotType.EMBEDDED): "Embedded bot",
}


WEBHOOK_FORMATS: tuple[tuple[object, str], ...] = (
    (int(WebhookInterface.GENERIC), "generic"),
    (int(WebhookInterface.SLACK), "Slack"),
)
"""How an outgoing webhook receives messages."""


def facts(state: State, user: User, now: float) -> list[Fact]:
    """All facts to show; ``now`` in UTC seconds."""
    entries = [("Role", kind(state, user)), *_endpoint(state, user)]
    status = state.statuses.get(user.user_id)
    if status is not None and (status.text or status.emoji_name):
        entries.append(("Status", names.status(status)))
    if not user.is_bot and user.is_active:
        entries.append(("Availability", presence(state, user, now)))
    if user.timezone and (there := local_time(user.timezone, now, short=not formats.has_long_clock(state))):
        entries.append(("Local time", there))
    entries.append(("Email", user.delivery_email or "hidden"))
    if user.known_email not in ("", user.delivery_email):
        entries.append(("API address", user.known_email))
    entries += profile(state, user.profile, now)
    groups = [group.name for group in permissions.named_groups(state) if user.user_id in group.members]
    if groups:
        entries.append(("Groups", ", ".join(groups)))
    if joined := formats.iso_day(user.date_joined):
        entries.append(("Joined", joined))
    if user.user_id in state.users.muted:
        entries.append(("Muted", "yes"))
    entries.append(("User ID", str(user.user_id)))
    return entries


def _endpoint(state: State, user: User) -> Iterator[Fact]:
    """The URL that an outgoing webhook calls, shown to those who manage it."""
    bot = state.managed_bots.get(user.user_id)
    if bot is not None and bot.payload_url:
        yield "Endpoint URL", bot.payload_url
        yield "Data format", dict(WEBHOOK_FORMATS).get(bot.interface_type, str(bot.interface_type))


def kind(state: State, user: User) -> str:
    """The user's role in the organization; for a bot its type and owner."""
    text = permissions.role_name(user.role)
    if user.is_bot:
        text = BOT_NAMES.get(user.bot_type or 0, "bot")
        if user.bot_owner_id is not None:
            text += f" of {state.users.name(user.bot_owner_id)}"
    return text if user.is_active else f"{text}, {names.gone(user)}"


def presence(state: State, user: User, now: float) -> str:
    """Whether a user is active, or when they were last."""
    status = state.statuses.get(user.user_id)
    if status is not None and status.away:
        return "away"
    found = of_person(state, user.user_id, now)
    if found is not PresenceMark.OFFLINE:
        return found.name.lower()
    seen = state.presence.seen(user.user_id)
    newest = max(seen.active, seen.idle) if seen is not None else 0
    if not newest:
        return "offline"
    return f"offline, last active {ago(now + state.presence.server_offset - newest)}"


def ago(seconds: float) -> str:
    for size, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{counted(int(seconds // size), unit)} ago"
    return "just now"


def local_time(zone: str, now: float, *, short: bool = False) -> str:
    """A user's local time, in 12-hour format if ``short``; empty if this machine does not know the time zone."""
    try:
        there = datetime.fromtimestamp(now, UTC).astimezone(ZoneInfo(zone))
    except (KeyError, ValueError, OSError, OverflowError):
        return ""
    return f"{formats.clock(there, long=not short)} ({zone})"


def profile(state: State, values: Mapping[int, object], now: float) -> Iterator[Fact]:
    """The user's custom profile fields, in the organization's order."""
    for field in sorted(state.profile_fields, key=lambda field: field.order):
        value = values.get(field.id)
        text = str(getattr(value, "value", "") or "")
        rendered = getattr(value, "rendered", None)
        if text:
            long = formats.has_long_clock(state)
            shown = formats.excerpt(rendered, now, long=long) if rendered else value_text(state, field, text)
            yield field.name, shown
