"""What administrators configure: linkifiers, playgrounds, emoji, profile fields, domains."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Static

from narrowcast.panes.compose.completion import completions_at
from narrowcast.screens.dialogs.form import FormScreen
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.organization.exports import ExportsScreen
from narrowcast.screens.organization.profile_fields import choices_data
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.resources.linkifiers import Linkifier
from narrowcast_api.resources.profile_fields import ProfileField
from narrowcast_api.sync.video_calls import provider_of
from narrowcast_server.resources import exports, linkifiers, profile_fields
from support.altered_servers import offering
from support.screens import answer, choices, choose, confirm, fill, form_of, rows, said, screen_text
from support.sessions import until
from support.stage import Stage, on_stage, run
from support.uploads import PIXEL


async def listed(stage: Stage, path: str, name: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = (await stage.server.call("ada", "GET", path))[name]
    return found


def completed(stage: Stage, typed: str) -> list[str]:
    offered = completions_at(stage.session.state, typed, len(typed))
    return [one.label for one in offered.completions] if offered is not None else []


async def test_linkifiers_are_made_changed_ordered_and_removed(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "organization.linkifiers")
        for letter in "ab":
            await stage.press("n")
            template = f"https://{letter}.example/{{n}}"
            await fill(stage, pattern=f"{letter}-(?P<n>[0-9]+)", url_template=template)
            await until(lambda letter=letter: any(f"{letter}-(" in row for row in rows(stage)))  # type: ignore[misc]
        made = stage.app.screen
        assert isinstance(made, ManageScreen)
        assert made.list.selected_item is not None
        assert made.list.selected_item.text.startswith("b-"), "what was made last is selected"
        await stage.press("g", "enter")
        await fill(stage, url_template="https://c.example/{n}")
        await until(lambda: "c.example" in rows(stage)[0])
        await stage.press("plus")
        await until(lambda: "b.example" in rows(stage)[0])
        there = await listed(stage, "/realm/linkifiers", "linkifiers")
        assert [row["url_template"] for row in there] == ["https://b.example/{n}", "https://c.example/{n}"]
        await stage.press("x")
        await choose(stage, "Delete linkifier")
        await until(lambda: len(rows(stage)) == 1)
        assert len(await listed(stage, "/realm/linkifiers", "linkifiers")) == 1


async def test_templates_for_pasted_links_are_changed_and_kept(tmp_path: Path) -> None:
    path = "/realm/filters/{filter_id}"
    with offering(path, routes=linkifiers.routes, method="PATCH") as change:
        async with on_stage(tmp_path, size=(80, 24)) as stage:
            stage.at_level(478)
            stage.session.state.linkifiers.put(
                [Linkifier(1, "#(?P<n>[0-9]+)", "https://bugs.example/{n}", "#1", "#{n}")]
            )
            await run(stage, "organization.linkifiers")
            await stage.press("enter")
            await fill(stage, alternative_url_templates="https://old.example/{n}\n\n https://x.example/{n}")
            await until(lambda: change.asked is not None)
    assert change.asked == {
        "pattern": "#(?P<n>[0-9]+)",
        "url_template": "https://bugs.example/{n}",
        "example_input": "#1",
        "reverse_template": "#{n}",
        "alternative_url_templates": '["https://old.example/{n}","https://x.example/{n}"]',
    }


async def test_an_error_of_the_library_is_shown_in_the_form_and_the_input_stays(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "organization.linkifiers")
        await stage.press("n")
        await fill(stage, pattern="x", url_template="https://x.example/{")
        form = await form_of(stage)
        await until(lambda: "unmatched brace" in form.shown_problems)
        assert form.row("url_template").typed == "https://x.example/{"
        assert await listed(stage, "/realm/linkifiers", "linkifiers") == []


async def test_a_playground_is_made_and_removed(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "organization.playgrounds")
        await stage.press("n")
        await fill(stage, language="Python", name="Try it", url_template="https://try.example/?c={code}")
        await until(lambda: any("Try it" in row for row in rows(stage)))
        await stage.press("x")
        await choose(stage, "Delete playground")
        await until(lambda: rows(stage) == [])


async def test_an_emoji_is_added_from_a_file_and_taken_out_of_use(tmp_path: Path) -> None:
    picture = tmp_path / "Big Tea.png"
    picture.write_bytes(PIXEL)
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "organization.emoji")
        await stage.press("n")
        await stage.type(str(picture))
        await stage.press("enter")
        await fill(stage)
        await until(lambda: any(":big_tea:" in row for row in rows(stage)))
        assert completed(stage, ":big_te")[0] == ":big_tea:"
        await stage.press("x")
        await choose(stage, "Deactivate emoji")
        await until(lambda: rows(stage) == [])
        assert ":big_tea:" not in completed(stage, ":big_te")


async def test_a_file_that_is_not_an_image_is_asked_for_again_first(tmp_path: Path) -> None:
    notes, large = tmp_path / "notes.txt", tmp_path / "large.png"
    notes.write_text("no picture")
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        large.write_bytes(PIXEL + bytes(stage.session.state.limits.max_file_upload_size_mib * 2**20))
        await run(stage, "organization.emoji")
        await stage.press("n")
        for path, reason in ((notes, "Not a PNG"), (large, "larger than"), (tmp_path, "This is a folder")):
            question = await answer(stage, str(path))
            assert reason in question.key_line.said
            assert (stage.app.screen, question.editor.text) == (question, str(path))


async def test_profile_fields_are_made_changed_ordered_and_removed(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 40)) as stage:
        await run(stage, "organization.fields")
        await stage.press("n")
        await fill(stage, name="Team", type=3, choices="red\nblue")
        await until(lambda: any("Team" in row for row in rows(stage)))
        await stage.press("n")
        await fill(stage, name="Desk", hint="Where you sit")
        await until(lambda: len(rows(stage)) == 2)
        await stage.press("g", "enter")
        await fill(stage, choices="blue\ngreen")
        await until(lambda: any("green" in row for row in rows(stage)))
        await stage.press("plus")
        await until(lambda: "Desk" in rows(stage)[0])
        fields = await listed(stage, "/realm/profile_fields", "custom_fields")
        assert {str(field["name"]) for field in fields} == {"Team", "Desk"}
        [team] = [field for field in fields if field["name"] == "Team"]
        assert '"1"' in str(team["field_data"])
        await stage.press("x")
        await choose(stage, "Delete field")
        await until(lambda: len(rows(stage)) == 1)


async def test_users_are_found_by_a_profile_field_if_that_is_chosen(tmp_path: Path) -> None:
    path = "/realm/profile_fields/{field_id}"
    with offering(path, {}, routes=profile_fields.routes, method="PATCH") as change:
        async with on_stage(tmp_path, size=(80, 24)) as stage:
            stage.at_level(455)
            stage.session.state.profile_fields.put(
                [ProfileField(1, "Team", 1, "", "", 0, False, True, False)]
            )
            await run(stage, "organization.fields")
            await stage.press("enter")
            await fill(stage, matching=True)
            await until(lambda: change.asked is not None)
            assert change.asked is not None
            assert change.asked["use_for_user_matching"] == "true"


def test_existing_choices_keep_their_keys_and_new_ones_get_new_keys() -> None:
    data = choices_data(["blue", "green"], {"0": "red", "1": "blue"})
    assert data == {"1": {"text": "blue", "order": "1"}, "2": {"text": "green", "order": "2"}}


async def test_domains_are_added_changed_and_removed(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "organization.domains")
        await stage.press("n")
        await fill(stage, domain="example.com")
        await until(lambda: rows(stage) != [])
        await stage.press("enter")
        await until(lambda: "subdomains allowed" in rows(stage)[0])
        assert await listed(stage, "/realm/domains", "domains") == [
            {"domain": "example.com", "allow_subdomains": True}
        ]
        await stage.press("x")
        await choose(stage, "Remove domain")
        await until(lambda: rows(stage) == [])


async def test_domains_that_others_change_are_shown(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "organization.domains")
        await until(lambda: "No allowed domains" in screen_text(stage.app.screen))
        await stage.server.call(
            "ada", "POST", "/realm/domains", {"domain": "new.example", "allow_subdomains": False}
        )
        await until(lambda: any("new.example" in row for row in rows(stage)))
        await stage.server.call("ada", "DELETE", "/realm/domains/new.example")
        await until(lambda: "No allowed domains" in screen_text(stage.app.screen))


@pytest.mark.parametrize(
    ("screen", "who"),
    [
        ("linkifiers", "Only organization administrators can change linkifiers"),
        ("playgrounds", "Only organization administrators can change code playgrounds"),
        ("fields", "Only organization administrators can change profile fields"),
        ("domains", "Only organization owners can change allowed domains"),
        ("settings", "Only organization administrators can change these settings"),
    ],
)
async def test_a_member_reads_and_is_told_who_may_change(tmp_path: Path, screen: str, who: str) -> None:
    async with on_stage(tmp_path, person="greta", size=(120, 30)) as stage:
        await run(stage, f"organization.{screen}")
        await until(lambda: who in said(stage))
        await stage.press("n", "x")
        assert not isinstance(stage.app.screen, FormScreen)


async def test_the_organization_gets_an_icon_and_loses_it(tmp_path: Path) -> None:
    picture = tmp_path / "icon.png"
    picture.write_bytes(PIXEL)
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "organization.pictures")
        await choose(stage, "Upload organization icon")
        await answer(stage, str(picture))
        settings = stage.server.organization.settings
        await until(lambda: stage.server.organization.settings["icon_picture"] is not None)
        await until(lambda: "Picture changed." in stage.notices)
        assert settings["logo_picture"] is None
        await run(stage, "organization.pictures")
        reasons = {choice.text: choice.disabled for choice in choices(stage)}
        assert (reasons["Delete logo"], reasons["Delete organization icon"]) == ("none uploaded", "")
        await choose(stage, "Delete organization icon")
        await choose(stage, "Cancel")
        await run(stage, "organization.pictures")
        assert stage.server.organization.settings["icon_picture"] is not None
        await choose(stage, "Delete organization icon")
        await choose(stage, "Delete picture")
        await until(lambda: stage.server.organization.settings["icon_picture"] is None)


async def test_the_organization_is_deactivated_only_by_its_name(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "organization.deactivate")
        await fill(stage, name="Demp")
        form = await form_of(stage)
        await until(lambda: form.row("name").has_problem)
        await fill(stage, name=stage.server.organization.settings["name"])
        # The embedded server rejects this with its own error: the request has reached it.
        await until(lambda: "its operator can stop it" in form.shown_problems)


async def test_exports_are_listed_with_how_they_stand(tmp_path: Path) -> None:
    listed: list[object] = [
        {"id": 1, "export_time": 1_700_000_000, "export_url": "/exports/1.tar.gz", "export_type": 1},
        {"id": 2, "export_time": 1_700_000_100, "pending": True, "export_type": "full_with_consent"},
        {
            "id": 3,
            "export_time": 1_700_000_200,
            "failed_timestamp": 1_700_000_300,
            "export_type": "public",
        },
        {
            "id": 4,
            "export_time": 1_700_000_400,
            "export_url": None,
            "export_type": "public",
            "export_from_prior_server": True,
        },
    ]
    with offering("/export/realm", {"exports": listed}, routes=exports.routes, method="GET"):
        async with on_stage(tmp_path, size=(120, 30)) as stage:
            await run(stage, "organization.exports")
            await until(lambda: len(rows(stage)) == 4)
            elsewhere, newest, older, oldest = rows(stage)
            assert " Nov 2023 " in oldest
            assert "made on the organization's earlier server" in elsewhere
            await stage.press("g", "x")
            assert isinstance(stage.app.screen, ExportsScreen), "its file cannot be deleted here"
            assert "failed" in newest
            assert "being prepared" in older
            assert "users who consented" in older
            assert "complete" in oldest


async def test_an_export_is_begun_is_complete_by_itself_and_deleted(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 30)) as stage:
        await run(stage, "organization.exports")
        await until(lambda: "No exports" in screen_text(stage.app.screen))
        await stage.press("n")
        form = await form_of(stage)
        assert "users consented." in str(form.query_one("#note", Static).render())
        await fill(stage)
        await until(lambda: isinstance(stage.app.screen, ExportsScreen) and bool(rows(stage)))
        await until(lambda: "complete" in rows(stage)[0])
        await stage.press("x")
        await until(lambda: "Delete the export of public data from " in screen_text(stage.app.screen))
        await confirm(stage)
        await until(lambda: "deleted" in rows(stage)[0])


async def test_a_call_is_linked_with_the_provider_of_the_organization(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.go(Narrow.topic(stage.server.channel("general"), "soup"))
        await run(stage, "write.call")
        assert stage.notices[-1] == "This organization has no video calls."
        change = {"video_chat_provider": 1, "jitsi_server_url": "https://meet.example.org"}
        await stage.server.call("ada", "PATCH", "/realm", change)
        await until(lambda: provider_of(stage.session.state) == "jitsi_meet")
        await until(lambda: stage.session.state.organization.text("jitsi_server_url") != "")
        await run(stage, "write.call")
        await until(lambda: "[Join video call.](https://meet.example.org/" in stage.screen.writing.text.text)
        await stage.type(" and ")
        await run(stage, "write.call")
        await until(lambda: stage.screen.writing.text.text.count("[Join video call.]") == 2)


async def test_summaries_are_offered_where_the_server_has_them(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.go(Narrow.topic(stage.server.channel("general"), "soup"))
        await run(stage, "topic.summarize")
        assert stage.notices[-1] == "This server does not offer AI summaries."
        stage.session.state.offers = stage.session.state.offers._replace(summaries=True)
        await run(stage, "topic.summarize")
        await stage.told("AI features are not enabled")
