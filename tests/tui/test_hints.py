"""The keys that the status line names: they work, fit the situation, and are never more than fit in."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

import narrowcast
from narrowcast.config.config import Appearance, Config
from narrowcast.keys.hints import GAP, ShownHint, default_keys, with_keys
from narrowcast.keys.keymap import effective
from narrowcast.screens.dialogs.help import HelpScreen
from narrowcast.screens.dialogs.picker import Picker
from narrowcast.screens.groups.groups import GroupsScreen
from narrowcast.screens.main.hints import READING, hint_line
from narrowcast.widgets.one_line import hint_pieces
from narrowcast_api.narrow.narrow import Narrow
from support.screens import screen_rows
from support.server import running_server
from support.sessions import until
from support.stage import Stage, on_stage, run

COMFORTABLE = Config(appearance=Appearance(density="comfortable"))
"""All of the status line stays visible below the inbox."""


def words(hints: Sequence[ShownHint]) -> str:
    return GAP.join(hint.words for hint in hints)


def test_hints_take_their_share_of_the_line_and_help_is_always_there() -> None:
    keys = default_keys()
    assert words(hint_line(keys, READING, 120)) == (
        "r reply  c write  : react  n next unread  Ctrl-k go to  ? help"
    )
    assert (
        words(hint_line(keys, (("message.vote", "vote"), *READING), 60)) == "X vote  r reply  c write  ? help"
    )
    assert words(hint_line(keys, READING, 10)) == "? help"


def test_keys_are_told_from_words_by_their_weight_and_texts_by_dots() -> None:
    assert hint_pieces([ShownHint("r", "reply"), ShownHint("?", "help")]) == [
        ("r", "key"),
        (" reply", "dim"),
        (GAP, ""),
        ("?", "key"),
        (" help", "dim"),
    ]
    mode = [ShownHint("", "Esc closes"), ShownHint("", "b older")]
    assert "".join(text for text, _ in hint_pieces(mode, "accent")) == "Esc closes · b older"


async def test_the_frame_of_compose_names_the_key_that_sends_only_while_one_writes(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 36)) as stage:
        await stage.in_topic()
        hint = stage.screen.writing.target.hint
        assert hint.plain.strip() == ""
        await stage.press("c")
        await until(lambda: hint.plain.strip() == "Enter sends")
        await stage.press("escape")
        await until(lambda: hint.plain.strip() == "")


def test_hints_name_the_keys_that_the_user_chose() -> None:
    keys = effective({"message.vote": "f7", "message.reply": []})
    hints = (("message.vote", "vote"), ("message.reply", "reply"))
    assert words(hint_line(keys, hints, 100)) == "F7 vote  ? help"


def test_texts_name_the_keys_that_commands_have_and_else_the_commands() -> None:
    keys = effective({"write.outbox-retry": "f7", "go.outbox": []})
    text = "<write.outbox-retry> resends, <write.outbox-cancel> cancels, <go.outbox> lists <b>"
    assert with_keys(keys, text) == "F7 resends, F9 cancels, 'View outbox: unsent messages' lists <b>"
    with pytest.raises(KeyError):
        with_keys(keys, "<write.nothing> does nothing")


_KEY = re.compile(r"\b(F[0-9]{1,2}|(Ctrl|Alt)-[A-Za-z]+)\b")


def test_no_text_of_the_app_spells_out_a_key_that_can_be_changed() -> None:
    spelt_out = []
    root = Path(narrowcast.__file__).parent
    for path in sorted(root.rglob("*.py")):
        inside = path.relative_to(root)
        if inside.parts[0] in {"cli", "terminal"}:
            continue  # the keys of shells and of tmux are not commands of the app
        tree = ast.parse(path.read_text(encoding="utf-8"))
        contracts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        spelt_out += [
            f"{inside}:{node.lineno}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in contracts
            and _KEY.search(node.value)
        ]
    assert spelt_out == []


async def test_keys_that_are_changed_are_named_at_once(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path / "server") as server,
        on_stage(tmp_path, size=(140, 30), server=server) as stage,
    ):
        await until(lambda: "r reply" in stage.status_line)
        stage.app.use_config(Config(keys={"message.reply": "f7"}))
        await until(lambda: "F7 reply" in stage.status_line)


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ("/poll Lunch?\nsoup", "F7 vote"),
        ("/todo Field day\nbook the van", "F7 tick"),
        ("```spoiler Plot\ngoat\n```", "Enter open"),
        ("```python\nstir()\n```", "y copy code"),
        ("[there](https://x.example/)", "o open link"),
        ("just text", "r reply"),
    ],
)
async def test_the_status_line_says_what_to_do_with_the_selected_message(
    tmp_path: Path, content: str, hint: str
) -> None:
    async with running_server(tmp_path / "server") as server:
        await server.send("bruno", "general", "soup", content)
        config = Config(keys={"message.vote": "f7"})
        async with on_stage(tmp_path, size=(140, 30), config=config, server=server) as stage:
            await until(lambda: f" Demo {hint} " in stage.status_line)


async def test_keys_leave_the_status_line_before_the_status_is_cut(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 30)) as stage:
        await stage.in_topic()
        line, keys = stage.screen.lines.status, default_keys()
        for length in range(1, 60):
            line.update(stage.session, None, hint_line(keys, READING, 120), keys, added=("x" * length,))
            row = line.compose_row(0).text
            assert f" {'x' * length} " in row, row
            assert row.endswith("? help ")


async def test_a_mode_says_how_to_leave_it_in_the_status_line(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        await server.send("bruno", "general", "soup", "[there](https://x.example/)")
        async with on_stage(tmp_path, size=(80, 24), server=server) as stage:
            await until(lambda: "o open link" in stage.status_line)
            await stage.press("o")
            await until(lambda: "Esc cancels" in stage.status_line)
            await stage.press("escape")
            await until(lambda: "Esc cancels" not in stage.status_line)


def _names(stage: Stage, hint: str) -> bool:
    return hint in stage.status_line


async def test_the_status_line_names_no_key_that_does_something_else_where_the_focus_is(
    tmp_path: Path,
) -> None:
    async with running_server(tmp_path / "server") as server:
        # the inbox, to which Esc would go, covers the status line
        await server.call("ada", "PATCH", "/settings", {"web_home_view": "all_messages"})
        async with on_stage(tmp_path, size=(140, 30), server=server) as stage:
            await stage.in_topic()
            for key, hint in (
                ("c", "Ctrl-j new line  Esc back  Ctrl-t attach  Ctrl-o editor  F1 help"),
                ("q", "Enter open  Esc clear filter  F1 help"),
                ("w", "Enter open  Esc clear filter  F1 help"),
            ):
                await stage.press("escape", "escape", key)
                await until(partial(_names, stage, hint))
            stage.screen.people.list.focus()
            await until(lambda: "Enter open  u card  w find  Tab next pane  ? help" in stage.status_line)


@pytest.mark.parametrize("opening", ["I", "t"])
async def test_over_the_messages_the_status_line_shows_keys_that_work_there(
    tmp_path: Path, opening: str
) -> None:
    async with on_stage(tmp_path, size=(140, 30), config=COMFORTABLE) as stage:
        await stage.go(Narrow.mentions())
        last = await stage.server.send("bruno", "general", "lunch", "Soup")
        await until(lambda: last in stage.session.state.messages)
        for key, shown, works in (
            ("ctrl+k", "Ctrl-k go to", lambda: isinstance(stage.app.screen, Picker)),
            ("f1", "F1 help", lambda: isinstance(stage.app.screen, HelpScreen)),
            ("c", "c write", lambda: stage.screen.writing.has_focus_within),
            ("n", "n next unread", lambda: stage.screen.narrow != Narrow.mentions()),
        ):
            assert "F1 help" not in stage.status_line
            await stage.press(opening)
            await until(lambda: stage.status_line.endswith("n next unread  Ctrl-k go to  c write  F1 help "))
            assert shown in screen_rows(stage.app.screen)[-1]
            await stage.press(key)
            await until(works)
            await stage.close_all()
            if stage.screen.writing.has_focus_within:
                await stage.press("escape")


async def test_in_the_filter_of_the_inbox_the_status_line_shows_no_key_that_types(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(140, 30)) as stage:
        await stage.in_topic()
        await stage.press("I", "slash")
        await until(lambda: stage.status_line.endswith("Demo F1 help "))
        await stage.press("escape")
        await until(lambda: stage.status_line.endswith("c write  F1 help "))


async def test_a_filter_above_a_list_says_where_enter_and_esc_lead(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await run(stage, "people.groups")
        screen = stage.app.screen
        assert isinstance(screen, GroupsScreen)
        assert "n creates" in screen.key_line.plain
        await stage.press("slash")
        assert screen.key_line.keys == "Enter members  ↓ list  Esc clears the filter"
        await stage.type("owners")
        assert screen.key_line.keys == "Enter members  ↓ list  Esc clears the filter"
        await stage.type("xyz")
        assert screen.key_line.keys == "Esc clears the filter"
        await stage.press(*["backspace"] * 3)
        assert screen.key_line.keys == "Enter members  ↓ list  Esc clears the filter"
        await stage.press("down")
        assert "n creates" in screen.key_line.plain
        await stage.press("slash", "escape")
        assert "n creates" in screen.key_line.plain
