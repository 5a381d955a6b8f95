"""Mentions of people, groups and everybody; links to channels, topics and messages."""

import re
from html import escape
from urllib.parse import quote, unquote

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from narrowcast_server.markdown.context import LinkedChannel, MentionedUser
from narrowcast_server.markdown.run import Run, run_of

USER = re.compile(r"@(_?)\*\*([^*\n]{1,200})\*\*")
GROUP = re.compile(r"@(_?)\*([^*\n]{1,200})\*(?!\*)")
CHANNEL = re.compile(r"#\*\*([^*>\n]{1,100})(?:>([^*\n]{0,200}?)(?:@(\d{1,18}))?)?\*\*")
NARROW = re.compile(
    r"/?#narrow/(?:channel|stream)/(\d{1,18})[^/]*(?:/(?:topic|subject)/([^/]*)(?:/(near|with)/(\d{1,18}))?)?"
)
NAME_AND_ID = re.compile(r"(.*)\|(\d{1,18})")
BEFORE_MENTION = frozenset("'\"({[/<>,;:.!?-*~|")
CHANNEL_WILDCARDS = frozenset({"all", "everyone", "channel", "stream"})
TOPIC_WILDCARD = "topic"


def encode_fragment(text: str) -> str:
    """How the web app writes names into `#narrow` links: percent encoding with dots for percent signs."""
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


def install(md: MarkdownIt) -> None:
    """Adds the two rules before emphasis, whose asterisks they use."""
    md.inline.ruler.before("emphasis", "mention", mention_rule)
    md.inline.ruler.before("emphasis", "channel_link", channel_rule)


def push_html(state: StateInline, html: str) -> None:
    """Adds ready, escaped HTML to the line that is being parsed."""
    token = state.push("raw_html", "", 0)
    token.content = html


def mention_rule(state: StateInline, silent: bool) -> bool:
    """`@**Name**`, `@**Name|31**`, `@**all**`, `@*group*`, each also silent with an underscore."""
    source, start = state.src, state.pos
    if source[start] != "@" or not source.startswith(("@*", "@_*"), start):
        return False
    if start and not (source[start - 1].isspace() or source[start - 1] in BEFORE_MENTION):
        return False
    person = USER.match(source, start)
    match = person or GROUP.match(source, start)
    if match is None:
        return False
    run = run_of(state.env)
    aloud = not match[1] and not run.quoted
    html = mention_html(run, match[2], aloud) if person else group_html(run, match[2], aloud)
    if html is None:
        return False
    if not silent:
        push_html(state, html)
    state.pos = match.end()
    return True


def mention_html(run: Run, name: str, aloud: bool) -> str | None:
    """The span of a person or a wildcard; None where nobody is called so."""
    user = find_user(run, name)
    if user is not None:
        (run.user_ids if aloud else run.silent_user_ids).add(user.user_id)
        shown = escape(user.full_name, quote=False)
        if aloud:
            return f'<span class="user-mention" data-user-id="{user.user_id}">@{shown}</span>'
        return f'<span class="user-mention silent" data-user-id="{user.user_id}">{shown}</span>'
    if name in CHANNEL_WILDCARDS:
        run.channel_wildcard = run.channel_wildcard or aloud
        kind, shown = ("", f"@{name}") if aloud else (" silent", name)
        css = f"user-mention channel-wildcard-mention{kind}"
        return f'<span class="{css}" data-user-id="*">{shown}</span>'
    if name == TOPIC_WILDCARD:
        run.topic_wildcard = run.topic_wildcard or aloud
        return f'<span class="topic-mention{"" if aloud else " silent"}">{"@" if aloud else ""}topic</span>'
    return None


def find_user(run: Run, name: str) -> MentionedUser | None:
    """By `Name`, by `Name|id` where both agree, or by `|id`."""
    with_id = NAME_AND_ID.fullmatch(name)
    if with_id is not None:
        user = run.context.user_by_id(int(with_id[2]))
        if user is not None and with_id[1].casefold() in ("", user.full_name.casefold()):
            return user
        return None
    users = run.context.users_by_name(name)
    return users[0] if users else None


def group_html(run: Run, name: str, aloud: bool) -> str | None:
    """The span of a group; silent where it is deactivated or not to be mentioned by this person."""
    group = run.context.group_by_name(name)
    if group is None:
        return None
    if aloud and not group.deactivated and not group.mentionable:
        run.refused_groups.append(group.name)
    shown = escape(group.name, quote=False)
    if aloud and group.mentionable and not group.deactivated:
        run.group_ids.add(group.group_id)
        return f'<span class="user-group-mention" data-user-group-id="{group.group_id}">@{shown}</span>'
    return f'<span class="user-group-mention silent" data-user-group-id="{group.group_id}">{shown}</span>'


def channel_rule(state: StateInline, silent: bool) -> bool:
    """`#**channel**`, `#**channel>topic**`, `#**channel>topic@id**`."""
    if not state.src.startswith("#**", state.pos):
        return False
    match = CHANNEL.match(state.src, state.pos)
    if match is None:
        return False
    run = run_of(state.env)
    channel = run.context.channel_by_name(match[1])
    if channel is None:
        return False
    if not silent:
        push_html(state, channel_html(run, channel, match[2], match[3]))
    state.pos = match.end()
    return True


def channel_html(run: Run, channel: LinkedChannel, topic: str | None, message_id: str | None) -> str:
    """The link to a channel, to a topic (with its newest message) or to one message."""
    name = escape(channel.name, quote=False)
    if topic is None:
        href = escape(channel_url(channel))
        return f'<a class="stream" data-stream-id="{channel.channel_id}" href="{href}">#{name}</a>'
    shown = escape(topic, quote=False) or f"<em>{escape(run.context.empty_topic_name, quote=False)}</em>"
    if message_id is not None:
        href = escape(channel_url(channel, topic, "near", int(message_id)))
        return f'<a class="message-link" href="{href}">#{name} &gt; {shown} @ 💬</a>'
    newest = run.context.last_message_id(channel.channel_id, topic)
    href = channel_url(channel, topic) if newest is None else channel_url(channel, topic, "with", newest)
    attributes = f'class="stream-topic" data-stream-id="{channel.channel_id}" href="{escape(href)}"'
    return f"<a {attributes}>#{name} &gt; {shown}</a>"


def narrow_html(run: Run, address: str) -> str | None:
    """The link by name to what an address of this organization leads to; None for any other address."""
    if not address.startswith(run.context.realm_url):
        return None
    match = NARROW.fullmatch(address.removeprefix(run.context.realm_url))
    channel = None if match is None else run.context.channel_by_id(int(match[1]))
    if match is None or channel is None:
        return None
    topic = None if match[2] is None else unquote(match[2].replace(".", "%"))
    return channel_html(run, channel, topic, match[4] if match[3] == "near" else None)
