"""Messages on standard output: as text that is safe to show, or as JSON."""

from __future__ import annotations

import json
import re
import sys
import time
from typing import TYPE_CHECKING

from msgspec import to_builtins
from msgspec.structs import replace

from narrowcast.cli.records import MessageRecord, Person, Record
from narrowcast.text.formats import iso_time, local
from narrowcast.text.safe_text import safe_block, safe_line
from narrowcast_api.characters import escaped

if TYPE_CHECKING:
    from narrowcast_api.model.messages import FetchedMessage


_TIME = "%Y-%m-%d %H:%M"
_CODE_OR_TIME = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,}).*?(?:^ {0,3}(?P=fence)|\Z)|(?<!`)(?P<ticks>`++)(?:.*?(?<!`)(?P=ticks)(?!`))?"
    r"|<time:(?P<time>[^<>\n]{1,100})>",
    re.MULTILINE | re.DOTALL,
)
"""Backticks without an end are matched alone: looked at again from each of them, 10,000 would take 20 seconds."""
_FENCE = re.compile(r"(?P<indent> {0,3})(?P<fence>(?P<sign>[`~])(?P=sign){2,})(?P<info>.*)")


def where(fetched: FetchedMessage) -> str:
    """The name of the message's conversation."""
    if fetched.message.channel_id is not None:
        return f"#{fetched.channel_name} › {fetched.message.topic}"
    return ", ".join(person.full_name for person in fetched.people)


def as_text(fetched: FetchedMessage) -> str:
    """A heading and the Markdown source, without terminal control characters, and with local times."""
    message = fetched.message
    when = time.strftime(_TIME, time.localtime(message.timestamp))
    head = f"{when}  {safe_line(message.sender_name)}  {safe_line(where(fetched))}"
    content = _CODE_OR_TIME.sub(_with_local_time, message.content)
    body = "\n".join(f"    {line}" for line in safe_block(content).split("\n"))
    return f"{head}\n{body}\n"


def _with_local_time(found: re.Match[str]) -> str:
    """The local time for one outside of code that is valid, in the format of the heading."""
    at = iso_time(found["time"]) if found["time"] else None
    return found[0] if at is None else local(at).strftime(_TIME)


def as_markdown(fetched: FetchedMessage) -> str:
    """Markdown for use elsewhere: a heading and the source."""
    message = fetched.message
    when = time.strftime(_TIME, time.localtime(message.timestamp))
    return (
        f"### {safe_line(message.sender_name)}, {when}, {safe_line(where(fetched))}\n\n"
        f"{_closed(safe_block(message.content))}\n"
    )


def _closed(source: str) -> str:
    """The Markdown with the end of a code block that it leaves open, and that would contain what follows it."""
    opened = None
    for line in source.split("\n"):
        fence = _FENCE.fullmatch(line)
        if fence is None:
            continue
        if opened is None:
            opened = fence if fence["sign"] == "~" or "`" not in fence["info"] else None
        elif fence["fence"].startswith(opened["fence"]) and not fence["info"].strip():
            opened = None
    return source if opened is None else f"{source}\n{opened['indent']}{opened['fence']}"


def as_record(fetched: FetchedMessage) -> MessageRecord:
    """The JSON record of a message, for scripts."""
    message = fetched.message
    direct = message.channel_id is None
    record = MessageRecord(
        id=message.id,
        type="direct" if direct else "channel",
        timestamp=message.timestamp,
        sender_id=message.sender_id,
        sender_email=message.sender_email,
        sender_full_name=message.sender_name,
        content=message.content,
        flags=sorted(message.flags),
        reactions=[reaction.emoji_name for reaction in message.reactions],
    )
    if direct:
        people = [Person(one.id, one.email, one.full_name) for one in fetched.people]
        return replace(record, recipients=people)
    return replace(record, channel=fetched.channel_name, channel_id=message.channel_id, topic=message.topic)


def as_json(record: Record) -> str:
    """One line of JSON that is safe to print on a terminal: control and invisible characters are escaped, and all
    non-ASCII characters if the locale cannot encode them.
    """
    value = to_builtins(record)
    line = escaped(json.dumps(value, ensure_ascii=False))
    try:
        line.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return escaped(json.dumps(value))
    return line


def say(text: str) -> None:
    """Prints one piece of a command's output."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
