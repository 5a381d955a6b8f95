"""Everyday tasks in a real terminal, done by exactly the keys that docs/tasks.md names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrowcast_api.account import Account
from support.tasks import PALETTE, Task
from support.terminal import PATIENCE, Terminal, home, narrowcast

from .calling import call
from .switching import go

if TYPE_CHECKING:
    from .conftest import Served

END = 20
"""Characters of a text that are looked for in a field, which may be too narrow for all of it."""
_NAMES = {"←": "left", "→": "right", "↑": "up", "↓": "down", "Esc": "escape", "Del": "delete"}


def key_of(label: str) -> str:
    """The name that `Terminal.press` takes of a key as it is shown to users."""
    *modifiers, key = re.split(r"-(?=.)", label)
    is_named = len(key) > 1 or (modifiers and key.isalpha())
    return "+".join([*map(str.lower, modifiers), _NAMES.get(key, key.lower() if is_named else key)])


class Walk:
    """An app of Ada in a terminal, and her account on its server."""

    def __init__(self, terminal: Terminal, served: Served, home: Path) -> None:
        self.terminal = terminal
        self.served = served
        self.home = home
        self.account = Account.from_zuliprc(served.rc("ada"))
        self._named: set[str] = set()
        self._left: set[str] = set()

    # the keys of the page

    def begin(self, tasks: Iterable[Task]) -> None:
        """Begins with tasks: only what the page names for them may be pressed by `do`."""
        self._named = {way for task in tasks for way in task.ways}
        self._left = set(self._named)

    @property
    def not_done(self) -> list[str]:
        """What the page names for the tasks and was not pressed."""
        return sorted(self._left)

    def do(self, *ways: str) -> None:
        """Presses keys, or runs commands of the palette, which the page names for the tasks."""
        for way in ways:
            assert way in self._named, f"docs/tasks.md names other keys: {sorted(self._named)}"
            self._left.discard(way)
            if way.startswith(PALETTE):
                self.run(way.removeprefix(PALETTE))
            elif way.startswith("<"):
                self.terminal.type(way)
            else:
                self.terminal.press(key_of(way))

    def run(self, command: str) -> None:
        """Runs a command from the palette."""
        self.terminal.press("ctrl+p")
        self.dialog("Commands")
        self.terminal.paste(command)
        self.terminal.wait_for(rf"▌{re.escape(command)}")
        self.terminal.press("enter")
        self.terminal.wait_gone("╭─ Commands")

    # the screen

    def see(self, pattern: str) -> None:
        """Waits for a regular expression on the screen."""
        self.terminal.wait_for(pattern)

    def selected(self, text: str) -> None:
        """Waits until the message with this row is the selected one."""
        self.see(rf"(?m)^.{{26,}}▌.{{0,14}}{re.escape(text)}")

    def title(self, text: str) -> None:
        """Waits for the title of a view."""
        self.see(rf"(?m)^.{{26,}}{re.escape(text)}( {{3}}|$)")

    def no_longer(self, pattern: str) -> None:
        """Waits until a regular expression is not on the screen."""
        self.terminal.wait_gone(pattern)

    def dialog(self, title: str) -> None:
        """Waits for a dialog, until it is ready for keys."""
        self.see(rf"╭─ {title}")
        self.terminal.settle(0.05)

    def close(self, title: str, *, found: str = "") -> None:
        """Closes a dialog; ``found``: the text by which its list is filtered, which the first Esc ends."""
        if found:
            self.terminal.press("escape")
            self.no_longer(rf"│ +{re.escape(found)}")
        self.terminal.press("escape")
        self.no_longer(rf"╭─ {title}")

    def find(self, text: str, row: str) -> None:
        """Filters the list of a dialog until this row is the selected one."""
        self.terminal.type("/")
        self.terminal.settle(0.05)
        self.terminal.paste(text)
        self.see(rf"▌ *{row}")

    def confirm(self) -> None:
        """Answers a question, which is on the screen, with its second button."""
        self.terminal.settle(0.05)
        self.terminal.press("right", "enter")

    def answer(self, text: str) -> None:
        """Types over what is in the field, and presses Enter."""
        self.fill(text)
        self.terminal.press("enter")

    def fill(self, text: str) -> None:
        """Types over what is in the field."""
        self.terminal.press("ctrl+e", "ctrl+u")
        self.terminal.paste(text)
        self.see(re.escape(text[-END:]))

    # conversations

    def write(self, topic: str, text: str, *, by: str = "greta", channel: str = "design") -> int:
        """Sends a message to a topic; returns its id."""
        sent = self.call("POST", "/messages", by=by, type="channel", to=channel, topic=topic, content=text)
        return int(sent["id"])

    def open(self, topic: str, *texts: str, by: str = "greta", shown: str = "") -> int:
        """Opens a topic with these new messages, the last of which is selected; returns its id. ``shown``: its last
        row, if that is not the text.
        """
        ids = [self.write(topic, text, by=by) for text in texts]
        go(self.terminal, f"design › {topic}", f"#design › {topic}")
        self.see(r"(?m)^.{28,}" + re.escape(shown or texts[-1].splitlines()[-1]))
        self.terminal.settle(0.05)
        self.terminal.press("G")
        return ids[-1]

    def away(self) -> None:
        """Opens a view that marks nothing as read."""
        self.terminal.press("#")
        self.see(r"(?m)^.{28,}Mentions")

    def compose(self, topic: str) -> None:
        """Opens a topic and begins a message there."""
        self.open(topic, f"About {topic}")
        self.terminal.press("r")
        self.see("Esc back")

    def leave(self) -> None:
        """Leaves compose."""
        self.see("Esc back")
        self.terminal.press("escape")
        self.no_longer("Esc back")

    # the server

    def call(self, method: str, path: str, *, by: str = "ada", **fields: object) -> dict[str, Any]:
        """Sends a request of a user."""
        account = self.account if by == "ada" else Account.from_zuliprc(self.served.rc(by))
        return call(account, method, path, **fields)

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Waits until something holds on the server."""
        self.terminal.wait_until(holds, what, PATIENCE)

    def message(self, message_id: int) -> dict[str, Any]:
        """A message, as Ada sees it, with its source."""
        found: dict[str, Any] = self.call("GET", f"/messages/{message_id}", apply_markdown="false")["message"]
        return found

    def texts(self, topic: str) -> list[str]:
        """The texts of a topic, oldest first."""
        return self.found(topic=topic)

    def found(self, **narrow: str) -> list[str]:
        """The texts of the newest messages of a view, oldest first."""
        terms = json.dumps([list(term) for term in narrow.items()])
        page = {"anchor": "newest", "num_before": 20, "num_after": 0, "apply_markdown": "false"}
        found = call(self.account, "GET", "/messages", narrow=terms, **page)["messages"]
        return [one["content"] for one in found]

    def channel(self, name: str) -> int:
        """The id of a channel."""
        return int(self.call("GET", "/get_stream_id", stream=name)["stream_id"])

    def subscription(self, name: str) -> dict[str, Any]:
        """Ada's subscription to a channel."""
        listed: list[dict[str, Any]] = self.call("GET", "/users/me/subscriptions")["subscriptions"]
        return next((one for one in listed if one["name"] == name), {})

    def user(self, name: str) -> dict[str, Any]:
        """A user by the first name."""
        members: list[dict[str, Any]] = self.call("GET", "/users")["members"]
        return next(one for one in members if one["full_name"].startswith(name))

    def registered(self, *kinds: str) -> dict[str, Any]:
        """A fresh snapshot of what these kinds of events change."""
        return self.call("POST", "/register", fetch_event_types=json.dumps(kinds))


class Walks:
    """One app for the tasks of a file; after a test that failed another one is opened."""

    def __init__(self, served: Served, folder: Path) -> None:
        self._served = served
        self._folder = folder
        self._walk: Walk | None = None

    def begin(self, tasks: Iterable[Task]) -> Walk:
        """Returns the app, in which these tasks may be done."""
        if self._walk is None:
            command = narrowcast("--rc", str(self._served.rc("ada")))
            terminal = Terminal(command, env=home(self._folder), ready=True)
            self._walk = Walk(terminal, self._served, self._folder)
            self._walk.see("● live")
        self._walk.begin(tasks)
        return self._walk

    def close(self) -> None:
        """Ends the app."""
        if self._walk is not None:
            self._walk.terminal.kill()
            self._walk.terminal.hang_up()
            self._walk = None
