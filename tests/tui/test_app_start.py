"""Starting the app: with an account, without one, without a network, with an invalid file."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from narrowcast.app.app import NarrowcastApp
from narrowcast.app.sign_in import login_refusal, password_link
from narrowcast.cli import login
from narrowcast.cli.main import main
from narrowcast.cli.outcome import CommandError, Exit
from narrowcast.keys.registry import by_id
from narrowcast.screens.messages.drafts import ConflictScreen, DraftsScreen
from narrowcast.screens.start.login import LoginScreen
from narrowcast.screens.start.welcome import WelcomeScreen
from narrowcast.terminal.paths import Paths
from narrowcast.widgets.editor import Editor
from narrowcast_api.account import Account
from narrowcast_api.http.secret import Secret
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.resources.drafts import DraftVersion
from narrowcast_api.storage.records import Draft
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.routes import auth
from support import world
from support.altered_servers import offering
from support.fault_proxy import FaultProxy
from support.screens import screen_text
from support.server import TestServer, running_server
from support.sessions import until
from support.stage import notices, on_stage


def shown(app: NarrowcastApp) -> str:
    """The screen as text."""
    return screen_text(app.screen)


async def test_without_an_account_one_signs_in_from_the_welcome_screen(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        app = NarrowcastApp("welcome", paths=Paths.under(tmp_path / "home"))
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: isinstance(app.screen, WelcomeScreen))
            await pilot.press("s")
            await until(lambda: isinstance(app.screen, LoginScreen))
            app.screen.query_one("#site", Editor).text = server.url
            app.screen.query_one("#email", Editor).text = "ada@demo.example"
            app.screen.query_one("#secret", Editor).text = "wrong"
            app.screen.query_one("#secret", Editor).focus()
            await pilot.press("enter")
            await until(lambda: "incorrect" in shown(app))
            assert isinstance(app.screen, LoginScreen)
            await pilot.press("escape")
            await until(lambda: "again to discard" in shown(app))
            assert app.screen.query_one("#site", Editor).text == server.url
            app.screen.query_one("#secret", Editor).text = world.PASSWORD
            await pilot.press("enter")
            await until(lambda: app.accounts.session is not None and app.accounts.session.is_live)
            assert (tmp_path / "home" / "config" / "accounts").is_dir()
            assert world.PASSWORD not in shown(app)
            await app.accounts.close()


async def test_blanks_at_the_ends_belong_to_a_password_and_not_to_a_key(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        new = " a long secret "
        await server.call("ada", "PATCH", "/settings", {"old_password": world.PASSWORD, "new_password": new})
        for secret in (new, f" {server.account('ada').key.reveal()}\n"):
            app = NarrowcastApp("welcome", paths=Paths.under(tmp_path / "home"))
            async with app.run_test(size=(80, 24)) as pilot:
                await app.push_screen(LoginScreen(server.url))
                app.screen.query_one("#email", Editor).text = "ada@demo.example"
                app.screen.query_one("#secret", Editor).text = secret
                if secret != new:
                    await app.perform(by_id()["login.key"])
                app.screen.query_one("#secret", Editor).focus()
                await pilot.press("enter")
                await until(lambda app=app: app.accounts.session is not None)  # type: ignore[misc]
                await app.accounts.close()


async def test_a_login_that_hangs_is_canceled_with_all_that_was_typed(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server, FaultProxy(server.url) as proxy:
        proxy.hang()
        app = NarrowcastApp("welcome", paths=Paths.under(tmp_path / "home"))
        async with app.run_test(size=(80, 24)) as pilot:
            await app.push_screen(LoginScreen())
            for name, text in {"site": proxy.url, "email": "ada@demo.example", "secret": "x"}.items():
                app.screen.query_one(f"#{name}", Editor).text = text
            app.screen.query_one("#secret", Editor).focus()
            await pilot.press("enter")
            await until(lambda: "Logging in" in shown(app))
            app.screen.query_one("#site", Editor).insert("/")
            await pilot.pause()
            assert "Logging in" in shown(app)
            await pilot.press("escape")
            await until(lambda: "Canceled." in shown(app))
            assert app.screen.query_one("#email", Editor).text == "ada@demo.example"
            await pilot.press("escape", "escape")
            await until(lambda: isinstance(app.screen, WelcomeScreen))


async def test_the_first_screen_has_as_much_of_the_picture_as_there_is_room_for(tmp_path: Path) -> None:
    app = NarrowcastApp("welcome", paths=Paths.under(tmp_path / "home"))
    async with app.run_test(size=(120, 40)) as pilot:
        arcs = []
        for size in ((120, 40), (80, 24), (46, 24), (80, 16), (120, 40)):
            await pilot.resize_terminal(*size)
            await until(lambda size=size: app.screen.size == size)  # type: ignore[misc]
            await pilot.pause()
            rows = shown(app).splitlines()
            arcs.append(sum("▀█▄" in row or "▄█▀" in row for row in rows))
            assert any("Narrowcast" in row for row in rows)
            assert any("Log in to an organization" in row for row in rows)
        assert arcs == [10, 6, 0, 0, 10]


async def test_the_first_screen_shows_each_key_and_blank_rows_where_there_is_room(tmp_path: Path) -> None:
    app = NarrowcastApp("welcome", paths=Paths.under(tmp_path / "home"))
    async with app.run_test(size=(80, 24)) as pilot:
        for size, apart in (((80, 24), 2), ((80, 16), 1), ((40, 24), 2)):
            await pilot.resize_terminal(*size)
            await until(lambda size=size: app.screen.size == size)  # type: ignore[misc]
            await pilot.pause()
            rows = shown(app).splitlines()
            offers = [
                place for place, row in enumerate(rows) if row.rstrip().endswith((" s", " t", " v", " q"))
            ]
            assert [after - before for before, after in pairwise(offers)] == [apart] * 3
            assert ("no setup, nothing is kept" in rows[offers[1]]) is (size[0] == 80)
        await pilot.press("up", "up", "down")
        assert "▌ Try the demo" in shown(app), "blank rows are passed over"


async def test_a_link_for_a_new_password_is_explained_as_soon_as_it_is_pasted(tmp_path: Path) -> None:
    what = "This is a link for a new password."
    app = NarrowcastApp("welcome", paths=Paths.under(tmp_path / "home"))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(LoginScreen())
        app.screen.query_one("#site", Editor).insert("https://chat.example.org/reset/abc/")
        command = "narrowcast login https://chat.example.org/reset/abc/"
        # the hint below the field appears with the next layout
        await until(lambda: what in (text := " ".join(shown(app).split())) and command in text)
        await pilot.press("enter")
        assert what in shown(app)
        await pilot.press(*["backspace"] * len("/reset/abc/"))
        await until(lambda: what not in shown(app))


FOR_A_BROWSER = (
    "accounts/do_confirm/abc",
    "accounts/password/reset/MTI/abc/",
    "accounts/password/reset/MTI",
    "accounts/password/reset/",
)


@pytest.mark.parametrize("link", FOR_A_BROWSER)
async def test_a_link_for_a_browser_is_reported_as_one(tmp_path: Path, link: str) -> None:
    app = NarrowcastApp("welcome", paths=Paths.under(tmp_path / "home"))
    async with app.run_test(size=(80, 24)):
        await app.push_screen(LoginScreen())
        app.screen.query_one("#site", Editor).insert(f"https://chat.example.org/{link}")
        words = "open it there. Then log in at https://chat.example.org"
        await until(lambda: words in " ".join(shown(app).split()))


@pytest.mark.parametrize("link", FOR_A_BROWSER)
def test_the_command_line_does_not_follow_links_for_a_browser(link: str) -> None:
    site = "https://chat.example.org"
    assert password_link(f"{site}/{link}") is None
    assert login_refusal(f"{site}/{link}").endswith(f"open it there. Then log in at {site}")
    assert password_link(f"{site}/reset/abc/") == (site, "abc")


async def test_an_invalid_address_is_asked_for_again_before_the_password(
    server: TestServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    answers = iter(["Nadia Brandt", "nadia", "nadia@new.example"])

    def typed(prompt: str) -> str:
        asked.append(prompt)
        return next(answers)

    def ended(prompt: str) -> str:
        asked.append(prompt)
        raise EOFError

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", typed)
    monkeypatch.setattr("getpass.getpass", ended)
    link = (await server.call("ada", "POST", "/invites/multiuse", {"stream_ids": []}))["invite_link"]
    assert await asyncio.to_thread(main, ["login", link]) == Exit.USAGE
    assert [prompt.partition(" (")[0] for prompt in asked] == [
        "Your name: ",
        "Email: ",
        "Email: ",
        "New password",
    ]
    assert "'nadia' is not an email address" in capsys.readouterr().err


def test_nothing_is_asked_for_again_until_the_input_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def typed(_: str) -> str:
        return next(answers)

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("getpass.getpass", typed)
    answers = iter(["", "a long passphrase"])
    assert login.ask_secret("Password").reveal() == "a long passphrase"
    assert "nothing was entered; press Ctrl-c to quit" in capsys.readouterr().err

    def ended(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("getpass.getpass", ended)
    with pytest.raises(CommandError, match="Password: nothing was entered"):
        login.ask_secret("Password")


async def test_what_a_server_says_of_a_login_is_filtered(tmp_path: Path) -> None:
    with offering("/fetch_api_key", routes=auth.routes) as offered:
        offered.response = ServiceError("denied \u202e\x1b[2J\x9b2J for ever")
        async with running_server(tmp_path / "server") as server:
            app = NarrowcastApp("welcome", paths=Paths.under(tmp_path / "home"))
            async with app.run_test(size=(80, 24)) as pilot:
                await app.push_screen(LoginScreen(server.url))
                app.screen.query_one("#email", Editor).text = "ada@demo.example"
                app.screen.query_one("#secret", Editor).text = world.PASSWORD
                app.screen.query_one("#secret", Editor).focus()
                await pilot.press("enter")
                await until(lambda: "denied" in shown(app))
                text = shown(app)
                assert "for ever" in text
                assert not {"\u202e", "\x1b", "\x9b"} & set(text)


async def test_an_account_file_that_others_can_read_is_explained(tmp_path: Path) -> None:
    rc = tmp_path / "open.zuliprc"
    Account("http://127.0.0.1:9", "a@b.example", Secret("key")).write_zuliprc(rc)
    rc.chmod(0o644)
    app = NarrowcastApp(rc, paths=Paths.under(tmp_path / "home"))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: isinstance(app.screen, WelcomeScreen))
        await pilot.pause()
        assert "chmod 600" in " ".join(shown(app).split()), shown(app)


async def test_the_last_view_is_painted_from_the_cache_without_a_server(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        await server.send("bruno", "general", "lunch", "There is soup left.")
        async with on_stage(tmp_path, server=server) as stage:
            narrow = Narrow.topic(server.channel("general"), "lunch")
            await stage.go(narrow)
    async with on_stage(tmp_path, server=server, live=False) as stage:
        await until(lambda: "There is soup left." in shown(stage.app))
        assert stage.screen.narrow == narrow
        await until(lambda: "saved and sent once reconnected" in shown(stage.app), seconds=20)
        await stage.press("c")
        await stage.type("Save me some")
        await stage.press("enter")
        await until(lambda: "Save me some" in shown(stage.app))
        (entry,) = stage.session.outbox.entries()
        assert entry.content == "Save me some"


async def test_drafts_are_listed_opened_and_deleted(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = ChannelDestination(stage.server.channel("general"), "lunch")
        stage.session.drafts.save(None, where, "first draft")
        stage.session.drafts.save(None, None, "second draft")
        await stage.press("d")
        screen = stage.app.screen
        assert isinstance(screen, DraftsScreen)
        assert "first draft" in shown(stage.app)
        screen.list.select_key(next(d.draft_id for d in stage.session.drafts.all() if d.destination is None))
        await stage.press("x")
        assert [draft.content for draft in stage.session.drafts.all()] == ["first draft"]
        await stage.press("enter")
        await until(lambda: stage.screen.writing.text.text == "first draft")
        assert stage.screen.writing.target.channel.text == "general"


async def test_a_conflict_shows_both_texts_and_keeps_the_one_that_is_chosen(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        mine = stage.session.drafts.save(None, None, "written here")
        theirs = stage.session.drafts.save(None, None, "written there")
        conflict = (
            Draft(mine, DraftVersion(None, "written here"), 1_700_000_000.0),
            Draft(theirs, DraftVersion(None, "written there"), 1_600_000_000.0),
        )
        kept: list[str | None] = []
        await stage.app.push_screen(ConflictScreen(stage.session, conflict), kept.append)
        await stage.pilot.pause()
        assert "written here" in shown(stage.app)
        assert "written there" in shown(stage.app)
        for head in ("1  First version .*2023", "2  Second version .*2020"):
            assert re.search(head, shown(stage.app))
        await stage.press("2")
        assert kept == [theirs]
        assert [draft.content for draft in stage.session.drafts.all()] == ["written there"]


def is_live(app: NarrowcastApp) -> bool:
    return app.accounts.session is not None and app.accounts.session.is_live


def has_ended(app: NarrowcastApp) -> bool:
    return not app.is_running


async def test_one_can_quit_from_every_dialog(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = tmp_path / "ada.zuliprc"
        server.account("ada").write_zuliprc(rc)
        for way in (["ctrl+p"], ["ctrl+k"], ["question_mark"], ["slash"], ["semicolon"], ["c"], ["d"]):
            app = NarrowcastApp(rc, paths=Paths.under(tmp_path / "home"))
            async with app.run_test(size=(80, 24)) as pilot:
                await until(partial(is_live, app))
                await pilot.press(*way)
                await pilot.press("ctrl+q")
                await until(partial(has_ended, app))


async def test_ctrl_c_copies_selected_text_and_ctrl_q_quits_whatever_is_selected(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic(content="Anybody?")
        stage.screen.messages.list.text_select_all()
        await stage.press("ctrl+c")
        assert "Anybody?" in stage.app.clipboard
        assert stage.app.is_running
        stage.screen.messages.list.text_select_all()
        await stage.press("ctrl+q")
        await until(partial(has_ended, stage.app))


async def test_parameters_that_the_server_ignored_are_reported(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.session.client.connection.request(
            "POST", "/typing", {"op": "start", "to": "[1]", "kolor": 1}
        )
        await until(lambda: stage.notices and "does not know kolor" in stage.notices[-1])


async def test_a_damaged_journal_is_told_at_the_start_and_as_long_as_it_matters(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        async with on_stage(tmp_path, server=server) as stage:
            stage.session.drafts.save(None, None, "kept")
        (journal,) = tmp_path.glob("home-ada/**/journal.db")
        journal.write_bytes(b"no database" * 1000)
        async with on_stage(tmp_path, server=server, first_start=True) as stage:
            await stage.told("journal of drafts was damaged")
            assert "journal of drafts was damaged" in stage.screen.lines.banner.plain
            assert len([notice for notice in stage.notices if "damaged" in notice]) == 1


async def test_notices_stand_at_the_bottom_and_do_not_repeat(tmp_path: Path) -> None:
    app = NarrowcastApp("welcome", paths=Paths.under(tmp_path / "home"))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(lambda: isinstance(app.screen, WelcomeScreen))
        for text in ("First.", "Second.", "Second.", "Third.", "Fourth."):
            app.tell(text)
            await pilot.pause()
        assert notices(app) == ["Second.", "Third.", "Fourth."]
        await until(lambda: len(app.screen.query("Toast")) == 3)
        await pilot.pause()
        assert max(toast.region.bottom for toast in app.screen.query("Toast")) == 23
