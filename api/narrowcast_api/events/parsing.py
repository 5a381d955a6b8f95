"""Parses JSON into typed events, one at a time, so that one bad event does not affect the others."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from narrowcast_api.resources import (
    attachments,
    bots,
    channel_folders,
    custom_emoji,
    default_channel_groups,
    drafts,
    exports,
    invites,
    linkifiers,
    navigation_views,
    playgrounds,
    presence,
    profile_fields,
    reminders,
    saved_snippets,
    scheduled_messages,
    status,
    typing,
)
from narrowcast_api.wire.event import NO_ID, BadEvent, Event, UnknownEvent
from narrowcast_api.wire.events import channels, messages, organization, people, personal
from narrowcast_api.wire.model import describe

_MAX_ID = 2**63 - 1


def _words(model: type[Event], field: str) -> tuple[str, ...]:
    """The values that a field's ``Literal`` allows; empty if it is not a ``Literal`` or there is no such field."""
    for base in model.__mro__:
        annotations = inspect.get_annotations(base)
        if field in annotations:
            return _literals(annotations[field])
    return ()


@cache
def _literals(annotation: str) -> tuple[str, ...]:
    """The words in the ``Literal`` of an annotation. Evaluating all of them would noticeably delay the start."""
    literal = re.search(r"Literal\[(.*?)\]", annotation)
    return tuple(re.findall(r"'(\w+)'", literal[1])) if literal else ()


def _kinds_of(model: type[Event]) -> list[tuple[str, str | None]]:
    types = _words(model, "type")
    if "op" not in model.__struct_fields__:
        return [(name, None) for name in types]
    return [(name, op) for name in types for op in _words(model, "op")]


_MODULES = (
    *(channels, messages, organization, people, personal),
    *(attachments, bots, channel_folders, custom_emoji, default_channel_groups, drafts, exports, invites),
    *(linkifiers, navigation_views, playgrounds, presence, profile_fields, reminders, saved_snippets),
    *(scheduled_messages, status, typing),
)


def _models() -> list[type[Event]]:
    models: list[type[Event]] = []
    for module in _MODULES:
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Event) and value.__module__ == module.__name__:
                models.append(value)
    return models


def _registry() -> dict[tuple[str, str | None], type[Event]]:
    models = _models()
    roots = {base for model in models for base in model.__mro__[1:] if base.__module__ == model.__module__}
    return {kind: model for model in models if model not in roots for kind in _kinds_of(model)}


EVENT_CLASSES: Mapping[tuple[str, str | None], type[Event]] = _registry()
"""The class for each kind of event: (``type``, ``op`` or None)."""

_TYPES_WITHOUT_OP = frozenset(name for name, op in EVENT_CLASSES if op is None)


def _class_for(raw: Mapping[str, Any]) -> type[Event] | None:
    name = raw.get("type")
    if not isinstance(name, str):
        return None
    if name in _TYPES_WITHOUT_OP:
        return EVENT_CLASSES[name, None]
    op = raw.get("op", raw.get("operation"))
    return EVENT_CLASSES.get((name, op)) if isinstance(op, str) else None


def _id_of(raw: Mapping[str, Any]) -> int:
    value = raw.get("id")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MAX_ID:
        return value
    return NO_ID


def parse_event(raw: object) -> Event:
    """Returns the typed event of one JSON object.

    Never raises: an unknown kind becomes an ``UnknownEvent``, unreadable content a ``BadEvent``; both keep
    the id (if it is valid) and the whole object.
    """
    if not isinstance(raw, dict):
        return BadEvent(id=NO_ID, type="", raw=raw, error="not an object")
    name = raw.get("type")
    model = _class_for(raw)
    fields: dict[str, Any] = {"id": _id_of(raw), "type": name if isinstance(name, str) else "", "raw": raw}
    if model is None:
        if isinstance(name, str):
            return UnknownEvent(**fields)
        return BadEvent(**fields, error="no type")
    try:
        return model.read(raw)
    except (ValueError, TypeError, RecursionError, OverflowError) as error:
        return BadEvent(**fields, error=describe(error))


def parse_events(raw: object) -> list[Event]:
    """Returns the events of a response's ``events`` array, in the same order."""
    return [parse_event(item) for item in raw] if isinstance(raw, list) else []
