"""The configuration: one TOML file, checked as a whole before anything opens.

The classes are plain dataclasses, so that a start without a file costs nothing; a file is checked by
pydantic, and each mistake is reported with its line and key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
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
    mouse: bool = True
    """Take part in mouse events; without, the terminal selects text itself."""


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
    """The whole file."""

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


def load(path: Path) -> Config:
    """Read and check ``path``; the defaults if there is no such file. Raises :class:`ConfigError`."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError([f"{path}: cannot be read: {error}"]) from error
    return parse(text, str(path))


def parse(text: str, name: str) -> Config:
    """Check the text of a configuration; ``name`` stands in the errors. Raises :class:`ConfigError`."""
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([f"{name}: not TOML: {error}"]) from error
    if not data:
        return Config()
    from pydantic import TypeAdapter, ValidationError

    try:
        config = TypeAdapter(Config).validate_python(data)
    except ValidationError as error:
        problems = []
        for detail in error.errors():
            location = [str(part) for part in detail["loc"] if isinstance(part, str)]
            known = [part for part in location if not part.startswith(("list[", "str"))]
            key = ".".join(known)
            problems.append(
                f"{name}:{line_of(text, known)}: {key}: {_sentence(detail['type'], detail['msg'])}"
            )
        raise ConfigError(list(dict.fromkeys(problems))) from error
    _check_notifications(config.notifications, text, name)
    return _check_keys(_check_theme(config, text, name), text, name)


def _check_theme(config: Config, text: str, name: str) -> Config:
    from textual.theme import BUILTIN_THEMES

    from narrowcast.app.themes import THEMES

    theme = config.appearance.theme
    known = [*(theme.name for theme in THEMES), *BUILTIN_THEMES]
    if theme not in known:
        line = line_of(text, ["appearance", "theme"])
        raise ConfigError(
            [f"{name}:{line}: appearance.theme: no theme {theme!r}. Themes: {', '.join(known)}"]
        )
    return config


def _check_notifications(config: Notifications, text: str, name: str) -> None:
    from narrowcast.terminal.notice_command import check_command
    from narrowcast_api.protocols.notifications import QuietHours

    problems = []
    for key, check in (
        ("quiet", lambda: [QuietHours.parse(part) for part in config.quiet]),
        ("command", lambda: check_command(config.command)),
    ):
        try:
            check()
        except ValueError as error:
            line = line_of(text, ["notifications", key])
            problems.append(f"{name}:{line}: notifications.{key}: {error}")
    if problems:
        raise ConfigError(problems)


def _check_keys(config: Config, text: str, name: str) -> Config:
    if not config.keymap:
        return config
    from narrowcast.commands.keymap import KeymapError, effective

    try:
        effective(config.keymap)
    except KeymapError as error:
        problems = []
        for problem in error.problems:
            line = next((line_of(text, ["keys", key]) for key in config.keys if key in problem), 1)
            problems.append(f"{name}:{line}: keys: {problem}")
        raise ConfigError(problems) from error
    return config


def _sentence(kind: str, message: str) -> str:
    if kind in {"extra_forbidden", "unexpected_keyword_argument"}:
        return "there is no such setting"
    return message[:1].lower() + message[1:]


def line_of(text: str, keys: list[str]) -> int:
    """The line (from 1) where the setting ``keys`` stands in TOML ``text``; its table's or 1 if not found."""
    table: list[str] = []
    best = 1
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[\s*([^\[\]]+?)\s*\]", line):
            table = _parts(header.group(1))
            if table == keys[: len(table)]:
                best = number
        elif setting := re.match(r"\s*((?:\"[^\"]*\"|'[^']*'|[\w-]+|\s*\.\s*)+)\s*=", line):
            full = table + _parts(setting.group(1))
            if full == keys:
                return number
            if full == keys[: len(full)]:
                best = number
    return best


def _parts(dotted: str) -> list[str]:
    return [
        quoted.strip("\"'") if quoted else bare
        for quoted, bare in re.findall(r"(\"[^\"]*\"|'[^']*')|([\w-]+)", dotted)
    ]
