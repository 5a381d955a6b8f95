"""The configuration of the app: what the keys of its file mean, and their defaults.

The classes are plain dataclasses, so that a start without a file costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from narrowcast.commands.presets import PRESETS

_STRICT = {"extra": "forbid"}


class ConfigError(Exception):
    """A configuration that cannot be used. ``problems``: one line each, with file, line and key."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Appearance:
    """``[appearance]``: how it looks."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    theme: str = "narrowcast"
    """A theme by name; F6 goes through them. ``terminal`` uses the terminal's own sixteen colours."""
    sender_colors: bool = True
    """Give each person's name a colour of its own; without, all senders have that of the theme."""
    people: bool = True
    """Show the people where the terminal is wide enough."""
    pictures: Literal["auto", "kitty", "sixel", "cells"] = "auto"
    """How pictures are drawn; ``auto`` knows some terminals by their names. xterm started with ``-ti vt340`` can take
    ``sixel``."""
    mouse: bool = True
    """Take part in mouse events; without, the terminal selects text itself. Never in GNU screen, which would hold
    Escape back."""


@dataclass(frozen=True, slots=True)
class Writing:
    """``[compose]``: how messages are written."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    enter: Literal["send", "newline"] = "send"
    """What Enter does; Ctrl-j and Alt-Enter do the other. Ctrl-d always sends."""
    editor: str = ""
    """The command for Ctrl-o; empty: $VISUAL, then $EDITOR."""


@dataclass(frozen=True, slots=True)
class Notifications:
    """``[notifications]``: how messages are told of that come while one looks elsewhere.

    Which messages these are is for the settings of the account, of its channels and topics to say.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    popup: Literal["auto", "osc9", "osc777", "osc99", "off"] = "auto"
    """How the terminal is asked to show them; ``auto`` asks those that are known to."""
    sound: Literal["bell", "off"] = "bell"
    """What is heard of those with a sound."""
    command: list[str] = field(default_factory=list)
    """A program and its arguments, run for each one without a shell, such as ``["notify-send", "{title}", "{body}"]``.
    There are ``{title}``, ``{body}``, ``{sender}``, ``{place}``, ``{reason}`` and ``{count}``."""
    title: bool = True
    """Keep unread messages and mentions in the title of the terminal's window."""
    quiet: list[str] = field(default_factory=list)
    """Parts of the day without any, such as ``["22:00-07:30"]``."""
    passthrough: bool = False
    """In tmux and screen: hand pop-ups on to the terminal outside (tmux: ``set -g allow-passthrough on``)."""


@dataclass(frozen=True, slots=True)
class Accounts:
    """``[accounts]``: where there are several."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    open: Literal["all", "one"] = "all"
    """Which are open at once: all that are stored, or the one on screen. ``--account`` opens just one."""
    order: list[str] = field(default_factory=list)
    """Their names in the order in which they are listed; those that are not named come last."""


@dataclass(frozen=True, slots=True)
class Config:
    """The whole file, with the defaults where it says nothing."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    account: str = ""
    """The account to open when none is named: the name of a file in ``accounts/`` without ``.zuliprc``."""
    accounts: Accounts = field(default_factory=Accounts)
    appearance: Appearance = field(default_factory=Appearance)
    compose: Writing = field(default_factory=Writing)
    notifications: Notifications = field(default_factory=Notifications)
    preset: Literal["default", "zulip-web", "zulip-terminal", "vim", "emacs"] = "default"
    """Keys as in another program (`narrowcast.commands.presets`); those of ``[keys]`` come on top."""
    keys: dict[str, str | list[str]] = field(default_factory=dict)
    """``[keys]``: the id of a command to its key or keys."""
    extensions: dict[str, dict[str, Any]] = field(default_factory=dict)
    """``[extensions.NAME]``: settings of an extension, checked when it is loaded; ``enabled = false`` leaves it out."""

    @property
    def keymap(self) -> dict[str, str | list[str]]:
        """The keys that differ from the defaults: those of the preset, and the user's own."""
        return {**PRESETS[self.preset], **self.keys}
