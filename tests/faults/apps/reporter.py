"""An extension of the app that writes, twice a second, the window's state of each account to a file."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any

from narrowcast.extend import App, Extension

EVERY = 0.5
"""Seconds between two reports."""

extension = Extension("reporter", "Writes down what the window knows, for a test")


@extension.on_start
async def begin(app: App[None]) -> None:
    """Reports while the account is open."""
    app.start(_reports(app))


async def _reports(app: Any) -> None:
    session = app._session
    path = app.folder / f"{os.getpid()}-{session.account.email}.json"
    hidden = path.with_suffix(".new")
    while True:
        hidden.write_text(json.dumps(_report(session, on_screen=app.on_screen)))
        hidden.rename(path)
        await asyncio.sleep(EVERY)


def _report(session: Any, *, on_screen: bool) -> dict[str, object]:
    state = session.state
    view = session.views_on_screen[0] if on_screen and session.views_on_screen else None
    shown = [] if view is None or view.loading else list(view.ids)
    messages = {i: message for i in shown if (message := state.messages.get(i)) is not None}
    return {
        "live": session.is_live,
        "outbox": sorted([entry.content, entry.state.value] for entry in session.outbox.entries()),
        "drafts": sorted(draft.content for draft in session.drafts.all()),
        "unread": sorted(state.unreads),
        "starred": sorted(state.starred),
        "waiting": len(session.read_marks.pending) + session.message_actions.waiting,
        "view": {str(i): message.content for i, message in messages.items()},
        "reactions": {
            str(i): sorted([one.emoji_name, one.user_id] for one in message.reactions)
            for i, message in messages.items()
        },
    }
