"""The README is short, its links work and the keys it names exist."""

from __future__ import annotations

import re
from pathlib import Path

from narrowcast.keys.keymap import key_label
from narrowcast.keys.registry import by_id

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_one_screen_and_every_link_leads_to_a_file() -> None:
    assert README.count("\n") <= 60
    for target in re.findall(r"\]\(([^)\s]+)\)", README):
        assert (ROOT / target).is_file() or "://" in target, target


def test_the_first_keys_in_the_readme_do_what_it_says() -> None:
    commands = by_id()
    for command_ids in (
        ("go.next-unread-topic", "go.next-unread-direct"),
        ("go.inbox", "go.all", "go.mentions", "go.starred"),
        ("message.reply", "write.channel", "write.direct"),
        ("message.react", "message.thumbs-up"),
        ("go.search", "pane.find-channel"),
        ("app.quit",),
    ):
        keys = " ".join(f"`{key_label(commands[command_id].keys[0])}`" for command_id in command_ids)
        assert re.search(rf"^\| {re.escape(keys)}[ |]", README, re.MULTILINE), keys


def test_every_key_that_is_named_is_one_of_a_command() -> None:
    labels = {key_label(key) for command in by_id().values() for key in command.keys}
    table = re.search(r"\| Key \| Action \|\n(.*?)\n\n", README, re.DOTALL)
    assert table is not None
    named = re.findall(r"`([^`]+)`", "\n".join(row.split("|")[1] for row in table[1].splitlines()))
    assert len(named) > 20
    assert set(named) <= labels
