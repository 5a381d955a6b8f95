"""The registry of actions, and what users make of its keys."""

from __future__ import annotations

from importlib import import_module

import pytest

from narrowcast.app.app import NarrowcastApp
from narrowcast.commands.keymap import KeymapError, effective, key_label, key_table, normalize, textual_keymap
from narrowcast.commands.registry import REGISTRY, Context, bindings_for, by_id
from narrowcast.commands.running import gate_of
from narrowcast.panes.compose.pane import ComposePane
from narrowcast.panes.messages.pane import MessagesPane
from narrowcast.panes.navigation.pane import NavigationList
from narrowcast.screens.main.screen import MainScreen
from narrowcast.widgets.editor import Editor

OWNERS: dict[Context, tuple[type, ...]] = {
    Context.APP: (NarrowcastApp,),
    Context.MAIN: (MainScreen,),
    Context.NAVIGATION: (NavigationList,),
    Context.MESSAGES: (MessagesPane,),
    Context.COMPOSE: (ComposePane, Editor),
}
HANDLED = [action for action in REGISTRY if action.context is not Context.ACT]
ACTS = [action for action in REGISTRY if action.context is Context.ACT]


def test_ids_are_unique_and_every_action_has_a_handler_in_its_context() -> None:
    assert len(by_id()) == len(REGISTRY)
    missing = [
        action.id
        for action in HANDLED
        if not any(hasattr(owner, f"action_{action.handler}") for owner in OWNERS[action.context])
    ]
    assert missing == []


def test_every_act_has_a_function_in_its_module_and_a_gate_that_exists() -> None:
    for action in ACTS:
        module, _, name = action.run.partition(":")
        assert callable(getattr(import_module(f"narrowcast.commands.{module}"), name)), action.id
        gate_of(action)


def test_within_a_context_no_key_has_two_meanings() -> None:
    for context in Context:
        keys = [key for action in REGISTRY if action.context is context for key in action.keys]
        assert len(keys) == len(set(keys)), context


def test_no_default_key_is_one_that_a_terminal_cannot_tell_apart() -> None:
    effective({})
    for action in REGISTRY:
        for key in action.keys:
            assert normalize(key) == key, action.id
            assert key not in {"ctrl+h", "ctrl+i", "ctrl+m"}, action.id


def test_bindings_carry_the_ids_that_keymaps_use() -> None:
    ids = {binding.id for binding in bindings_for(Context.MAIN)}
    assert ids == {action.id for action in REGISTRY if action.context is Context.MAIN}


@pytest.mark.parametrize(
    ("user", "complaint"),
    [
        ({"go.all": "ctrl+h"}, "cannot be told from backspace"),
        ({"go.all": "ctrl+i"}, "cannot be told from tab"),
        ({"go.all": "ctrl+m"}, "cannot be told from enter"),
        ({"go.nowhere": "w"}, "no such action"),
        ({"go.all": "f"}, "f is both go.all and go.starred"),
        ({"go.inbox": "j"}, "j is both"),
        ({"compose.send": "x"}, "a character that compose types"),
        ({"go.all": "hyper+x"}, "no such modifier"),
        ({"go.all": "fluff"}, "no such key"),
    ],
)
def test_a_keymap_that_cannot_work_is_refused_with_the_reason(user: dict[str, str], complaint: str) -> None:
    with pytest.raises(KeymapError, match=complaint):
        textual_keymap(user)


def test_a_keymap_swaps_two_keys_when_both_are_named() -> None:
    keymap = textual_keymap({"go.all": "f", "go.starred": ["a", "escape"]})
    assert keymap == {"go.all": "f", "go.starred": "a,escape"}


def test_keys_are_written_as_people_write_them() -> None:
    labels = [
        key_label(key) for key in ("ctrl+k", "question_mark", "slash", "alt+left", "f2", "minus", "enter")
    ]
    assert labels == ["Ctrl-k", "?", "/", "Alt-←", "F2", "-", "Enter"]


def test_the_key_table_has_every_action() -> None:
    table = key_table()
    assert all(f"| {action.id} |" in table for action in REGISTRY)
