"""One message list in a process of its own: the cost of showing and growing it, as JSON.

PYTHONPATH=tests python -m bench.list_apps ours|widgets|empty COUNT
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from statistics import median

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.widgets import Static

from bench.watched import resident_bytes
from narrowcast_api.model.messages import Message
from support.message_views import ListApp, message

SIZE = (120, 36)


class OurList(ListApp):
    """The message list."""

    async def append(self, one: Message) -> None:
        """Appends a message at the bottom."""
        self.put(one)

    def scroll_up(self) -> None:
        """One row."""
        self.list.scroll_rows(-1)


class WidgetList(App[None]):
    """The reference: one widget per message."""

    def __init__(self, messages: list[Message]) -> None:
        super().__init__()
        self.messages = messages

    def compose(self) -> ComposeResult:
        """All of them."""
        with VerticalScroll():
            for one in self.messages:
                yield self.widget(one)

    @staticmethod
    def widget(one: Message) -> Static:
        """The text of a message."""
        return Static(one.content.removeprefix("<p>").removesuffix("</p>"), markup=False)

    def on_mount(self) -> None:
        """Scrolls to the newest message."""
        self.query_one(VerticalScroll).scroll_end(animate=False)

    async def append(self, one: Message) -> None:
        """Appends a message at the bottom."""
        scroll = self.query_one(VerticalScroll)
        await scroll.mount(self.widget(one))
        scroll.scroll_end(animate=False)

    def scroll_up(self) -> None:
        """One row."""
        self.query_one(VerticalScroll).scroll_relative(y=-1, animate=False)


async def work(pilot: Pilot[None], act: Callable[[], Awaitable[None] | None], times: int) -> float:
    """Median CPU seconds until the screen shows it."""
    found = []
    for _ in range(times):
        start = time.process_time()
        made = act()
        if made is not None:
            await made
        await pilot.pause()
        found.append(time.process_time() - start)
    return median(found)


async def measured(kind: str, count: int) -> dict[str, float]:
    """CPU seconds and bytes."""
    messages = [message(number) for number in range(1, count + 1)]
    before = resident_bytes("self")
    start = time.process_time()
    app = OurList(messages) if kind == "ours" else WidgetList(messages if kind == "widgets" else [])
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        mount = time.process_time() - start
        numbers = iter(range(count + 1, count + 100))
        append = await work(pilot, lambda: app.append(message(next(numbers))), 15)
        scroll = await work(pilot, app.scroll_up, 30)
        return {"mount": mount, "append": append, "scroll": scroll, "memory": resident_bytes("self") - before}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(measured(sys.argv[1], int(sys.argv[2])))))
