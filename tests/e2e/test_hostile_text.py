"""Names, topics and contents full of control sequences: none of them reaches the terminal, on any screen."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from support.server import serving

from .conftest import OpenApp

HOSTILE = (
    " \x1b]52;c;aGFjaw==\x07\x1b]0;owned\x07\x1b[31m\x1b[?1049l\x1b[2Jx\x9b31m\x90q\x9c\x1bP+q544e\x1b\\\x1b_Gx\x1b\\"
    "\x1bc\x08\x7f\u202egpj.exe\u202c\u2066\u200b\ufeff[@click=app.quit]press[/] [bold][/x]\n\r\u2028"
    "漢Z\u0334\u0335\u0336\u0337"
)
COLUMNS = {
    "users": ("full_name",),
    "channels": ("name", "description", "rendered_description"),
    "groups": ("description",),
    "messages": ("topic", "content", "rendered"),
    "drafts": ("topic", "content"),
    "saved_snippets": ("title", "content"),
    "statuses": ("status_text",),
    "reactions": ("emoji_name",),
    "custom_emoji": ("name",),
    "attachments": ("name",),
}
"""Columns that hold text written by users."""

SCREENS = (
    ("pageup", "pageup", "home", "G"),
    ("i", "escape", "V", "escape", "H", "escape", "y", "escape", ":", "escape", "b", "escape", "o", "escape"),
    ("ctrl+k", "a", "escape", "I", "escape", "#", "f", "P", "d", "escape"),
    ("f2", "f3", "f2", "f3", "q", "e", "escape", "w", "a", "escape"),
    ("?", "escape", "ctrl+p", "s", "escape", "/", "escape", "u", "escape"),
    ("tab", "j", "enter", "tab", "j", "k", "n", "p", "A", "D", "z"),
    ("r", "@", "escape", "c", "escape", "x", "escape", "T", "escape", "F6", "escape"),
)
_KNOWN = re.compile(
    rb"\x1b\[[\d;]*m"
    rb"|\x1b\[\d+;\d+H|\x1b\[\d+G|\x1b\[\d+[CXLM]|\x1b\[(?:\d+;\d+)?r"
    rb"|\x1b\[\?(?:1049|25|1000|1002|1003|1004|1006|1015|1016|2004|2026|2048|69|7)[hl]"
    rb"|\x1b\[\?(?:2026|2048|69)\$p"
    rb"|\x1b\[[<>=?]\d*(?:;\d+)?u"
    rb"|\x1b\[>?0?q|\x1b\[c|\x1b\[[012]?[JK]"
    rb"|\x1b\]22;[a-z-]*\x07"
    rb"|\x1b\]8;;\x1b\\|\x1b\]8;id=[0-9a-f]{1,8};(?:https?|mailto):[!-~]{1,2000}\x1b\\"
    rb"|\x1b\]2;[^\x00-\x1f\x7f]{0,200}(?:\x07|\x1b\\)|\x1b\[2[23];2t"
)
"""Every sequence that the app itself has reason to write."""


def poison(database: Path) -> None:
    """Appends hostile text to every text that a user can have written."""
    with closing(sqlite3.connect(database)) as connection:
        for table, columns in COLUMNS.items():
            known = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
            for column in known.intersection(columns):
                connection.execute(f"UPDATE OR IGNORE {table} SET {column} = {column} || ?", (HOSTILE,))
        connection.execute("UPDATE groups SET name = name || ? WHERE is_system = 0", (HOSTILE,))
        connection.execute(
            "UPDATE messages SET rendered = replace(rendered, '</p>', ?)",
            (HOSTILE + "&#27;]52;c;aGFjaw==&#7;</p>",),
        )
        connection.commit()


def test_no_text_of_other_users_is_interpreted_by_the_terminal(
    tmp_path: Path, demo_world: Path, open_app: OpenApp
) -> None:
    data = tmp_path / "server"
    shutil.copytree(demo_world, data)
    poison(next(data.glob("*.db")))
    with serving(data):
        terminal = open_app(data / "accounts" / "ada.zuliprc")
        terminal.settle()
        for keys in SCREENS:
            for key in keys:
                terminal.press(key)
                terminal.settle(0.05)
        assert terminal.process.poll() is None
        output = bytes(terminal.output)
    assert b"gpj.exe" in output
    for found in re.finditer(_KNOWN.pattern + rb"|([\x00-\x06\x08\x0b\x0c\x0e-\x1f\x7f])", output):
        assert found[1] is None, output[max(0, found.start() - 60) : found.end() + 100]
    text = _KNOWN.sub(b"", output).decode()
    assert not re.search("[\x80-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]", text)
