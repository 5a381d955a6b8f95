"""A user's own keys: checked against the registry, then handed to Textual; and keys written for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from textual.binding import Binding, InvalidBinding
from textual.keys import Keys, key_to_character

from narrowcast.commands.registry import REGISTRY, Action, Context, groups

_SAME_BYTE = {
    "ctrl+h": "backspace",
    "ctrl+m": "enter",
    "ctrl+i": "tab",
    "ctrl+left_square_bracket": "escape",
}
"""Keys that a terminal cannot tell from another key: they send the same byte."""

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

_REPLACED = {"slash": "/", "backslash": "\\", "at": "@", "minus": "-", "plus": "+", "underscore": "_"}
"""Names that Textual made shorter than Unicode's."""

_NAMED = {key.value for key in Keys if not key.value.startswith("<")} | {"space"}
_MODIFIERS = {"ctrl", "alt", "shift", "super"}
_OUTER = (Context.APP, Context.MAIN, Context.ACT)


def _character(name: str) -> str | None:
    return _REPLACED.get(name) or key_to_character(name)


class KeymapError(Exception):
    """A user keymap that cannot be used. ``problems``: one sentence each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


def key_label(key: str) -> str:
    """``key`` as people write it: ``ctrl+k`` is "Ctrl-k", ``question_mark`` is "?"."""
    *modifiers, name = key.split("+")
    label = _LABELS.get(name)
    if label is None:
        character = _character(name) or name
        label = name.upper() if name[:1] == "f" and name[1:].isdigit() else character
    return "-".join([modifier.capitalize() for modifier in modifiers] + [label])


def keys_label(keys: Iterable[str]) -> str:
    """Several keys for one line."""
    return "  ".join(key_label(key) for key in keys)


def normalize(key: str) -> str:
    """The Textual name of ``key``: "?" becomes ``question_mark``. Raises ValueError for what is no key."""
    try:
        (binding,) = Binding.make_bindings([Binding(key.strip(), "none")])
    except InvalidBinding as error:
        raise ValueError(str(error)) from error
    except ValueError as error:
        raise ValueError("give one key at a time") from error
    *modifiers, name = binding.key.split("+")
    if unknown := set(modifiers) - _MODIFIERS:
        raise ValueError(f"no such modifier: {', '.join(sorted(unknown))}")
    if name not in _NAMED and _character(name) is None:
        raise ValueError(f"no such key: {name}")
    return binding.key


def effective(user: Mapping[str, str | Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Keys by action id once ``user`` (id -> key or keys) is applied.

    Raises :class:`KeymapError` that lists every unknown id, impossible key and clash. Two defaults may
    share a key
    across contexts on purpose (the inner pane wins); a clash is reported when the user's own choice takes
    part in it.
    """
    problems: list[str] = []
    known = {action.id: action for action in REGISTRY}
    keys = {action.id: action.keys for action in REGISTRY}
    for action_id, wanted in user.items():
        if action_id not in known:
            problems.append(f"{action_id}: no such action ('narrowcast doctor --keys' lists them)")
            continue
        checked: list[str] = []
        for key in [wanted] if isinstance(wanted, str) else wanted:
            problem = _problem(key, known[action_id])
            if problem:
                problems.append(f"{action_id}: {problem}")
            else:
                checked.append(normalize(key))
        keys[action_id] = tuple(checked)
    problems += _clashes(keys, known, set(user))
    if problems:
        raise KeymapError(problems)
    return keys


def _problem(key: str, action: Action) -> str | None:
    try:
        name = normalize(key)
    except ValueError as error:
        return f"{key!r} is not a key: {error}"
    if same := _SAME_BYTE.get(name):
        return f"{key!r} cannot be told from {same} by a terminal; choose another key"
    if action.context is Context.COMPOSE and "+" not in name and _character(name) is not None:
        return f"{key!r} is a character that compose types; choose another key"
    return None


def _clashes(
    keys: Mapping[str, tuple[str, ...]], known: Mapping[str, Action], chosen: set[str]
) -> Iterable[str]:
    """One sentence for each pair of actions that would listen to one key where both can be heard."""
    layered = {
        (key, inner.context)
        for inner in known.values()
        for key in inner.keys
        if any(key in outer.keys for outer in known.values() if outer.context in _OUTER)
    }
    """Keys that a pane takes from the screen around it by default: there it is meant."""
    users: dict[str, list[Action]] = {}
    for action_id, names in keys.items():
        for name in names:
            users.setdefault(name, []).append(known[action_id])
    for name, actions in users.items():
        for index, one in enumerate(actions):
            for other in actions[index + 1 :]:
                mine = {one.id, other.id} & chosen
                near = one.context == other.context or (one.context in _OUTER and other.context in _OUTER)
                inner = other if one.context in _OUTER else one
                shadowed = (one.context in _OUTER) != (other.context in _OUTER)
                shadowed = shadowed and (name, inner.context) not in layered
                if mine and (near or shadowed):
                    yield f"{key_label(name)} is both {one.id} and {other.id}"


def textual_keymap(user: Mapping[str, str | Sequence[str]]) -> dict[str, str]:
    """What ``App.set_keymap`` takes. Raises :class:`KeymapError`."""
    keys = effective(user)
    return {action_id: ",".join(keys[action_id]) for action_id in user}


def key_table(keys: Mapping[str, tuple[str, ...]] | None = None) -> str:
    """The Markdown table of all actions, as the README shows it."""
    keys = keys or {}
    lines = ["| keys | does | id |", "|---|---|---|"]
    for group, actions in groups().items():
        lines.append(f"| **{group}** | | |")
        for action in actions:
            label = " ".join(f"`{key_label(key)}`" for key in keys.get(action.id, action.keys))
            lines.append(f"| {label.replace('|', chr(92) + '|')} | {action.title} | {action.id} |")
    return "\n".join(lines)
