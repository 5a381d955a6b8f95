"""Every key of ``config.toml`` as shown on the settings screen: title, description and values."""

from __future__ import annotations

from msgspec import Struct

from narrowcast.config.config import Config
from narrowcast.config.config_file import Value

__all__ = ["CONFIG_KEYS", "ConfigKey", "value_of"]


class ConfigKey(Struct, frozen=True):
    """One key. ``choices``: its possible values if they are few; ``at_start``: it takes effect at the next start."""

    key: str
    title: str
    help: str
    choices: tuple[str, ...] = ()
    at_start: bool = True


CONFIG_KEYS: dict[str, tuple[ConfigKey, ...]] = {
    "General": (
        ConfigKey("account", "Default account", "The account to open when none is named"),
        ConfigKey(
            "accounts.open",
            "Open accounts",
            "All stored accounts at once, or only the one on screen",
            ("all", "one"),
        ),
        ConfigKey("accounts.order", "Order of accounts", "Names, separated by commas"),
    ),
    "Appearance": (
        ConfigKey(
            "appearance.theme",
            "Theme",
            "'terminal' uses the colors of the terminal",
            ("narrowcast", "paper", "contrast", "terminal"),
            at_start=False,
        ),
        ConfigKey(
            "appearance.density",
            "Density",
            "Space between messages; 'auto' is comfortable from 28 rows on",
            ("auto", "comfortable", "compact"),
            at_start=False,
        ),
        ConfigKey(
            "appearance.sender_colors",
            "Color senders by person",
            "Not in theme 'terminal', which has too few colors",
            at_start=False,
        ),
        ConfigKey("appearance.people", "Show the user list", "Where the terminal is wide enough"),
        ConfigKey(
            "appearance.pictures",
            "Images",
            "Image protocol; 'cells' uses block characters",
            ("auto", "kitty", "sixel", "cells"),
            at_start=False,
        ),
        ConfigKey("appearance.mouse", "Use the mouse", "When off, the terminal selects text itself"),
    ),
    "Composing": (
        ConfigKey(
            "compose.enter", "Enter key", "<compose.other-enter> does the opposite", ("send", "newline")
        ),
        ConfigKey(
            "compose.editor", "External editor", "A command; empty: $VISUAL, then $EDITOR", at_start=False
        ),
    ),
    "Notifications": (
        ConfigKey(
            "notifications.popup",
            "Pop-ups",
            "How the terminal is asked to show notifications",
            ("auto", "osc9", "osc777", "osc99", "off"),
        ),
        ConfigKey("notifications.sound", "Sound", "Played for notifications with a sound", ("bell", "off")),
        ConfigKey(
            "notifications.command",
            "Command",
            "A program and its arguments: notify-send, {title}, {body}",
        ),
        ConfigKey("notifications.title", "Window title", "Show unread messages and mentions in it"),
        ConfigKey("notifications.quiet", "Quiet hours", "Separated by commas, such as 22:00-07:30"),
        ConfigKey(
            "notifications.passthrough", "tmux and screen", "Pass pop-ups through to the outer terminal"
        ),
    ),
    "Keys": (
        ConfigKey(
            "preset",
            "Key preset",
            "Keys as in another program; your own keys override them",
            ("default", "zulip-web", "zulip-terminal", "vim", "emacs"),
            at_start=False,
        ),
    ),
}
"""The keys by heading. The keys of single commands, ``keys.*``, have a screen of their own."""


def value_of(config: Config, key: str) -> Value:
    """The value in the configuration."""
    value: object = config
    for part in key.split("."):
        value = getattr(value, part)
    return value if isinstance(value, bool | int | float | str) else [str(item) for item in value]  # type: ignore[attr-defined]
