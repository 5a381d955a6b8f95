"""Whatever a broken or malicious server sends, models return a typed value or raise ValueError."""

from __future__ import annotations

import inspect
from contextlib import suppress
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrowcast_api import resources
from narrowcast_api.events.parsing import parse_event
from narrowcast_api.wire import (
    channels,
    groups,
    messages,
    organization,
    server,
    users,
)
from narrowcast_api.wire.events import Event
from narrowcast_api.wire.model import WireModel, known_names
from support.captures import fixture, own_events
from support.properties import deep, examples, hostile_json

_MODULES = (
    *(channels, groups, messages, organization, server, users),
    *(import_module(f"{resources.__name__}.{found.name}") for found in iter_modules(resources.__path__)),
)
MODELS = sorted(
    {
        value
        for module in _MODULES
        for value in vars(module).values()
        if inspect.isclass(value)
        and issubclass(value, WireModel)
        and not issubclass(value, Event)
        and value.__module__ == module.__name__
    },
    key=lambda model: (model.__module__, model.__name__),
)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@given(data=st.data())
@examples(12)
def test_a_model_of_hostile_fields_is_a_value_or_a_value_error(
    model: type[WireModel], data: st.DataObject
) -> None:
    names = sorted(known_names(model))
    chosen = data.draw(st.lists(st.sampled_from(names), unique=True, max_size=4)) if names else []
    raw = {name: data.draw(hostile_json()) for name in chosen}
    with suppress(ValueError):
        assert isinstance(model.read(raw), model)


@given(event=st.sampled_from(own_events()), data=st.data())
@examples(120)
def test_an_event_with_hostile_fields_is_always_an_event(event: dict[str, Any], data: st.DataObject) -> None:
    changed = data.draw(st.lists(st.sampled_from(sorted(event)), unique=True, min_size=1, max_size=3))
    raw = {**event, **{name: data.draw(hostile_json()) for name in changed}}
    assert isinstance(parse_event(raw), Event)


@given(raw=hostile_json())
@examples(120)
def test_anything_at_all_is_an_event(raw: object) -> None:
    assert isinstance(parse_event(raw), Event)


@pytest.mark.parametrize("kind", sorted({event["type"] for event in own_events()}))
def test_events_nested_without_end_are_events(kind: str) -> None:
    for event in own_events():
        if event["type"] == kind:
            for name in event.keys() - {"type", "op", "id"}:
                assert isinstance(parse_event({**event, name: deep(5_000)}), Event)


@given(data=st.data())
@examples(120)
def test_one_hostile_message_of_a_page_costs_that_message_only(data: st.DataObject) -> None:
    page = fixture("responses.json")["GET messages"]
    good = page["messages"][0]
    name = data.draw(st.sampled_from(sorted(good)))
    bad = {**good, name: data.draw(hostile_json())}
    read = messages.MessagePage.read({**page, "messages": [good, bad, good]})
    assert [message.id for message in read.messages if message.id == good["id"]][:2] == [good["id"]] * 2
    assert read.anchor == page["anchor"]
