"""What the README says is true."""

from __future__ import annotations

import re
from pathlib import Path

from narrowcast.app.config import parse
from narrowcast.commands.keymap import key_label
from narrowcast.commands.registry import by_id

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def test_the_example_of_a_configuration_is_one() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    assert parse(example, "README.md").keys


def test_the_first_keys_to_know_do_what_is_said_of_them() -> None:
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
