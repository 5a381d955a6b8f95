# ruff: noqa: T201
"""What the message list costs, beside two yardsticks of the same run: an empty Textual app, and a VerticalScroll
with one Static a message.

    python -m tests.bench.messages

Milliseconds of this process's CPU. Times differ from machine to machine; the ratios are what to look at.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Static

from narrowcast.content.inlines import Inliner
from narrowcast.content.layout import Layout
from narrowcast.content.palette import Palette
from narrowcast.content.parse import parse
from narrowcast.panes.message_names import StateNames
from support import live
from support.message_views import ListApp, message

SIZE = (120, 40)
FEW, MANY = 2_000, 100_000
ROUNDS = 20

Step = Callable[[], object]


class EmptyApp(App[None]):
    """The first yardstick."""

    def compose(self) -> ComposeResult:
        yield Static("")


class OneWidgetAMessage(App[None]):
    """The second yardstick: what one writes first."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.texts = [Content(f"Bruno {number}\n" + "words of a message " * 5) for number in range(count)]

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            for text in self.texts:
                yield Static(text)

    def on_mount(self) -> None:
        self.scroll().scroll_end(animate=False)

    def scroll(self) -> VerticalScroll:
        """The scrolling part."""
        return self.query_one(VerticalScroll)


async def started(app: App[None], use: Callable[[Pilot[None]], Awaitable[None]]) -> float:
    """CPU milliseconds until the app stands; then `use`."""
    before = time.process_time()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        cost = (time.process_time() - before) * 1000
        await use(pilot)
    return cost


async def each(pilot: Pilot[None], step: Step, rounds: int = ROUNDS) -> float:
    """The median of CPU milliseconds of a step and the frame that it leads to."""
    costs = []
    for _ in range(rounds):
        before = time.process_time()
        step()
        await pilot.pause()
        costs.append((time.process_time() - before) * 1000)
    return median(costs)


async def of_list(count: int) -> dict[str, float]:
    """The message list with `count` messages."""
    app = ListApp([message(number) for number in range(1, count + 1)])
    results: dict[str, float] = {}

    async def use(pilot: Pilot[None]) -> None:
        numbers = iter(range(count + 1, count + 10_000))
        older = iter(range(0, -100_000, -1))
        results["step"] = await each(pilot, lambda: app.list.step(-1))
        results["page"] = await each(pilot, lambda: app.list.page(-1))
        results["scroll one row"] = await each(pilot, lambda: app.list.scroll_rows(-1))
        app.list.to_newest()
        await pilot.pause()
        results["append one"] = await each(pilot, lambda: app.put(message(next(numbers))))
        app.list.jump(count // 2)
        results["prepend 100"] = await each(
            pilot, lambda: app.put(*(message(next(older)) for _ in range(100))), 5
        )
        results["burst of 1,000"] = await each(
            pilot, lambda: app.put(*(message(next(numbers)) for _ in range(1_000))), 3
        )
        results["nothing changed"] = await each(pilot, app.list.feed_changed)

    results["start"] = await started(app, use)
    return results


async def of_widgets(count: int) -> dict[str, float]:
    """One widget a message."""
    app = OneWidgetAMessage(count)
    results: dict[str, float] = {}

    async def use(pilot: Pilot[None]) -> None:
        scroll = app.scroll()
        results["scroll one row"] = await each(pilot, lambda: scroll.scroll_relative(y=-1, animate=False))
        results["page"] = await each(pilot, lambda: scroll.scroll_page_up(animate=False))
        results["append one"] = await each(pilot, lambda: scroll.mount(Static(app.texts[0])), 5)
        results["prepend 100"] = await each(
            pilot, lambda: scroll.mount_all([Static(app.texts[0]) for _ in range(100)], before=0), 2
        )

    results["start"] = await started(app, use)
    return results


def of_content() -> dict[str, float]:
    """Microseconds a message, from HTML to lines."""
    names = StateNames(live.make_state())
    html = (
        "<p>Just some message with <strong>bold</strong> and a <a href='https://x.example/z'>link</a> in it, "
        "about as long as messages are, which is a line or two of text.</p>"
    )
    document = parse(html)
    rounds = 3_000

    def cost(work: Step) -> float:
        before = time.process_time()
        for _ in range(rounds):
            work()
        return (time.process_time() - before) / rounds * 1e6

    return {
        "parse": cost(lambda: parse(html)),
        "lay out": cost(lambda: Layout(Inliner(Palette(), names), 1).render(document, None, 90, 60)),
    }


async def nothing(_pilot: Pilot[None]) -> None:
    """For apps that only start."""


async def main() -> None:
    """Measures and prints."""
    await started(EmptyApp(), nothing)
    empty = await started(EmptyApp(), nothing)
    small, large = await of_list(FEW), await of_list(MANY)
    widgets = await of_widgets(FEW)
    print(f"message list, CPU ms ({SIZE[0]}x{SIZE[1]}); an empty app starts in {empty:.0f} ms")
    print(f"{'':18}{FEW:>10,}{MANY:>10,}{'  x growth':>10}{'widgets ' + format(FEW, ','):>16}{'  x list':>9}")
    for name, cost in small.items():
        growth = large[name] / cost
        beside = widgets.get(name)
        tail = f"{beside:>16.1f}{beside / cost:>9.1f}" if beside is not None else ""
        print(f"{name:18}{cost:>10.1f}{large[name]:>10.1f}{growth:>10.1f}{tail}")
    print(f"start above an empty app: x{large['start'] / empty:.2f} with {MANY:,} messages")
    for name, cost in of_content().items():
        print(f"{name:18}{cost:>10.0f} us a message")


if __name__ == "__main__":
    asyncio.run(main())
