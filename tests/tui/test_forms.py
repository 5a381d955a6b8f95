"""Forms: what is typed is validated, kept, and sent once."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Iterator
from pathlib import Path

from textual import events

import narrowcast
from narrowcast.config.config import Config
from narrowcast.screens.dialogs.form import FormScreen, read_only_form
from narrowcast.screens.dialogs.form_fields import (
    ChannelName,
    LineField,
    OneOf,
    People,
    Text,
    UnusableValue,
    Values,
    YesNo,
)
from narrowcast.screens.dialogs.progress import ProgressScreen
from narrowcast.screens.own.alert_words import AlertWordsScreen
from narrowcast.widgets.transfer_row import done
from narrowcast_api import permissions
from narrowcast_api.errors import BadRequest
from narrowcast_api.http.encoding import OMIT
from narrowcast_api.wire.levels import Gate
from support.fault_proxy import Fault
from support.screens import form_of, screen_rows, screen_text
from support.sessions import until
from support.stage import Stage, behind_proxy, on_stage, run


async def opened(stage: Stage, form: FormScreen) -> list[object]:
    """Opens a form; its result is appended to the returned list."""
    results: list[object] = []
    await stage.app.push_screen(form, results.append)
    await stage.pilot.pause()
    return results


def reasons_in(tree: ast.AST) -> Iterator[str]:
    """The texts in a module that say why an entry is disabled."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        given = [keyword.value for keyword in call.keywords if keyword.arg in ("needs", "disabled", "short")]
        if isinstance(call.func, ast.Name) and call.func.id == "Refusal":
            given += call.args[1:]
        for part in (part for value in given for part in ast.walk(value)):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value


def test_why_an_entry_is_disabled_begins_small_and_is_no_sentence() -> None:
    """It stands beside the entry, and behind its name and a colon."""
    folders = [Path(str(module.__file__)).parent for module in (narrowcast, permissions)]
    texts = [path.read_text("utf-8") for folder in folders for path in folder.rglob("*.py")]
    told = [text for text in texts if any(word in text for word in ("needs=", "disabled=", "Refusal("))]
    reasons = [reason for text in told for reason in reasons_in(ast.parse(text))]
    reasons += [gate.unsupported(1) for gate in Gate]
    assert {"built-in name", "only within ", "private channels only"} <= set(reasons)
    assert [reason for reason in reasons if reason[:1].isupper() or reason.endswith(".")] == []


def said(form: FormScreen) -> str:
    return form.shown_problems


