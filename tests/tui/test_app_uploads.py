"""Attaching files in compose, on a live account of the embedded server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from textual.geometry import Region

from narrowcast.screens.main.links import follow
from narrowcast.screens.main.moves import follow_topic
from narrowcast.widgets.one_line import OneLine
from narrowcast_api.http.connection import Connection
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols import uploads
from narrowcast_api.wire.messages import UploadResult
from support.screens import edit_newest, edit_own
from support.server import running_server
from support.sessions import until
from support.stage import Stage, on_stage


async def test_a_file_is_attached_and_its_link_stands_in_the_text(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    path.write_text("the plan")
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await stage.type("See ")
        await stage.press("ctrl+t")
        await stage.type(str(path))
        await stage.press("enter")
        await until(lambda: "plan.txt](/user_uploads/" in stage.screen.writing.text.text)
        assert stage.screen.writing.text.text.startswith("See [plan.txt](")


async def test_no_file_is_asked_for_where_the_server_takes_none(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        state = stage.session.state
        state.limits = state.limits._replace(max_file_upload_size_mib=0)
        await stage.in_topic("general", "lunch")
        await stage.press("c", "ctrl+t")
        await stage.told("uploads have been disabled")
        assert stage.app.screen is stage.screen


LINK = "[plan.txt](/user_uploads/plan.txt)"


class SlowUpload:
    """Sends half of a file, then waits for `go_on`."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.starts: list[str | None] = []

    async def __call__(
        self,
        _connection: Connection,
        *,
        path: Path,
        progress: Callable[[int, int], None],
        resume_from: str | None,
        resumable: Callable[[str], None],
    ) -> UploadResult:
        self.starts.append(resume_from)
        progress(50, 100)
        resumable("/api/v1/tus/1")
        await self.go_on.wait()
        return UploadResult(url=f"/user_uploads/{path.name}", filename=path.name)


@contextmanager
def slow_uploads() -> Iterator[SlowUpload]:
    """Makes uploads slow that start within the block."""
    slow = SlowUpload()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(uploads, "upload_file", slow)
        yield slow


@pytest.fixture
def slow() -> Iterator[SlowUpload]:
    """Makes all uploads of a test slow."""
    with slow_uploads() as uploading:
        yield uploading


def row_of(stage: Stage) -> str:
    """The row of the newest upload."""
    rows = stage.screen.writing.uploads.query(OneLine)
    return re.sub(" +", " ", rows.last().plain) if rows else ""


async def attach(stage: Stage, path: Path, slow: SlowUpload) -> None:
    """Attaches a file of 100 bytes; half of it is uploaded."""
    path.write_bytes(b"x" * 100)
    stage.screen.writing.uploads.start(path, stage.screen.writing.links.place)
    await until(lambda: slow.starts)
    stage.screen.writing.uploads.refresh_rows()
    await stage.pilot.pause()


