"""The user's own keys: checked against the registry, then passed to Textual; and how keys are written for users."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from textual.binding import Binding, InvalidBinding
from textual.keys import Keys, key_to_character

from narrowcast.keys.command import UNUSED, Command, Context, around
from narrowcast.keys.registry import EXTENSION, REGISTRY, by_id, every, groups

_SAME_BYTE = {
    "ctrl+h": "backspace",
    "ctrl+m": "enter",
    "ctrl+i": "tab",
    "ctrl+left_square_bracket": "escape",
}
"""Keys that a terminal cannot distinguish from another key: both send the same byte."""

_LABELS = {
    "enter": "Enter",
    "escape": "Esc",
    "space": "Space",
    "tab": "Tab",
    "backspace": "Backspace",
    "delete": "Del",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
}

_BY_LABEL = {label.casefold(): name for name, label in _LABELS.items()}
_BY_LABEL |= {"return": "enter", "bs": "backspace", "ins": "insert"}
_SEPARATOR = re.compile(r"[-+](?=.)")
"""Between modifiers and key; the key itself may be a plus or minus."""

_REPLACED = {"slash": "/", "backslash": "\\", "at": "@", "minus": "-", "plus": "+", "underscore": "_"}
"""Names that Textual shortens from Unicode's."""

_NAMED = {key.value for key in Keys if not key.value.startswith("<")} | {"space"}
_MODIFIERS = {"ctrl", "alt", "shift", "super"}


def _character(name: str) -> str | None:
    return _REPLACED.get(name) or key_to_character(name)


class KeymapError(Exception):
    """A user keymap that cannot be used. ``problems``: one sentence each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


@lru_cache(maxsize=1024)
def key_label(key: str) -> str:
    """``key`` as shown to users: ``ctrl+k`` is "Ctrl-k", ``question_mark`` is "?"."""
    *modifiers, name = key.split("+")
    label = _LABELS.get(name)
    if label is None:
        character = _character(name) or name
        label = name.upper() if name[:1] == "f" and name[1:].isdigit() else character
    return "-".join([modifier.capitalize() for modifier in modifiers] + [label])


def keys_label(keys: Iterable[str]) -> str:
    """The labels of several keys in one line."""
    return "  ".join(key_label(key) for key in keys)


def normalize(key: str) -> str:
    """The Textual name of ``key``: "alt+.", or "Alt-." as screens show it, becomes ``alt+full_stop``.

    Raises ValueError for an unknown key.
    """
    *modifiers, name = _SEPARATOR.split(key.strip())
    modifiers = sorted(modifier.lower() for modifier in modifiers)  # as Textual names keys
    if unknown := set(modifiers) - _MODIFIERS:
        raise ValueError(f"no such modifier: {', '.join(sorted(unknown))}")
    if name.casefold() in _BY_LABEL:
        name = _BY_LABEL[name.casefold()]
    elif len(name) > 1:
        name = name.lower()
    elif modifiers == ["shift"] and name.isalpha():
        modifiers, name = [], name.upper()
    elif "ctrl" in modifiers or "shift" in modifiers:
        name = name.lower()  # with Ctrl, terminals send the same for both
    elif modifiers and name.isupper():
        modifiers, name = sorted([*modifiers, "shift"]), name.lower()
    name = _name(name)
    if name not in _NAMED and _character(name) is None:
        raise ValueError(f"no such key: {name}")
    return "+".join([*modifiers, name])


def _name(typed: str) -> str:
    if typed == ",":  # Textual separates keys by commas
        return "comma"
    try:
        (binding,) = Binding.make_bindings([Binding(typed, "none")])
    except InvalidBinding as error:
        raise ValueError(str(error)) from error
    except ValueError as error:
        raise ValueError("give one key at a time") from error
    return binding.key


def typed(key: str) -> str:
    """``key`` as it is typed into the configuration, which `normalize` reads: ``alt+full_stop`` is "alt+."."""
    *modifiers, name = key.split("+")
    character = _character(name)
    if name in _NAMED or character is None:
        return key
    return "+".join([*modifiers, character])


def effective(
    user: Mapping[str, str | Sequence[str]], own: Collection[str] | None = None
) -> dict[str, tuple[str, ...]]:
    """Keys by command id, with ``user`` (id -> key or keys) applied to the defaults.

    ``own``: the ids in ``user`` whose keys the user chose, all if not given; the others are of a preset. A key that
    the user chose is lost by every other command that would take it. Raises :class:`KeymapError` that lists every
    unknown id, impossible key, and key that the user chose twice.
    """
    keys, problems = merged(user)
    chosen = set(user if own is None else own)
    problems += (
        f"{key_label(name)} is both {one} and {other}"
        for name, one, other in _shared(keys, chosen)
        if one in chosen
    )
    if problems:
        raise KeymapError(problems)
    return without_lost(keys, chosen)


def without_lost(keys: Mapping[str, tuple[str, ...]], chosen: Collection[str]) -> dict[str, tuple[str, ...]]:
    """``keys`` without those that other commands lose to the ``chosen`` ones."""
    kept = dict(keys)
    for name, loser, _ in _shared(keys, chosen):
        if loser not in chosen:
            kept[loser] = tuple(key for key in kept[loser] if key != name)
    return kept


def merged(user: Mapping[str, str | Sequence[str]]) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """The defaults with the valid keys of ``user`` applied, and a sentence for each invalid one."""
    problems: list[str] = []
    commands = by_id()
    keys = {command.id: command.keys for command in every()}
    for command_id, wanted in user.items():
        if command_id not in commands and command_id.startswith(EXTENSION):
            continue  # checked when the extension is loaded
        if command_id not in commands:
            problems.append(f"{command_id}: no such command ('narrowcast doctor --keys' lists them)")
            continue
        usable: list[str] = []
        for key in [wanted] if isinstance(wanted, str) else wanted:
            problem = _problem(key, commands[command_id])
            if problem:
                problems.append(f"{command_id}: {problem}")
            else:
                usable.append(normalize(key))
        keys[command_id] = tuple(usable)
    return keys, problems


def free_keys(
    command: Command, wanted: Iterable[str], keys: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[str, ...], list[str]]:
    """The keys in ``wanted`` that are valid and not in use, and a sentence for each of the others.

    ``keys``: the keys of all existing commands.
    """
    free: list[str] = []
    problems: list[str] = []
    commands = by_id()
    for key in wanted:
        if problem := _problem(key, command):
            problems.append(problem)
            continue
        name = normalize(key)
        taken = next(
            (
                other
                for other, names in keys.items()
                if name in names and (other not in commands or _conflict(name, command, commands[other]))
            ),
            None,
        )
        if taken is None:
            free.append(name)
        else:
            problems.append(f"{key_label(name)} is already used by {taken}")
    return tuple(free), problems


def _problem(key: str, command: Command) -> str | None:
    try:
        name = normalize(key)
    except ValueError as error:
        return f"{key!r} is not a key: {error}"
    if same := _SAME_BYTE.get(name):
        return f"{key!r} cannot be told from {same} by a terminal; choose another key"
    if command.context in (Context.COMPOSE, Context.EDITOR) and types_character(name):
        return f"{key!r} types a character in the compose box; choose another key"
    return None


def types_character(key: str) -> bool:
    """Whether the key types a character in a field, whatever it does elsewhere."""
    character = _character(key) if "+" not in key else None
    return character is not None and character.isprintable()


def _shared(keys: Mapping[str, tuple[str, ...]], chosen: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Each key that two commands have in contexts that are active together, with both ids, the second of them one
    of the ``chosen``. Pairs of other commands share keys on purpose.
    """
    commands = by_id()
    users: dict[str, list[Command]] = {}
    for command_id, names in keys.items():
        for name in names:
            users.setdefault(name, []).append(commands[command_id])
    for name, listening in users.items():
        for one, other in combinations(listening, 2):
            if {one.id, other.id} & set(chosen) and _conflict(name, one, other):
                yield (name, one.id, other.id) if other.id in chosen else (name, other.id, one.id)


