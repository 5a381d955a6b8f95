"""Links that are pasted into compose, where a linkifier has a shorter text for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from narrowcast_api.resources.linkifiers import Linkifier
from support.sessions import until
from support.stage import Stage, on_stage

URL = "https://git.example/issues/12"
ISSUE = Linkifier(1, "#(?P<id>[0-9]+)", "https://git.example/issues/{id}", reverse_template="#{id}")


async def pasted(stage: Stage, text: str, url: str = URL) -> None:
    """Pastes the URL behind this text, and waits until the paste was handled."""
    stage.session.state.linkifiers.put([ISSUE])
    await stage.in_topic("general", "lunch")
    await stage.press("c")
    stage.screen.writing.text.text = text
    stage.app.post_message(events.Paste(url))
    await until(lambda: stage.screen.writing.text.text != text)
    await stage.press("end")


async def test_a_link_becomes_the_text_that_makes_it_and_undo_brings_it_back(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await pasted(stage, "see ")
        assert stage.screen.writing.text.text == "see #12"
        assert "Ctrl-z brings the URL back" in stage.notices[-1]
        await stage.press("ctrl+z")
        assert stage.screen.writing.text.text == f"see {URL}"
        assert stage.session.drafts.all()[0].content == f"see {URL}"


@pytest.mark.parametrize("text", ["`", "```\n", "[issue](", "<"])
async def test_a_link_is_kept_in_code_and_as_a_part_of_something_longer(tmp_path: Path, text: str) -> None:
    async with on_stage(tmp_path) as stage:
        await pasted(stage, text)
        assert stage.screen.writing.text.text == f"{text}{URL}"


async def test_a_link_of_another_form_is_kept(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await pasted(stage, "see ", f"{URL}/comments")
        assert stage.screen.writing.text.text == f"see {URL}/comments"


async def test_a_link_that_is_pasted_outside_of_compose_is_shortened_there(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        stage.session.state.linkifiers.put([ISSUE])
        await stage.in_topic("general", "lunch")
        stage.app.post_message(events.Paste(URL))
        await until(lambda: stage.screen.writing.text.text == "#12")
