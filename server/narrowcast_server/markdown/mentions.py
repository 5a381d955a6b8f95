"""Mentions of people, groups and everybody; links to channels, topics and messages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from re import Match
from typing import Final
from urllib.parse import quote

from markdown.util import AtomicString

from narrowcast_api.wire.vocabulary import SystemGroup
from narrowcast_server.markdown.context import LinkedChannel, MentionedUser
from narrowcast_server.markdown.elements import Engine, Piece, Replacing, element
from narrowcast_server.markdown.run import RenderingRun

_BEFORE: Final = r"(?<![^\s'\"({\[/<])"
"""What may precede: white space, quotation marks, opening brackets, a slash."""
USER: Final = re.compile(rf"{_BEFORE}@(_?)\*\*([^*]{{1,200}})\*\*")
GROUP: Final = re.compile(rf"{_BEFORE}@(_?)\*([^*]{{1,200}})\*")
CHANNEL: Final = re.compile(rf"{_BEFORE}#\*\*([^*>]{{1,100}})(?:>([^*]{{0,200}}?)(?:@([0-9]{{1,18}}))?)?\*\*")
NAME_AND_ID = re.compile(r"(.*)\|(\d{1,18})")
CHANNEL_WILDCARDS = frozenset({"all", "everyone", "channel", "stream"})
TOPIC_WILDCARD = "topic"
SYSTEM_GROUPS: Final[Mapping[str, str]] = {
    SystemGroup.NOBODY: "Nobody",
    SystemGroup.OWNERS: "Owners",
    SystemGroup.ADMINISTRATORS: "Administrators",
    SystemGroup.MODERATORS: "Moderators",
    SystemGroup.FULL_MEMBERS: "Full members",
    SystemGroup.MEMBERS: "Members",
    SystemGroup.EVERYONE: "Everyone",
    SystemGroup.INTERNET: "Everyone on the internet",
}
"""How mentions name system groups."""


def encode_fragment(text: str) -> str:
    """The encoding of names in the web app's `#narrow` links: percent encoding with dots for percent signs."""
    return quote(text, safe="").replace(".", "%2E").replace("%", ".")


def channel_url(
    channel: LinkedChannel, topic: str | None = None, operator: str = "", operand: int = 0
) -> str:
    """`/#narrow/channel/20-Denmark/topic/edit.20me/near/214`."""
    slug = encode_fragment(f"{channel.channel_id}-{channel.name.replace(' ', '-')}")
    url = f"/#narrow/channel/{slug}"
    if topic is not None:
        url += f"/topic/{encode_fragment(topic)}"
    return f"{url}/{operator}/{operand}" if operator else url


def install(md: Engine) -> None:
    """Adds the rules, most of them before emphasis, which also uses asterisks."""
    md.inlinePatterns.register(Replacing(USER, md, user_mention), "mention", 95)
    md.inlinePatterns.register(Replacing(CHANNEL, md, channel_link), "channel_link", 89)
    md.inlinePatterns.register(Replacing(GROUP, md, group_mention), "group_mention", 65)


def is_aloud(run: RenderingRun, match: Match[str]) -> bool:
    """Whether a mention notifies: it has no underscore, and is not in a quote, since the quoted message
    notified already.
    """
    return not match[1] and not run.is_in_quote()


def user_mention(run: RenderingRun, match: Match[str]) -> Piece | None:
    """`@**Name**`, `@**Name|31**`, `@**all**`, silent with an underscore; None if there is no such user."""
    aloud, name = is_aloud(run, match), match[2]
    kind = "" if aloud else " silent"
    shown = f"@{name}" if aloud else name
    if name in CHANNEL_WILDCARDS:
        run.channel_wildcard = run.channel_wildcard or aloud
        css = f"user-mention channel-wildcard-mention{kind}"
        return element("span", shown, class_=css, data_user_id="*")
    if name == TOPIC_WILDCARD:
        run.topic_wildcard = run.topic_wildcard or aloud
        return element("span", shown, class_=f"topic-mention{kind}")
    user = find_user(run, name)
    if user is None:
        return None
    aloud = aloud and user.is_active
    kind = "" if aloud else " silent"
    (run.user_ids if aloud else run.silent_user_ids).add(user.user_id)
    shown = f"@{user.full_name}" if aloud else user.full_name
    return element("span", shown, class_=f"user-mention{kind}", data_user_id=str(user.user_id))


def find_user(run: RenderingRun, name: str) -> MentionedUser | None:
    """Finds a user by `Name`, by `Name|id` if both match, or by `|id`."""
    with_id = NAME_AND_ID.fullmatch(name)
    if with_id is not None:
        user = run.context.user_by_id(int(with_id[2]))
        if user is not None and with_id[1] in ("", user.full_name):
            return user
        return None
    users = run.context.users_by_name(name)
    return users[0] if users else None


def group_mention(run: RenderingRun, match: Match[str]) -> Piece | None:
    """`@*group*`; silent if the group is deactivated or this user may not mention it."""
    group = run.context.group_by_name(match[2])
    if group is None:
        return None
    aloud = is_aloud(run, match) and not group.deactivated
    if aloud and not group.mentionable:
        run.refused_groups.append(group.name)
        aloud = False
    if aloud:
        run.group_ids.add(group.group_id)
    shown = SYSTEM_GROUPS.get(group.name, group.name)
    kind, shown = ("", f"@{shown}") if aloud else (" silent", shown)
    return element("span", shown, class_=f"user-group-mention{kind}", data_user_group_id=str(group.group_id))


def channel_link(run: RenderingRun, match: Match[str]) -> Piece | None:
    """`#**channel**`, `#**channel>topic**` (links to its newest message), `#**channel>topic@id**`."""
    channel = run.context.channel_by_name(match[1])
    if channel is None:
        return None
    topic, message_id, channel_id = match[2], match[3], str(channel.channel_id)
    if topic is None:
        href = channel_url(channel)
        return element("a", f"#{channel.name}", class_="stream", data_stream_id=channel_id, href=href)
    behind = "" if message_id is None else " @ 💬"
    if message_id is not None:
        href = channel_url(channel, topic, "near", int(message_id))
        link = element("a", class_="message-link", href=href)
    else:
        newest = run.context.last_message_id(channel.channel_id, topic)
        href = channel_url(channel, topic) if newest is None else channel_url(channel, topic, "with", newest)
        link = element("a", class_="stream-topic", data_stream_id=channel_id, href=href)
    link.text = AtomicString(f"#{channel.name} > {topic}{behind if topic else ''}")
    if not topic:
        name = element("em", run.context.empty_topic_name)
        name.tail = AtomicString(behind)
        link.append(name)
    return link
