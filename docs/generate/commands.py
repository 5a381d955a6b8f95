"""Pages about the commands of the app: all keys, working offline, everyday tasks, what users ask for."""

from __future__ import annotations

import re

from generate.everyday import TASKS
from generate.markdown import cell, table
from generate.requests import REQUESTS
from narrowcast.keys.command import Offline
from narrowcast.keys.keymap import key_label, key_table
from narrowcast.keys.presets import PRESETS
from narrowcast.keys.registry import REGISTRY, Context, by_id, groups

_WITH_PURPOSE = {Context.MAIN, Context.NAVIGATION, Context.MESSAGES, Context.COMPOSE, Context.OUTBOX}
_COMMAND = re.compile(r"<([a-z]+\.[a-z-]+)>")


def key_page() -> str:
    """Returns the page of all commands and of the keys that presets change."""
    parts = [
        "# All keys",
        "Use the id in the last column under `[keys]` in [config.toml](configuration.md). In the app, `?` shows the "
        "same list with your own keys, and *App settings* changes them. A key works in the place that its heading "
        "names; the innermost place wins.",
        key_table(),
        "## Presets",
        '`preset = "vim"` in config.toml, or *Key preset* in *App settings*. Other keys keep their defaults.',
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
            parts += [f"### {name}", table(("Keys", "Action", "Id"), rows)]
    return "\n\n".join(parts)


def offline_page() -> str:
    """Returns the page of what each command does offline."""
    meanings = {Offline.WORKS: "yes", Offline.WAITS: "queued", Offline.REFUSED: "no"}
    parts = [
        "# Working offline",
        "Offline you can read and search cached messages, write drafts and messages, react, star, and mark messages as "
        "read. Your changes are saved to disk at once, appear in all windows of the account, and are sent in order "
        "when the server is reachable again: by the app, by its next start, or by `narrowcast watch`. A command that "
        "needs the server reports an error at once and changes nothing.",
        "*yes*: works with cached data. *queued*: takes effect locally, sent later. *no*: error. Dialogs that change "
        "settings, channels or people are not in the table; they need a connection.",
    ]
    for heading, commands in groups(
        command for command in REGISTRY if command.context in _WITH_PURPOSE
    ).items():
        rows = [(cell(one.title), meanings[one.offline], f"`{one.id}`") for one in commands]
        parts += [f"## {heading}", table(("Command", "Offline", "Id"), rows)]
    return "\n\n".join(parts)


def task_page() -> str:
    """Returns the page of everyday tasks, with the keys of their commands."""
    parts = [
        "# Everyday tasks",
        "How to do everyday tasks in the app, and on the command line where possible. The keys are the defaults; the "
        "palette (`Ctrl-p`) lists all commands with your own keys, and finds every setting.",
    ]
    for heading, listed in TASKS.items():
        rows = [
            (task, cell(_COMMAND.sub(_key_or_palette, how)) or "–", f"`{line}`" if line else "–")
            for task, how, line in listed
        ]
        parts += [f"## {heading}", table(("Task", "In the app", "On the command line"), rows)]
    return "\n\n".join(parts)


def request_page() -> str:
    """Returns the page of what users of other clients ask for, with the keys of the commands that do it."""
    parts = [
        "# What users ask for",
        "The most wanted of what users of other clients have asked for, and how each is done in Narrowcast. The "
        "numbers are those of the reports in each project. The keys are the defaults.",
    ]
    for heading, listed in REQUESTS.items():
        rows = [(wanted, where, cell(_COMMAND.sub(_key_or_palette, how))) for wanted, where, how in listed]
        parts += [f"## {heading}", table(("Wanted", "Asked for in", "In Narrowcast"), rows)]
    return "\n\n".join(parts)


def _key_or_palette(found: re.Match[str]) -> str:
    command = by_id()[found[1]]
    if command.keys:
        return f"`{key_label(command.keys[0])}`"
    return f"`{key_label(by_id()['app.palette'].keys[0])}` *{command.title.partition(':')[0]}*"
