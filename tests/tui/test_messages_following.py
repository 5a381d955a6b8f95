"""Opening what messages refer to: links, people, polls, playgrounds, by hints and keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.content.inlines import Target, TargetKind
from narrowcast.panes.messages import requests
from narrowcast.panes.messages.clipboard import as_written
from narrowcast_api.narrow.narrow import Narrow
from support.message_stage import staged
from support.sessions import until


async def test_links_spoilers_and_people_are_followed_by_hint(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        content = "#**general>stew** [out](https://x.example/) @**Bruno Castell**\n```spoiler Plot\ngoat\n```"
        await stage.server.send("ada", "general", "stew", "first")
        await stage.server.send("ada", "general", "soup", content)
        await stage.show(stage.topic, "newest")
        await stage.see("Plot")
        for number, key in enumerate("asd", 1):
            await stage.press("o", key)
            await stage.asked(number)
        to_topic, outside, person = stage.app.asked
        assert isinstance(to_topic, requests.NarrowRequested)
        assert to_topic.narrow == Narrow.topic(stage.server.channel("general"), "stew")
        assert isinstance(outside, requests.LinkRequested)
        assert (outside.url, outside.label) == ("https://x.example/", "out")
        assert isinstance(person, requests.PersonRequested)
        assert person.user_id == stage.server.id("bruno")
        assert "goat" not in stage.app.text()
        assert ("message.enter", "open") in stage.pane.selected_hints
        await stage.press("o", "f")
        await stage.see("goat")
        await until(lambda: ("message.spoiler", "close") in stage.pane.selected_hints)
        await stage.press("enter")
        assert isinstance(stage.app.asked[-1], requests.ReplyRequested)


async def test_code_is_copied_by_hint_and_a_card_and_a_poll_have_labels(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("ada", "general", "soup", "/poll Stew?\nyes\nno")
        code = "```make\nall: one\n```\n\n```\ntwo\n```"
        await stage.server.send("ada", "general", "soup", code)
        await stage.show(stage.topic, "newest")
        await stage.see("two")
        targets = stage.pane.list.targets_in_view()
        kinds = [stage.pane.list.rows.targets_of(key)[number].kind for key, number in targets]
        assert kinds == [TargetKind.VOTE, TargetKind.VOTE, TargetKind.CODE, TargetKind.CODE]
        await stage.press("o", "d", "o", "f")
        assert stage.app.copied == ["all: one", "two"]


async def test_code_is_copied_with_the_tabs_that_the_server_renders_as_blanks(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send(
            "ada", "general", "soup", "Makefile\n```make\nall:\n\tcc x\t# y\n    echo\n```"
        )
        await stage.show(stage.topic, "newest")
        await stage.see("echo")
        await stage.press("o", "a")
        await until(lambda: stage.app.copied == ["all:\n\tcc x\t# y\n    echo"])
        assert stage.app.told[-1] == "Copied the code."


@pytest.mark.parametrize(
    ("code", "source", "copied"),
    [
        ("a\n    b", "```\na\n\tb \n```", "a\n\tb "),
        ("a\n    b", "```\na\n    b\n```", "a\n    b"),
        ("    b", "```\n\tc\n```", "    b"),
        ("a\n    b", "\tb", "a\n    b"),
    ],
)
def test_code_is_looked_for_in_the_source(code: str, source: str, copied: str) -> None:
    assert as_written(code, source) == copied


async def test_a_view_without_messages_offers_nothing_of_the_message_before(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("ada", "general", "soup", "[out](https://x.example/)")
        await stage.show(stage.topic, "newest")
        await until(lambda: ("message.hints", "open link") in stage.pane.selected_hints)
        await stage.show(Narrow.topic(stage.server.channel("general"), "nobody wrote here"))
        await stage.see("No messages here yet")
        assert stage.pane.selected_hints == ()


async def test_a_link_to_a_message_leads_to_where_it_is_now(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        message_id = await stage.server.send("ada", "general", "stew", "moved")
        address = f"#narrow/channel/{stage.server.channel('general')}-general/topic/stew/near/{message_id}"
        await stage.server.call("ada", "PATCH", f"/messages/{message_id}", {"topic": "ragout"})
        await stage.server.send("ada", "general", "soup", f"[there]({stage.server.url}/{address})")
        await stage.show(stage.topic, "newest")
        await stage.see("there")
        await stage.press("o", "a")
        await until(lambda: stage.app.asked)
        asked = stage.app.asked[0]
        assert isinstance(asked, requests.NarrowRequested)
        assert asked.narrow == Narrow.topic(stage.server.channel("general"), "ragout")
        assert asked.message_id == message_id


async def test_a_link_to_a_message_that_is_gone_says_so_and_opens_its_conversation(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        general = stage.server.channel("general")
        message_id = await stage.server.send("ada", "general", "stew", "gone")
        address = f"#narrow/channel/{general}-general/topic/stew/near/{message_id}"
        await stage.server.call("ada", "DELETE", f"/messages/{message_id}")
        await stage.server.send("ada", "general", "soup", f"[there]({stage.server.url}/{address})")
        await stage.show(stage.topic, "newest")
        await stage.see("there")
        await stage.press("o", "a")
        await until(lambda: stage.app.asked)
        asked = stage.app.asked[0]
        assert isinstance(asked, requests.NarrowRequested)
        assert (asked.narrow, asked.message_id) == (Narrow.topic(general, "stew"), None)
        assert stage.app.told == [f"There is no message {message_id}, or you do not have access to it."]


async def test_polls_are_live_and_votable(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup", "/poll Lunch?\nsoup\nsalad")
        await stage.show(stage.topic, "newest")
        await stage.see("○ salad  ──────────────────  0")
        await stage.press("X", "down", "enter")
        await stage.see("◉ salad  ━━━━━━━━━━━━━━━━━━  1  you")
        await stage.press("X", "down", "enter")
        await stage.see("○ salad  ──────────────────  0")


async def test_code_opens_in_the_playground_of_its_language(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        template = "https://play.example/?code={code}"
        playground = {"name": "Play", "pygments_language": "Python", "url_template": template}
        await stage.server.call("ada", "POST", "/realm/playgrounds", playground)
        await stage.server.send("bruno", "general", "soup", "```python\nx = 1 & 2\n```")
        await stage.show(stage.topic, "newest")
        await stage.see("x = 1 & 2")
        await until(lambda: list(stage.session.state.playgrounds))
        await stage.press("E")
        link = stage.app.asked[-1]
        assert isinstance(link, requests.LinkRequested)
        assert link.url == "https://play.example/?code=x%20%3D%201%20%26%202"


async def test_shift_with_a_hint_copies_where_a_link_leads(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup", "[this](https://x.example/a?b=c)")
        await stage.show(stage.topic, "newest")
        await stage.see("this")
        await stage.press("o", "A")
        assert stage.app.copied == ["https://x.example/a?b=c"]
        assert not any(isinstance(one, requests.LinkRequested) for one in stage.app.asked)
        message_id = stage.pane.selected_id
        assert message_id is not None
        stage.pane.parts.links.follow(message_id, Target(TargetKind.LINK, "mailto:ada@x.example", "Ada"))
        assert stage.app.copied[1:] == ["ada@x.example"]


async def test_without_the_optional_dependency_for_images_the_app_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("narrowcast.terminal.images.available", lambda: False)
    async with staged(tmp_path) as stage:
        await stage.show(stage.topic)
        stage.pane.parts.links.open_media(
            Target(TargetKind.MEDIA, "/user_uploads/1/a.png", "a.png", "/user_uploads/1/a.png")
        )
        await stage.asked(1)
        assert "pipx install --force '.[images]'" in stage.app.told[0]
        assert any(isinstance(one, requests.LinkRequested) for one in stage.app.asked)


async def test_every_mode_says_how_to_leave_it_until_it_is_left(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup", "leek [there](https://x.example/)")
        await stage.show(stage.topic, "newest")
        await stage.see("leek")
        for keys in (("o",), ("ctrl+f", *"leek", "enter"), ("shift+down",)):
            await stage.press(*keys)
            await until(lambda: stage.pane.mode_hint.startswith("Esc "))
            await stage.press("escape")
            await until(lambda: stage.pane.mode_hint == "")
        await stage.pilot.click(stage.pane.list, offset=(6, 22), times=2)
        await until(lambda: stage.pane.mode_hint == "Esc cancels · y copies the selected text")
        await stage.press("y")
        await until(lambda: stage.pane.mode_hint == "")
        assert stage.app.copied == ["leek there"]
