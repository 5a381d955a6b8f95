"""Pages about the commands of the app: all keys, what works offline, everyday tasks."""

from __future__ import annotations

import re

from generate.everyday import TASKS
from generate.markdown import cell, table
from narrowcast.commands.keymap import key_label, key_table
from narrowcast.commands.offline import Offline, offline
from narrowcast.commands.presets import PRESETS
from narrowcast.commands.registry import REGISTRY, Context, by_id, groups

_WITH_PURPOSE = {Context.MAIN, Context.NAVIGATION, Context.MESSAGES, Context.COMPOSE, Context.OUTBOX}
_COMMAND = re.compile(r"<([a-z]+\.[a-z-]+)>")


def key_page() -> str:
    """The page of all commands with their keys, and the keys that presets change."""
    parts = [
        "# All keys",
        "The id in the last column is what `[keys]` in [config.toml](configuration.md) names. In the app, `?` shows "
        "the same with your own keys, and *App settings* changes them. A key is heard where its heading says; the "
        "innermost place wins.",
        key_table(),
        "## Presets",
        '`preset = "vim"` in config.toml, or *Key preset* in *App settings*. What a preset does not name stays.',
    ]
    for name, changed in PRESETS.items():
        rows = [
            (
                " ".join(f"`{key_label(key)}`" for key in keys).replace("|", "\\|") or "none",
                by_id()[command_id].title,
                f"`{command_id}`",
            )
            for command_id, keys in changed.items()
        ]
        if rows:
            parts += [f"### {name}", table(("keys", "does", "id"), rows)]
    return "\n\n".join(parts)


def offline_page() -> str:
    """The page that says what each command does offline."""
    meanings = {Offline.WORKS: "yes", Offline.WAITS: "waits", Offline.REFUSED: "no"}
    parts = [
        "# Without a connection",
        "What was seen can be read and searched, drafts and messages can be written, read marks, stars and reactions "
        "set. All of that is on the disk at once, shows in every window of the account, and is sent in order when the "
        "server answers, also by the next start, or by `narrowcast watch`. What needs the server is refused at once, "
        "and nothing is changed: nothing is dropped silently.",
        "*yes*: works with what is known here. *waits*: done here, sent later. *no*: refused. What a dialog changes "
        "(settings, channels, people) is not in the table and needs the connection.",
    ]
    for heading, commands in groups(
        command for command in REGISTRY if command.context in _WITH_PURPOSE
    ).items():
        rows = [(cell(one.title), meanings[offline(one)], f"`{one.id}`") for one in commands]
        parts += [f"## {heading}", table(("command", "offline", "id"), rows)]
    return "\n\n".join(parts)


def task_page() -> str:
    """The page of everyday tasks, with the keys of their commands."""
    parts = [
        "# Everyday tasks",
        "What one does all day, and how: in the app, and on the command line where that can do it too. The keys are "
        "the defaults; the palette (`Ctrl-p`) has everything, with your own keys.",
    ]
    for heading, listed in TASKS.items():
        rows = [
            (task, cell(_COMMAND.sub(_key_or_palette, how)) or "–", f"`{line}`" if line else "–")
            for task, how, line in listed
        ]
        parts += [f"## {heading}", table(("task", "in the app", "on the command line"), rows)]
    return "\n\n".join(parts)


def _key_or_palette(found: re.Match[str]) -> str:
    command = by_id()[found[1]]
    if command.keys:
        return f"`{key_label(command.keys[0])}`"
    return f"`{key_label(by_id()['app.palette'].keys[0])}` *{command.title.partition(':')[0]}*"
