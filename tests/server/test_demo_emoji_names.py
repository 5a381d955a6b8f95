"""The table of emoji names that server and client share."""

from __future__ import annotations

import json

import pytest

from narrowcast_assets.emoji import EMOJI_FILE, character_of, code_of, emoji_names


@pytest.mark.parametrize(
    ("name", "character"),
    [
        ("+1", "👍"),
        ("thumbs_up", "👍"),
        ("-1", "👎"),
        ("tada", "🎉"),
        ("octopus", "🐙"),
        ("heart", "❤"),
        ("rocket", "🚀"),
        ("check", "✅"),
        ("eyes", "👀"),
        ("working_on_it", "🛠"),
        ("smile", "😄"),
        ("joy", "😂"),
        ("pray", "🙏"),
        ("wave", "👋"),
        ("100", "💯"),
        (
            "family_man_woman_girl_boy",
            "👨\N{ZERO WIDTH JOINER}👩\N{ZERO WIDTH JOINER}👧\N{ZERO WIDTH JOINER}👦",
        ),
    ],
)
def test_common_emoji_names_are_accepted(name: str, character: str) -> None:
    assert emoji_names().character(name) == character
    assert emoji_names().code(name) == code_of(character)


def test_the_first_name_of_an_emoji_code_is_its_canonical_name() -> None:
    names = emoji_names()
    assert names.name("1f44d") == "+1"
    assert names.code_to_names["1f44d"][:2] == ("+1", "thumbs_up")


def test_every_name_has_one_code_and_can_stand_between_colons() -> None:
    table = json.loads(EMOJI_FILE.read_text(encoding="utf-8"))["code_to_names"]
    names = [name for own in table.values() for name in own]
    assert len(names) == len(set(names))
    assert len(table) > 1800
    for name in names:
        assert name.isascii()
        assert not set(name) & set(": \t<>\"'")


def test_every_code_is_an_emoji_without_variation_selectors() -> None:
    for code in emoji_names().code_to_names:
        character = character_of(code)
        assert character
        assert code_of(character) == code
        assert code_of(character + "\N{VARIATION SELECTOR-16}") == code


@pytest.mark.parametrize("code", ["", "xyz", "110000", "1f600-", "-1", "99999999999999999999"])
def test_invalid_codes_are_not_emoji(code: str) -> None:
    assert character_of(code) is None
    assert emoji_names().name(code) is None


def test_unknown_names_are_none() -> None:
    assert emoji_names().code("no_such_emoji") is None
    assert emoji_names().character("no_such_emoji") is None
