"""Invitations in the app: by email and by link."""

from __future__ import annotations

import json
from pathlib import Path

from narrowcast.screens.organization.invitations import InvitationsScreen
from support.screens import choices, choose, fill, form_of, rows, said
from support.server import TestServer
from support.sessions import until
from support.stage import Stage, on_stage, run


async def invitations(stage: Stage) -> list[dict[str, object]]:
    invites: list[dict[str, object]] = (await stage.server.call("ada", "GET", "/invites"))["invites"]
    return invites


async def opened(stage: Stage) -> None:
    await run(stage, "people.invitations")
    assert isinstance(stage.app.screen, InvitationsScreen)


async def test_who_has_an_account_already_is_named_and_the_others_are_invited(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await opened(stage)
        await stage.press("n")
        bruno = stage.server.user("bruno").delivery_email
        await fill(stage, emails=f"new@demo.example, {bruno}", role=600, expires=60 * 24, channels="general")
        await until(lambda: choices(stage))
        assert [choice.text for choice in choices(stage)] == [f"{bruno}: Already has an account."]
        await stage.press("escape")
        await until(lambda: any("new@demo.example" in row and "guest" in row for row in rows(stage)))
        [invitation] = await invitations(stage)
        assert invitation["email"] == "new@demo.example"
        assert invitation["invited_as"] == 600


async def test_where_nobody_was_invited_the_form_says_why_and_keeps_the_addresses(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await opened(stage)
        await stage.press("n")
        await fill(stage, emails="new@demo.example nonsense")
        form = await form_of(stage)
        await until(lambda: "Nobody was invited. nonsense: Invalid address" in form.shown_problems)
        assert await invitations(stage) == []
        await fill(stage, emails="new@demo.example")
        await until(lambda: [choice.text for choice in choices(stage)] == ["Copy link for new@demo.example"])


async def test_names_of_channels_and_groups_are_completed_with_their_signs_too(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await opened(stage)
        await stage.press("l")
        form = await form_of(stage)
        await stage.press("tab", "tab", "tab")
        for letters in ("#gen", "desi"):
            await stage.type(letters)
            await stage.press("tab")
        assert form.row("channels").typed == "general, design, "
        await fill(stage, channels="#general, Design, nowhere")
        await until(lambda: "No channel named 'nowhere' can be chosen here" in form.shown_problems)
        await fill(stage, channels="#general, Design", defaults=False)
        await until(lambda: len(rows(stage)) == 1)
        [chosen] = stage.server.organization.store.all("SELECT channel_ids FROM invites")
        assert json.loads(chosen["channel_ids"]) == [
            stage.server.channel(name) for name in ("general", "design")
        ]


async def test_a_link_is_made_copied_and_revoked(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await opened(stage)
        await stage.press("l")
        await fill(stage, expires=None)
        await until(lambda: any("never expires" in row for row in rows(stage)))
        [invitation] = await invitations(stage)
        assert stage.app.clipboard == invitation["link_url"]
        await stage.press("x")
        await choose(stage, "Revoke")
        await until(lambda: rows(stage) == [])
        assert await invitations(stage) == []


async def test_a_server_without_mail_gives_a_link_to_copy_for_each_invitation(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await opened(stage)
        await stage.press("n")
        await fill(stage, emails="new@demo.example, other@demo.example")
        await choose(stage, "Copy link for other@demo.example")
        links = {str(one["email"]): str(one["link_url"]) for one in await invitations(stage)}
        assert stage.app.clipboard == links["other@demo.example"]
        screen = stage.app.screen
        assert isinstance(screen, InvitationsScreen)
        screen.list.select_key(
            (False, next(row.value.id for row in screen.list.items if row.text == "new@demo.example"))
        )
        await stage.press("r")
        await choose(stage, "Copy link for new@demo.example")
        assert stage.app.clipboard == links["new@demo.example"]
        await stage.press("enter")
        await choose(stage, "Revoke")
        await choose(stage, "Revoke")
        await until(lambda: len(rows(stage)) == 1)


async def test_an_invitation_is_sent_again_and_revoked(tmp_path: Path, mailing: TestServer) -> None:
    async with on_stage(tmp_path, size=(80, 24), server=mailing) as stage:
        await opened(stage)
        await stage.press("n")
        await fill(stage, emails="new@demo.example")
        await until(lambda: any("new@demo.example" in row for row in rows(stage)))
        await stage.press("r")
        await until(lambda: "resent" in said(stage))
        await stage.press("enter")
        await choose(stage, "Revoke")
        await choose(stage, "Revoke")
        await until(lambda: rows(stage) == [])
        assert await invitations(stage) == []


async def test_an_action_is_for_the_invitation_that_it_was_chosen_for(
    tmp_path: Path, mailing: TestServer
) -> None:
    async with on_stage(tmp_path, size=(80, 24), server=mailing) as stage:
        await opened(stage)
        await stage.press("n")
        await fill(stage, emails="one@demo.example, two@demo.example")
        await until(lambda: len(rows(stage)) == 2)
        screen = stage.app.screen
        assert isinstance(screen, InvitationsScreen)
        chosen, other = (row.value for row in screen.list.items)
        await stage.press("enter")
        await mailing.call("ada", "DELETE", f"/invites/{chosen.id}")
        await until(lambda: [row.value for row in screen.list.items] == [other])
        await choose(stage, "Resend")
        await until(lambda: "nvitation" in said(stage))
        assert "resent" not in said(stage)


async def test_an_administrator_chooses_what_the_invited_are_told(tmp_path: Path) -> None:
    def told() -> list[str | None]:
        return [
            row["welcome"]
            for row in stage.server.organization.store.all("SELECT welcome FROM invites ORDER BY id")
        ]

    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await opened(stage)
        await stage.press("n")
        await fill(stage, emails="new@demo.example", welcome_message_custom_text="Ask *Ada*.")
        await until(lambda: told() == ["Ask *Ada*."])
        await stage.press("escape")
        await stage.press("l")
        await fill(stage, expires=None)
        await until(lambda: told() == ["Ask *Ada*.", None])
    async with on_stage(tmp_path / "member", person="dario", size=(80, 24)) as stage:
        await opened(stage)
        await stage.press("n")
        form = await form_of(stage)
        assert "welcome_message_custom_text" not in [row.field.name for row in form.rows]
        await fill(stage, emails="new@demo.example")
        await until(lambda: told() == [None])


async def test_a_guest_is_told_who_invites(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="hugo", size=(80, 24)) as stage:
        await opened(stage)
        await until(lambda: "Guests cannot invite people" in said(stage))
        await stage.press("n")
        assert isinstance(stage.app.screen, InvitationsScreen)