async def test_a_form_is_filled_in_by_keys_and_sent_from_its_last_field(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        taken: list[Values] = []

        async def submit(values: Values) -> str:
            taken.append(values)
            return "done"

        fields = [
            LineField("name", "Name", required=True),
            YesNo("private", "Private"),
            LineField("old", "Old", value="as it was", needs="needs level 999"),
            OneOf("kind", "Kind", options=[(1, "one"), (2, "two")], value=1),
            People("people", "People"),
            ChannelName("where", "Channel"),
        ]
        results = await opened(stage, FormScreen("A form", fields, state=stage.session.state, submit=submit))
        await stage.type("soup")
        await stage.press("enter", "space", "tab", "right", "tab")
        await stage.type("brun")
        await stage.press("tab")
        await stage.type(",Ada Moreno")
        await stage.press("tab")
        await stage.type("engin")
        await stage.press("enter")
        await until(lambda: results == ["done"])
        (values,) = taken
        assert (values.text("name"), values.flag("private"), values["kind"]) == ("soup", True, 2)
        assert values.ids("people") == (stage.server.id("bruno"), stage.server.id("ada"))
        assert values.channel("where") == stage.server.channel("engineering")
        assert values.new_text("old") is OMIT


async def test_enter_completes_one_person_after_the_other_before_it_sends_the_form(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        taken: list[Values] = []

        async def submit(values: Values) -> bool:
            taken.append(values)
            return True

        form = FormScreen("A form", [People("people", "People")], state=stage.session.state, submit=submit)
        results = await opened(stage, form)
        for letters in ("@brun", "dar"):
            await stage.type(letters)
            await stage.press("enter")
        assert form.row("people").typed == "Bruno Castell, Dario Vance, "
        await stage.press("enter")
        await until(lambda: results == [True])
        assert taken[0].ids("people") == (stage.server.id("bruno"), stage.server.id("dario"))


async def test_a_refusal_is_said_in_the_form_and_everything_typed_stays(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        problems: list[Exception] = [
            BadRequest("BAD_REQUEST", "That name [/b] is taken", 400, {}),
            UnusableValue("text", "Write more."),
        ]

        async def submit(values: Values) -> None:
            if problems:
                raise problems.pop(0)

        fields = [LineField("name", "Name", required=True, limit=5), Text("text", "Text")]
        form = FormScreen("A form", fields, state=stage.session.state, submit=submit)
        results = await opened(stage, form)
        await stage.press("ctrl+d")
        assert "This field is required" in said(form)
        await stage.type("soups!")
        await stage.press("ctrl+d")
        assert "1 character over the limit" in said(form)
        await stage.press("backspace", "ctrl+d")
        await until(lambda: "[/b] is taken" in said(form))
        await stage.press("ctrl+d")
        await until(lambda: "Write more." in said(form))
        assert form.focused is form.row("text").control
        await stage.press("escape")
        assert "unsaved changes" in said(form)
        await stage.type("More")
        assert "unsaved changes" not in said(form), "the next Esc asks again"
        await stage.press("escape")
        assert "unsaved changes" in said(form)
        assert form.row("name").typed == "soups"
        await stage.press("ctrl+d")
        await until(lambda: results == [True])


async def test_a_form_that_nobody_touched_is_left_at_once(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:

        async def submit(values: Values) -> None:
            raise AssertionError

        form = FormScreen("A form", [LineField("a", "A")], state=stage.session.state, submit=submit)
        results = await opened(stage, form)
        await stage.press("escape")
        assert results == [None]


async def test_any_act_can_have_a_key_of_the_users_choice(tmp_path: Path) -> None:
    config = Config(keys={"own.alert-words": "f7"})
    async with on_stage(tmp_path, config=config) as stage:
        await stage.press("f7")
        await until(lambda: isinstance(stage.app.screen, AlertWordsScreen))


async def test_what_is_typed_right_after_the_key_lands_in_the_form(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup")
        await until(lambda: stage.screen.messages.selected_id is not None)
        for key, character in (("m", "m"), ("exclamation_mark", "!"), ("question_mark", "?")):
            stage.app.post_message(events.Key(key, character))
        form = await form_of(stage)
        await until(lambda: form.row("topic").typed == "!?")


async def test_without_a_network_a_form_stays_as_typed_and_is_sent_when_it_is_back(tmp_path: Path) -> None:
    async with behind_proxy(tmp_path, size=(80, 24)) as (stage, proxy):
        server = stage.server
        await run(stage, "own.status")
        await stage.type("at lunch")
        proxy.fail(Fault.LOST_BEFORE, "POST", "/api/v1/users/me/status", times=1)
        await stage.press("ctrl+d")
        form = await form_of(stage)
        await until(lambda: "onnection" in said(form))
        assert form.row("text").typed == "at lunch"
        await stage.press("ctrl+d")
        await stage.closed()
        status = (await server.call("ada", "GET", f"/users/{server.id('ada')}/status"))["status"]
        assert status["status_text"] == "at lunch"


async def test_a_form_that_was_saved_below_another_dialog_closes_after_that_one(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        saved, ended = asyncio.Event(), asyncio.Event()

        async def submit(values: Values) -> None:
            await saved.wait()
            ended.set()

        form = FormScreen("A form", [LineField("name", "Name")], state=stage.session.state, submit=submit)
        results = await opened(stage, form)
        await stage.press("ctrl+d", "f1")
        over = stage.app.screen
        assert over is not form
        saved.set()
        await ended.wait()
        await stage.pilot.pause()
        assert (stage.app.screen, results) == (over, [])
        await stage.press("escape")
        await until(lambda: results == [True])
        assert stage.app.screen is stage.screen


async def test_a_refusal_after_a_form_was_closed_has_what_was_typed(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        responded = asyncio.Event()

        async def submit(values: Values) -> None:
            await responded.wait()
            raise UnusableValue("name", "This name is taken.")

        fields = [
            LineField("name", "Name", value="soup"),
            LineField("note", "Note"),
            LineField("password", "Password", secret=True),
        ]
        form = FormScreen("A form", fields, state=stage.session.state, submit=submit)
        await opened(stage, form)
        await stage.press("tab")
        await stage.type("for whoever is hungry")
        await stage.press("tab", *"secret", "ctrl+d", "escape", "escape")
        await stage.closed()
        responded.set()
        await until(lambda: stage.notices == ["This name is taken. You typed: Note: for whoever is hungry"])


async def test_a_task_in_rounds_shows_its_progress_and_stops_when_asked(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        go_on = asyncio.Event()

        async def work(progress: ProgressScreen) -> str:
            progress.show(done(3, 4, "round"))
            await go_on.wait()
            return "stopped" if progress.stopped else "all done"

        screen = ProgressScreen("Deleting", work)
        await stage.app.push_screen(screen)
        await until(lambda: "━━━━────  75% of 4 rounds" in screen_text(screen))
        await stage.press("escape")
        await until(lambda: "75% of 4 rounds  Stopping…" in screen_text(screen))
        go_on.set()
        await until(lambda: stage.notices[-1:] == ["stopped"])
        assert stage.app.screen is stage.screen


async def test_an_error_is_shown_below_its_field_until_it_is_corrected(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "channel.new")
        form = await form_of(stage)
        await stage.press("ctrl+d")
        assert form.row("name").has_problem
        assert form.focused is form.row("name").control
        assert "This field is required." in form.shown_problems
        await stage.type("k")
        assert not form.row("name").has_problem
        assert form.shown_problems.strip() == ""


async def test_typing_replaces_an_existing_value_and_appends_to_a_list(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.server.send("bruno", "general", "soup")
        await until(lambda: stage.screen.messages.selected_id is not None)
        await stage.press("m")
        form = await form_of(stage)
        await stage.type("x")
        assert form.row("topic").typed == "x"
        await stage.press("tab")
        await stage.type("des")
        assert form.row("channel").typed == "des"


async def test_tab_in_a_list_of_people_adds_the_comma_and_emoji_are_shown(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "people.muted")
        await stage.press("n")
        form = await form_of(stage)
        await stage.type("bru")
        await stage.press("tab")
        assert form.row("people").typed == "Bruno Castell, "
        await stage.type("dar")
        await stage.press("tab")
        assert form.row("people").typed == "Bruno Castell, Dario Vance, "
        await stage.press("escape", "escape", "escape")
        await run(stage, "own.status")
        status = await form_of(stage)
        await stage.press("tab")
        await stage.type("tad")
        await until(lambda: "🎉 tada" in screen_text(status))


async def test_a_long_note_and_the_title_are_read_in_full_on_a_small_screen(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:

        async def submit(values: Values) -> None: ...

        title = "Where the pots go when they are old"
        note = (
            "They leave the kitchen at once, and their lids with them. Nobody brings them back before Monday."
        )
        fields = [LineField(f"pot{number}", f"Pot {number}") for number in range(30)]
        form = FormScreen(title, fields, state=stage.session.state, submit=submit, verb="sends", note=note)
        await stage.app.push_screen(form)
        await stage.pilot.pause()
        rows = screen_rows(form)
        assert any(title in row for row in rows)
        assert any("before Monday." in row for row in rows)
        assert sum("╰──" in row for row in rows) == 1


async def test_a_form_that_can_only_be_read_names_the_key_that_closes_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:

        async def submit(values: Values) -> None:
            raise AssertionError

        fields = [LineField("name", "Name", value="iron"), Text("text", "Text", value="old")]
        state = stage.session.state
        form = read_only_form(
            "A pot", fields, state=state, submit=submit, verb="saves", note="Not for guests."
        )
        results = await opened(stage, form)
        shown = screen_text(form)
        assert "Esc closes" in shown
        assert "saves" not in shown
        await stage.press("escape")
        assert results == [None]


async def test_a_long_form_has_sections_and_keeps_them_apart_where_rows_are_few(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "channel.new")
        form = await form_of(stage)
        await until(lambda: "ACCESS" in screen_text(form))
        rows = [row.strip(" │") for row in screen_rows(form)]
        heading = next(number for number, row in enumerate(rows) if row.endswith("ACCESS"))
        assert rows[heading + 1].endswith("Who can access this channel")
        apart = {row.field.name for row in form.rows if row.has_class("-apart")}
        assert apart == {row.field.name for row in form.rows if row.field.section}


async def test_with_room_for_all_every_field_stands_apart_and_the_first_section_needs_no_heading(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, size=(120, 40)) as stage:

        async def submit(_values: Values) -> object:
            return None

        fields = [LineField("name", "Name", section="First"), LineField("place", "Place", section="Second")]
        form = FormScreen("Pot", fields, state=stage.session.state, submit=submit)
        await stage.app.push_screen(form)
        await until(lambda: "SECOND" in screen_text(form))
        assert "FIRST" not in screen_text(form)
        assert [row.has_class("-apart") for row in form.rows] == [False, True]
