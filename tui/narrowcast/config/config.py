"""The app's configuration: the meaning of the keys in its file, and their defaults.

The classes are plain dataclasses, so that a start without a file needs no validation library.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from narrowcast.keys.presets import PRESETS

_STRICT = {"extra": "forbid"}

Density = Literal["auto", "comfortable", "compact"]
AIRY_ROWS = 28
"""Rows of a terminal from which on there is air between messages, groups and channels, unless they are set to be
compact.
"""


class ConfigError(Exception):
    """A configuration with errors. ``problems``: one line each, with file, line and key."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Appearance:
    """``[appearance]``: the look of the app."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    theme: str = "narrowcast"
    """The name of a theme; F6 takes the next, Shift-F6 shows them all. ``terminal`` uses the terminal's own
    sixteen colors.
    """
    density: Density = "auto"
    """The space between messages, conversations and channels; ``auto`` is comfortable from 28 rows on. F7 changes
    it."""
    sender_colors: bool = True
    """Show each sender's name in a color of its own; if false, all have the color of the theme."""
    people: bool = True
    """Show the user list if the terminal is wide enough."""
    channels_width: int = 0
    """Columns of the channel list; 0: depends on the width of the terminal. Keys and the mouse change it too."""
    people_width: int = 0
    """The same of the user list."""
    pictures: Literal["auto", "kitty", "sixel", "cells"] = "auto"
    """How images are drawn; ``auto`` recognizes some terminals by name. xterm started with ``-ti vt340``
    supports ``sixel``."""
    mouse: bool = True
    """Use the mouse; if false, the terminal selects text itself. Never used in GNU screen, where it would
    delay Escape."""

    def has_air(self, rows: int) -> bool:
        """Whether a terminal with so many rows has blank ones between messages, groups and channels."""
        return rows >= AIRY_ROWS if self.density == "auto" else self.density == "comfortable"


@dataclass(frozen=True, slots=True)
class ThemeColors:
    """``[themes.NAME]``: a theme of the user's own. Colors are written as ``"#7cc7cf"`` or by a CSS name; those
    that are left out follow from the others."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    primary: str
    """Where you are and what you chose: the active row, keys, the frame of what has the focus."""
    dark: bool = True
    """Whether the background is dark."""
    secondary: str | None = None
    """Code, and what is less important than ``primary``."""
    accent: str | None = None
    """Names, where ``sender_colors`` is off."""
    warning: str | None = None
    """What is for you: mentions and their number."""
    error: str | None = None
    """Errors, and the line above the first unread message."""
    success: str | None = None
    """Who is present, what was saved."""
    foreground: str | None = None
    """Text."""
    background: str | None = None
    """The ground of messages."""
    surface: str | None = None
    """The ground of the panes beside them and of dialogs."""
    panel: str | None = None
    """The ground of fields, and of reactions."""


@dataclass(frozen=True, slots=True)
class Compose:
    """``[compose]``: writing messages."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    enter: Literal["send", "newline"] = "send"
    """What Enter does; Ctrl-j and Alt-Enter do the other. Ctrl-d always sends."""
    editor: str = ""
    """The command for Ctrl-o; empty: $VISUAL, then $EDITOR."""
    undo_send: int = 0
    """Seconds for which a message is held back after you send it, at most 20: Esc in the compose box takes it
    back."""


@dataclass(frozen=True, slots=True)
class Notifications:
    """``[notifications]``: how to notify the user of messages that arrive unseen.

    Which messages cause notifications is decided by the settings of the account, its channels and topics.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    popup: Literal["auto", "osc9", "osc777", "osc99", "off"] = "auto"
    """Notification protocol of the terminal; ``auto``: that of terminals which are known to have one."""
    sound: Literal["bell", "off"] = "bell"
    """What is played for notifications with a sound."""
    command: list[str] = field(default_factory=list)
    """A program and its arguments, run without a shell for each notification, such as
    ``["notify-send", "{title}", "{body}"]``. Placeholders: ``{title}``, ``{body}``, ``{sender}``, ``{place}``,
    ``{reason}`` and ``{count}``."""
    title: bool = True
    """Show the numbers of unread messages and mentions in the title of the terminal's window."""
    quiet: list[str] = field(default_factory=list)
    """Times of day without notifications, such as ``["22:00-07:30"]``."""
    passthrough: bool = False
    """In tmux and screen: pass pop-ups through to the outer terminal (tmux: ``set -g allow-passthrough on``)."""


@dataclass(frozen=True, slots=True)
class Accounts:
    """``[accounts]``: the use of several accounts."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    open: Literal["all", "one"] = "all"
    """Which accounts are open at once: all that are stored, or the one on screen. ``--account`` opens only one."""
    order: list[str] = field(default_factory=list)
    """Names of accounts in the order in which they are listed; accounts that are not named come last."""


@dataclass(frozen=True, slots=True)
class Config:
    """The whole file, with defaults for missing keys."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    account: str = ""
    """The account to open by default: the name of a file in ``accounts/`` without ``.zuliprc``."""
    accounts: Accounts = field(default_factory=Accounts)
    appearance: Appearance = field(default_factory=Appearance)
    compose: Compose = field(default_factory=Compose)
    notifications: Notifications = field(default_factory=Notifications)
    preset: Literal["default", "zulip-web", "zulip-terminal", "vim", "emacs"] = "default"
    """Key bindings of another program (`narrowcast.keys.presets`); those in ``[keys]`` override them."""
    themes: dict[str, ThemeColors] = field(default_factory=dict)
    """Themes of your own, by name."""
    keys: dict[str, str | list[str]] = field(default_factory=dict)
    """The key or keys of a command, by its id."""
    extensions: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Settings of an extension, checked when it is loaded; ``enabled = false`` disables it."""

    @property
    def keymap(self) -> dict[str, str | list[str]]:
        """The keys that differ from the defaults: those of the preset, overridden by the user's own."""
        return {**PRESETS[self.preset], **self.keys}