_ROOT = (Context.APP, Context.MAIN)


def _conflict(key: str, one: Command, other: Command) -> bool:
    if one.priority or other.priority:  # heard everywhere
        return True
    if one.context is other.context or (one.context in _ROOT and other.context in _ROOT):
        return True
    if one.context in around(other.context):
        return not _is_layered(key, other.context)
    return other.context in around(one.context) and not _is_layered(key, one.context)


def _is_layered(key: str, inner: Context) -> bool:
    """Whether ``inner`` overrides ``key`` of an enclosing context by default, which is intended."""
    by_default = {command.context for command in REGISTRY if key in command.keys}
    return inner in by_default and not by_default.isdisjoint(around(inner))


def textual_keymap(keys: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """The argument for ``App.set_keymap``: those of ``keys`` that differ from the defaults."""
    defaults = by_id()
    return {
        command_id: ",".join(names) or UNUSED
        for command_id, names in keys.items()
        if names != defaults[command_id].keys
    }


def key_table(keys: Mapping[str, tuple[str, ...]] | None = None) -> str:
    """The Markdown table of all commands, as the documentation shows it."""
    keys = keys or {}
    lines = ["| Keys | Action | Id |", "|---|---|---|"]
    for group, commands in groups().items():
        lines.append(f"| **{group}** | | |")
        for command in commands:
            label = " ".join(f"`{key_label(key)}`" for key in keys.get(command.id, command.keys))
            lines.append(f"| {label.replace('|', chr(92) + '|')} | {command.title} | {command.id} |")
    return "\n".join(lines)