async def test_an_upload_shows_its_progress_is_stopped_resumed_and_dropped(
    tmp_path: Path, slow: SlowUpload
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await attach(stage, tmp_path / "plan.txt", slow)
        assert "plan.txt ━━━━━━━━──────── 50% of 100 B" in row_of(stage)
        assert "Ctrl-x pauses" in row_of(stage)
        await stage.press("ctrl+x")
        assert "paused" in row_of(stage)
        assert "Ctrl-x resumes" in row_of(stage)
        await stage.press("ctrl+x")
        await until(lambda: slow.starts == [None, "/api/v1/tus/1"])
        await stage.press("alt+x")
        assert stage.session.uploads.all() == []
        assert not stage.screen.writing.uploads.query(OneLine)


async def test_sending_during_an_upload_shows_a_notice_and_puts_the_link_into_the_next_text(
    tmp_path: Path, slow: SlowUpload
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await attach(stage, tmp_path / "plan.txt", slow)
        await stage.type("See")
        await stage.press("enter")
        assert "Sent without plan.txt" in stage.notices[-1]
        slow.go_on.set()
        await until(lambda: stage.screen.writing.text.text == "[plan.txt](/user_uploads/plan.txt) ")


async def test_a_link_goes_into_the_draft_of_its_conversation_when_one_writes_elsewhere(
    tmp_path: Path, slow: SlowUpload
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await stage.type("See")
        await attach(stage, tmp_path / "plan.txt", slow)
        await stage.press("escape")
        await stage.in_topic("general", "tea")
        assert "for #general › lunch" in row_of(stage)
        slow.go_on.set()
        await until(lambda: stage.session.uploads.all() == [])
        assert stage.screen.writing.text.text == ""
        assert [draft.content for draft in stage.session.drafts.all()] == [
            "See [plan.txt](/user_uploads/plan.txt) "
        ]
        await stage.told("Its link is in your draft to")


async def test_a_link_does_not_go_into_an_edit_that_was_begun_during_the_upload(
    tmp_path: Path, slow: SlowUpload
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        own = await stage.server.send("ada", "general", "lunch", "my own words")
        await stage.press("c")
        await stage.type("draft text")
        await attach(stage, tmp_path / "plan.txt", slow)
        await stage.press("escape")
        await edit_newest(stage, own)
        slow.go_on.set()
        await stage.told("plan.txt uploaded. Its link is in your draft to #general › lunch.")
        assert stage.screen.writing.text.text == "my own words"
        await stage.press("escape")
        assert stage.screen.writing.text.text == f"draft text {LINK} "


async def test_a_file_that_was_chosen_for_an_edit_is_linked_in_it_and_not_in_the_next_message(
    tmp_path: Path, slow: SlowUpload
) -> None:
    async with on_stage(tmp_path) as stage:
        await edit_own(stage)
        await attach(stage, tmp_path / "plan.txt", slow)
        await stage.type(" and bread")
        await stage.press("escape")
        await stage.press("c")
        await stage.type("Anything else?")
        slow.go_on.set()
        await stage.told("plan.txt uploaded. Its link is in your unsaved edit.")
        assert stage.screen.writing.text.text == "Anything else?"
        assert [edit.content for edit in stage.session.edits.all()] == [f"Soop and bread {LINK} "]


async def test_a_link_stands_apart_from_the_word_before_it(tmp_path: Path, slow: SlowUpload) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await stage.type("See")
        await attach(stage, tmp_path / "plan.txt", slow)
        slow.go_on.set()
        await until(lambda: stage.screen.writing.text.text == f"See {LINK} ")


async def test_a_link_goes_to_the_text_that_was_begun_after_its_file_was_chosen(
    tmp_path: Path, slow: SlowUpload
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.all())
        await stage.press("c")
        await attach(stage, tmp_path / "plan.txt", slow)
        await stage.type("general")
        await stage.press("tab", "tab")
        await stage.type("See")
        draft = stage.screen.writing.draft.id
        await stage.in_topic("engineering", "music")
        await stage.press("c")
        await stage.type("Louder!")
        slow.go_on.set()
        await until(lambda: stage.session.uploads.all() == [])
        assert stage.screen.writing.text.text == "Louder!"
        kept = stage.session.drafts.get(draft or "")
        assert kept is not None
        assert kept.content == f"See {LINK} "


async def test_a_file_that_was_chosen_for_nobody_is_linked_in_a_draft_for_nobody(
    tmp_path: Path, slow: SlowUpload
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.all())
        await stage.press("c")
        await attach(stage, tmp_path / "plan.txt", slow)
        await stage.press("escape")
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        slow.go_on.set()
        await stage.told("plan.txt uploaded. Its link is in Drafts.")
        assert stage.screen.writing.text.text == ""
        (draft,) = stage.session.drafts.all()
        assert (draft.destination, draft.content) == (None, f"{LINK} ")


async def test_each_conversation_shows_how_far_an_upload_is_and_the_one_of_its_text_gets_the_link(
    tmp_path: Path, slow: SlowUpload
) -> None:
    async with on_stage(tmp_path, size=(180, 40)) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await attach(stage, tmp_path / "plan.txt", slow)
        left = stage.screen.conversation
        stage.screen.open_beside(Narrow.topic(stage.server.channel("general"), "supper"))
        await until(lambda: stage.screen.conversation is not left)
        right = stage.screen.conversation
        slow.go_on.set()
        await until(lambda: stage.session.uploads.all() == [])
        await stage.drawn()
        assert [list(one.writing.uploads.query(OneLine)) for one in (left, right)] == [[], []]
        assert [one.writing.text.text for one in (left, right)] == [f"{LINK} ", ""]


async def test_a_link_goes_to_the_new_place_of_a_topic_that_was_moved_during_the_upload(
    tmp_path: Path, slow: SlowUpload
) -> None:
    async with on_stage(tmp_path) as stage:
        old = await stage.in_topic("general", "lunch")
        await stage.press("c")
        await attach(stage, tmp_path / "plan.txt", slow)
        await stage.press("escape")
        new = ChannelDestination(old.channel_id, "supper")
        follow_topic(stage.screen, old, new, is_own=False)
        await stage.go(Narrow.mentions())
        slow.go_on.set()
        await stage.told("plan.txt uploaded. Its link is in your draft to #general › supper.")
        assert [draft.destination for draft in stage.session.drafts.all()] == [new]


async def test_a_row_that_was_just_removed_paints_nothing_and_ends_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        line = OneLine()
        await stage.screen.writing.uploads.mount(line)
        line.show_pieces([("a file", "")])
        await stage.pilot.pause()
        await line.remove()
        strips = line.render_lines(Region(0, 0, 30, 1))
        assert [strip.text.strip() for strip in strips] == [""]


async def test_an_upload_goes_on_after_a_restart_and_its_link_finds_its_draft(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    async with running_server(tmp_path / "server") as server:
        async with on_stage(tmp_path, server=server) as stage:
            await stage.in_topic("general", "lunch")
            await stage.press("c")
            await stage.type("See")
            with slow_uploads() as slow:
                await attach(stage, path, slow)
        async with on_stage(tmp_path, server=server) as stage:
            await until(lambda: stage.session.uploads.all() == [])
            await until(lambda: "plan.txt](/user_uploads/" in stage.screen.writing.text.text)
            assert stage.screen.writing.text.text.startswith("See")


async def test_a_file_that_changed_before_the_restart_says_so_in_its_row(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    async with running_server(tmp_path / "server") as server:
        async with on_stage(tmp_path, server=server) as stage:
            await stage.in_topic("general", "lunch")
            with slow_uploads() as slow:
                await attach(stage, path, slow)
        path.write_bytes(b"another plan")
        async with on_stage(tmp_path, server=server, size=(160, 40)) as stage:
            await until(lambda: "has changed since it was attached" in row_of(stage))
            assert "Resume to send the new version, or cancel it." in stage.notices[-1]
            await stage.press("c", "ctrl+x")
            await until(lambda: stage.session.uploads.all() == [])


async def test_a_file_of_the_organization_is_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "new" / "downloads"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(folder))
    async with on_stage(tmp_path) as stage:
        files = {"file": ("plan.txt", b"the plan", "text/plain")}
        sent = (await stage.server.raw("ada", "POST", "/user_uploads", files=files)).json()
        follow(stage.screen, f"{stage.server.url}{sent['url']}", "plan.txt")
        await until(lambda: any(notice.startswith("Downloaded to") for notice in stage.notices))
        assert (folder / "plan.txt").read_bytes() == b"the plan"
