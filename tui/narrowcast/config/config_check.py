"""Checking a configuration file: each mistake is reported with its line and key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict

from pydantic import TypeAdapter, ValidationError
from textual.color import Color, ColorParseError

from narrowcast.config.config import Config, ConfigError, Notifications, ThemeColors
from narrowcast.config.themes import theme_names
from narrowcast.keys.keymap import KeymapError, effective
from narrowcast.terminal.notifications import check_command
from narrowcast_api.protocols.notifications import QuietHours

__all__ = ["checked", "line_of"]


def checked(data: Mapping[str, object], text: str, name: str) -> Config:
    """The configuration in ``data``, which was parsed from ``text``; ``name`` is the file's name in error messages.

    Raises :class:`ConfigError`.
    """
    try:
        config = TypeAdapter(Config).validate_python(data)
    except ValidationError as error:
        problems = []
        for detail in error.errors():
            location = [str(part) for part in detail["loc"] if isinstance(part, str)]
            keys = [part for part in location if not part.startswith(("list[", "str"))]
            key = ".".join(keys)
            problems.append(
                f"{name}:{line_of(text, keys)}: {key}: {_sentence(detail['type'], detail['msg'])}"
            )
        raise ConfigError(list(dict.fromkeys(problems))) from error
    _check_notifications(config.notifications, text, name)
    return _check_keys(_check_theme(config, text, name), text, name)


def _check_theme(config: Config, text: str, name: str) -> Config:
    _check_colors(config.themes, text, name)
    theme, themes = config.appearance.theme, theme_names(config.themes)
    if theme not in themes:
        line = line_of(text, ["appearance", "theme"])
        raise ConfigError(
            [f"{name}:{line}: appearance.theme: no theme {theme!r}. Themes: {', '.join(themes)}"]
        )
    return config


def _check_colors(themes: Mapping[str, ThemeColors], text: str, name: str) -> None:
    problems = []
    for theme, colors in themes.items():
        for key, value in asdict(colors).items():
            try:
                if isinstance(value, str) and Color.parse(value).ansi is None:
                    continue
            except ColorParseError:
                pass
            if isinstance(value, str):
                line = line_of(text, ["themes", theme, key])
                problems.append(
                    f"{name}:{line}: themes.{theme}.{key}: {value!r} is not a color such as '#7cc7cf'"
                )
    if problems:
        raise ConfigError(problems)


def _check_notifications(config: Notifications, text: str, name: str) -> None:
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
    try:
        effective(config.keymap, config.keys)
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
    """The line (from 1) of the setting ``keys`` in the TOML ``text``; if not found that of its table, else 1."""
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
