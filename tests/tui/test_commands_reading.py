"""Which messages, and how many, `read`, `search` and `export` return."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.cli.directory import parse_narrow
from narrowcast.cli.grammar import build_parser
from narrowcast.cli.outcome import CommandError
from narrowcast.cli.read import newest
from narrowcast_api.narrow.narrow import Narrow, Term
from support.server import running_server


@pytest.mark.parametrize(
    ("words", "terms"),
    [
        (["topic:cli test"], (Term("topic", "cli test"),)),
        (['topic:"cli test"'], (Term("topic", "cli test"),)),
        (["channel:general topic:lunch"], (Term("channel", "general"), Term("topic", "lunch"))),
        (['channel:general topic:"cli test"'], (Term("channel", "general"), Term("topic", "cli test"))),
        (["channel:general", "soup"], (Term("channel", "general"), Term("search", "soup"))),
        (["hot soup"], (Term("search", '"hot soup"'),)),
    ],
)
def test_operators_are_understood_however_the_shell_passes_them(
    words: list[str], terms: tuple[Term, ...]
) -> None:
    assert parse_narrow(words) == Narrow(terms)


def test_an_unknown_option_leads_to_the_help_of_its_command() -> None:
    with pytest.raises(CommandError, match=r"unrecognized arguments: --channel\nsee: narrowcast read --help"):
        build_parser().parse_args(["read", "--channel", "general"])


async def test_as_many_messages_are_read_as_were_asked_for(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        sent = [await server.send("ada", "general", "soup", f"spoon {number}") for number in range(4)]
        for limit in range(1, 6):
            messages = await newest(server.account("ada"), Narrow.search("topic:soup"), limit, named=False)
            assert [one.message.id for one in messages] == sent[-limit:]


async def test_sender_me_is_the_current_user_and_near_is_a_position(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        ids = [await server.send("bruno", "general", "lunch", f"{number}") for number in range(9)]
        mine = await server.send("ada", "general", "lunch", "mine")
        ada = server.account("ada")
        assert [one.message.id for one in await newest(ada, parse_narrow(["sender:me"]), 5, named=False)] == [
            mine
        ]
        around = await newest(ada, parse_narrow(["channel:general", f"near:{ids[4]}"]), 5, named=False)
        assert [one.message.id for one in around] == ids[2:7]
