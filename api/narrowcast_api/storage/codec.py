"""Conversion of values of the library to text columns, and back."""

from __future__ import annotations

import json
import re
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.destinations import Destination

_BLOCK = re.compile(
    r"</?(?:p|br|hr|h[1-6]|li|ul|ol|div|pre|blockquote|table|tr|td|th)\b[^>]*>?", re.IGNORECASE
)
_TAG = re.compile(r"<[^>]*>?")
"""In truncated text, the last tag may have no end."""

_ENCODER = msgspec.json.Encoder()
_ANYTHING = msgspec.json.Decoder()
_MESSAGES = msgspec.json.Decoder(Message)
_DESTINATIONS: msgspec.json.Decoder[Destination] = msgspec.json.Decoder(Destination)

Value = TypeVar("Value")


def destination_to_text(destination: Destination | None) -> str | None:
    """JSON: ["channel", id, topic] or ["direct", [ids]]; None stays None."""
    return None if destination is None else _to_text(destination)


def destination_from_text(text: str | None) -> Destination | None:
    """The inverse of `destination_to_text`. Raises ValueError for anything else."""
    return None if text is None else _from_text(text, _DESTINATIONS)


def message_to_text(message: Message) -> str:
    """One message as a JSON list of its fields, without the local id, which is only valid in one run."""
    return _to_text(message if message.local_id is None else replace(message, local_id=None))


def message_from_text(text: str) -> Message:
    """The inverse of `message_to_text`. Raises ValueError for invalid text."""
    return _from_text(text, _MESSAGES)


def to_json(value: object) -> bytes:
    """JSON of any value, including values that msgspec cannot encode."""
    try:
        return _ENCODER.encode(value)
    except (UnicodeEncodeError, OverflowError):  # a lone surrogate or a number beyond 64 bits, from a server
        return json.dumps(msgspec.to_builtins(value)).encode()


def from_json(raw: bytes) -> object:
    """The inverse of `to_json`. Raises ValueError or RecursionError for invalid JSON."""
    return _from_text(raw, _ANYTHING)


def _to_text(value: Message | Destination) -> str:
    return to_json(value).decode()


def _from_text(text: str | bytes, decoder: msgspec.json.Decoder[Value]) -> Value:
    try:
        return decoder.decode(text)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        return msgspec.convert(json.loads(text), decoder.type)


def plain_text(rendered: str) -> str:
    """The text of rendered HTML on one line, for search and its snippets."""
    import html  # its table of names is large and not needed for reading the cache

    return " ".join(html.unescape(_TAG.sub("", _BLOCK.sub(" ", rendered))).split())
