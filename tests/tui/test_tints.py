"""Colours of people and channels: readable on each theme, distinguishable, and disabled by a setting."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.style import Style
from textual.color import Color
from textual.theme import Theme

from narrowcast.config.config import Appearance, Config
from narrowcast.config.themes import CONTRAST, NARROWCAST, PAPER
from narrowcast.terminal.fallbacks import nearest
from narrowcast.widgets.tints import HUES, channel_tint, contrast, ground_of, person_color, readable
from narrowcast_api.narrow.narrow import Narrow
from support.server import running_server
from support.sessions import until
from support.stage import Stage, on_stage

CHOSEN = {color: Color.parse(color) for color in ("#000000", "#ffffff", "#76ce90", "#0000ff", "#ffff00")}


def rounded(color: Color) -> Color:
    return Color(*RichColor.from_ansi(nearest(*color.rgb)).get_truecolor())


@pytest.fixture(autouse=True)
def colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal with all colours, in which the configured theme is used."""
    monkeypatch.setenv("COLORTERM", "truecolor")


@pytest.mark.parametrize("theme", [NARROWCAST, PAPER, CONTRAST], ids=lambda theme: theme.name)
@pytest.mark.parametrize("has_256", [False, True])
def test_tinted_text_is_readable_on_every_background(theme: Theme, has_256: bool) -> None:
    panel = Color.parse(theme.panel or "")
    people = {f"person {number}": person_color(number, dark=theme.dark) for number in range(len(HUES))}
    for name, wanted in {**CHOSEN, **people}.items():
        color = readable(wanted, panel, dark=theme.dark)
        for ground in (theme.background, theme.surface, theme.panel):
            below = Color.parse(ground or "")
            found = contrast(rounded(color), rounded(below)) if has_256 else contrast(color, below)
            assert found >= (4.0 if has_256 else 4.5), (name, ground, found)


@pytest.mark.parametrize("theme", [NARROWCAST, PAPER, CONTRAST], ids=lambda theme: theme.name)
def test_people_have_colours_of_their_own_in_256_colours_too(theme: Theme) -> None:
    panel = Color.parse(theme.panel or "")
    seen = {
        number: rounded(readable(person_color(number, dark=theme.dark), panel, dark=theme.dark)).rgb
        for number in range(len(HUES))
    }
    same = [(one, other) for one, other in combinations(seen, 2) if seen[one] == seen[other]]
    assert same == []


def sender_styles(stage: Stage) -> dict[str, Style]:
    """The styles of the visible senders' names."""
    found = {}
    view = stage.screen.messages.list
    for y in range(view.content_size.height):
        for segment in view.compose_row(y):
            if segment.text.strip() in {"Bruno Castell", "Chiyo Tanaka"} and segment.style is not None:
                found[segment.text.strip()] = segment.style
    return found


async def test_senders_are_told_apart_unless_the_setting_or_the_theme_says_no(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        await server.send("bruno", "general", "soup", "Leek")
        await server.send("chiyo", "general", "soup", "Bread")
        async with on_stage(tmp_path, server=server) as stage:
            await stage.go(Narrow.topic(server.channel("general"), "soup"), "newest")
            await until(lambda: len(sender_styles(stage)) == 2)

            def colors() -> list[object]:
                return [style.color for style in sender_styles(stage).values()]

            assert len(set(colors())) == 2
            stage.app.use_config(Config(appearance=Appearance(sender_colors=False)))
            await stage.pilot.pause()
            assert len(set(colors())) == 1
            stage.app.use_config(Config(appearance=Appearance(theme="terminal")))
            await stage.pilot.pause()
            assert len(set(colors())) == 1


async def test_a_channel_has_the_colour_that_was_chosen_in_the_list_and_in_headings(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        await server.send("bruno", "general", "soup", "Leek")
        async with on_stage(tmp_path, size=(120, 30), server=server) as stage:
            general = server.channel("general")
            await until(lambda: len(stage.screen.messages.list.feed or ()) > 0)
            channel = stage.session.state.channels.get(general)
            assert channel is not None
            assert channel.subscription is not None
            await server.call(
                "ada",
                "POST",
                "/users/me/subscriptions/properties",
                {"subscription_data": [{"stream_id": general, "property": "color", "value": "#e79ab5"}]},
            )
            view = stage.screen.messages.list
            wanted = channel_tint(ground_of(view), "#e79ab5").color
            assert wanted is not None

            def written(rows: list[object], text: str) -> set[object]:
                return {
                    segment.style.color
                    for strip in rows
                    for segment in strip  # type: ignore[attr-defined]  # strips
                    if segment.style is not None and text in segment.text
                }

            def heading() -> set[object]:
                return written([view.compose_row(y) for y in range(view.content_size.height)], "#general")

            await until(lambda: heading() == {wanted})
            listed = stage.screen.navigation.list
            row = next(number for number, item in enumerate(listed.shown) if item.text == "general")
            assert wanted in written([listed.render_item(listed.shown[row], 26, False)[0]], "#")


async def test_the_sign_of_a_channel_has_its_colour_in_the_title_and_in_compose(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 30)) as stage:
        await stage.in_topic("general", "lunch")
        await stage.server.call(
            "ada",
            "POST",
            "/users/me/subscriptions/properties",
            {
                "subscription_data": [
                    {"stream_id": stage.server.channel("general"), "property": "color", "value": "#e79ab5"}
                ]
            },
        )
        lines = (stage.screen.title_line, stage.screen.writing.target.sign)

        def signs() -> list[object]:
            return [
                segment.style.color
                for line in lines
                for segment in line.compose_row(0)
                if segment.style is not None and segment.text.strip() == "#"
            ]

        await until(lambda: signs() == [channel_tint(ground_of(line), "#e79ab5").color for line in lines])
        stage.app.use_config(Config(appearance=Appearance(theme="terminal")))
        await stage.pilot.pause()
        assert [line.plain.strip()[0] for line in lines] == ["#", "#"]


async def test_an_invalid_colour_paints_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        for color in ("", "red", "\x1b[31m", "#12", "#76ce90 on red", "auto"):
            assert channel_tint(ground_of(stage.screen.messages.list), color) == Style.null()
