"""The configuration file: errors are reported with line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.config.config import Config, ConfigError
from narrowcast.config.config_check import line_of
from narrowcast.config.config_load import load, parse


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load(tmp_path / "config.toml") == Config()


def test_a_good_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('account = "work"\n[compose]\nenter = "newline"\n[keys]\n"go.all" = ["f11", "alt+f11"]\n')
    config = load(path)
    assert (config.account, config.compose.enter) == ("work", "newline")
    assert config.keys == {"go.all": ["f11", "alt+f11"]}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[compose]\n\nenter = "both"\n', "c.toml:3: compose.enter: input should be 'send' or 'newline'"),
        ("[compose]\nfoo = 1\n", "c.toml:2: compose.foo: there is no such setting"),
        ("colour = 1\n", "c.toml:1: colour: there is no such setting"),
        ("[appearance]\npeople = 3\n", "c.toml:2: appearance.people: "),
        ('[keys]\n"go.all" = "W"\n"go.nowhere" = "b"\n', "c.toml:3: keys: go.nowhere: no such command"),
        ('[keys]\n"go.all" = "ctrl+h"\n', "c.toml:2: keys: go.all: 'ctrl+h' cannot be told from backspace"),
        ("account = \n", "c.toml: not TOML: "),
        ("account = " + "[" * 5000, "c.toml: not TOML: "),
        ('[notifications]\npopup = "loud"\n', "c.toml:2: notifications.popup: input should be 'auto', "),
        ('[notifications]\ncommand = "notify-send x"\n', "c.toml:2: notifications.command: "),
        (
            '[notifications]\n\ncommand = ["a", "{text}"]\n',
            "c.toml:3: notifications.command: {text} is not a placeholder",
        ),
        (
            '[notifications]\nquiet = ["at night"]\n',
            "c.toml:2: notifications.quiet: 'at night' is not a time range such as 22:00-07:00",
        ),
    ],
)
def test_each_mistake_is_named_with_its_line_and_key(text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, "c.toml")
    assert caught.value.problems[0].startswith(problem)


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        parse('[compose]\nenter = 1\n[appearance]\nmouse = "x"\n', "c.toml")
    assert len(caught.value.problems) == 2


def test_the_line_of_a_dotted_key_is_found() -> None:
    assert line_of('# about\ncompose.enter = "send"\n', ["compose", "enter"]) == 2


def test_an_unknown_theme_is_an_error_that_names_the_themes() -> None:
    with pytest.raises(
        ConfigError, match=r"c\.toml:2: appearance\.theme: no theme 'pink'\. Themes: narrowcast, "
    ):
        parse('[appearance]\ntheme = "pink"\n', "c.toml")


def test_a_theme_of_the_users_own_can_be_chosen() -> None:
    config = parse(
        '[appearance]\ntheme = "harbor"\n[themes.harbor]\nprimary = "#7cc7cf"\ndark = false\n', "c.toml"
    )
    assert config.appearance.theme == "harbor"
    assert config.themes["harbor"].primary == "#7cc7cf"


@pytest.mark.parametrize("value", ["blue-ish", "#12", "ansi_red"])
def test_a_color_that_is_none_is_named_with_its_line(value: str) -> None:
    with pytest.raises(
        ConfigError, match=rf"c\.toml:3: themes\.harbor\.panel: '{value}' is not a color such as"
    ):
        parse(f'[themes.harbor]\nprimary = "#7cc7cf"\npanel = "{value}"\n', "c.toml")
