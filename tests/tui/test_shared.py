"""What the open conversation shares: the files and links in its messages, in the pane of its people."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from narrowcast.content.links import WrittenLink, links_in
from narrowcast.panes.shared import SharedKind, shared_in
from narrowcast.text import names
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.resources.status import Status
from support import live
from support.screens import screen_rows
from support.sessions import until
from support.stage import on_stage


def test_links_are_found_in_paragraphs_lists_and_tables_but_not_in_quotes_and_spoilers() -> None:
    def link(name: str) -> str:
        return f'<a href="https://{name}.example/">the <strong>{name}</strong></a>'

    html = (
        f"<p>see {link('one')} and {link('one')}</p><ul><li>{link('two')}</li></ul>"
        f"<table><thead><tr><th>{link('three')}</th></tr></thead></table>"
        f"<blockquote><p>{link('quoted')}</p></blockquote>"
        f'<div class="spoiler-block"><div class="spoiler-header"></div>'
        f'<div class="spoiler-content"><p>{link("hidden")}</p></div></div>'
    )
    assert links_in(html) == tuple(
        WrittenLink(f"https://{name}.example/", f"the {name}") for name in ("one", "two", "three")
    )


def test_files_of_the_server_are_told_from_links_and_what_leads_nowhere_is_left_out() -> None:
    state = live.make_state()
    site = state.server.site.rstrip("/")
    contents = [
        '<p><a href="/user_uploads/1/a.csv">a.csv</a> <a href="javascript:x">x</a></p>',
        f'<p><a href="{site}/user_uploads/1/a.csv">again</a> <a href="/#narrow/channel/1-x">#x</a></p>',
        '<p><a href="https://far.example/user_uploads/1/b.csv">https://far.example/b.csv</a></p>',
    ]
    for number, content in enumerate(contents, 1):
        live.apply(state, live.message_event(live.channel_message(number, content=content)))
    messages = state.messages.known(range(1, 4))
    rows = [(row.kind, row.text, row.count) for row in shared_in(messages, state)]
    assert rows == [
        (SharedKind.FILE, "", 1),
        (SharedKind.FILE, "a.csv", 0),
        (SharedKind.LINK, "", 1),
        (SharedKind.LINK, "far.example/b.csv", 0),
    ]


async def test_the_pane_lists_them_below_the_people_and_opens_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []

    async def note(url: str) -> None:
        opened.append(url)

    monkeypatch.setattr("narrowcast.screens.main.links.open_link", note)
    async with on_stage(tmp_path, size=(160, 40)) as stage:
        await stage.in_topic("general", "lunch", "The [menu](https://soup.example/menu), and a pot.")
        shared = stage.screen.people.shared
        await until(lambda: [row.text for row in shared.items] == ["", "menu"])
        await stage.drawn()
        rows = screen_rows(stage.screen)
        heading = next(
            place for place, row in enumerate(rows) if "LINKS" in row and row.rstrip().endswith("1")
        )
        last = stage.screen.people.list.items[-1].name
        assert rows[heading - 2].rstrip().endswith(last), "below the last of the people, and a blank row"
        shared.focus()
        await stage.press("enter")
        await until(lambda: opened == ["https://soup.example/menu"])
        await stage.go(Narrow.all())
        await until(lambda: not shared.display)


async def test_a_status_has_a_row_of_its_own(tmp_path: Path) -> None:
    status = "on the ridge until Thursday"
    async with on_stage(tmp_path, size=(160, 40)) as stage:
        await stage.server.call("bruno", "POST", "/users/me/status", {"status_text": status})
        await until(lambda: any(row.rstrip().endswith(status) for row in screen_rows(stage.screen)))
        rows = screen_rows(stage.screen)
        place = next(place for place, row in enumerate(rows) if row.rstrip().endswith(status))
        assert rows[place - 1].rstrip().endswith("Bruno Castell")


def test_the_words_of_statuses_begin_in_one_column_behind_emoji_of_one_and_two_cells() -> None:
    shown = [
        names.status(Status("busy", code, code, "unicode_emoji"), in_column=True)
        for code in ("1f6e0", "1f527")
    ]
    assert [cell_len(one.partition("busy")[0]) for one in shown] == [3, 3]
    assert (
        names.status(Status("", "tools", "1f6e0", "unicode_emoji"), in_column=True) == "\N{HAMMER AND WRENCH}"
    )
