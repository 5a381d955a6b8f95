"""Several windows of an account, each a process: random actions, kills and outages; then all must agree.

python -m faults.many_windows [--seed N] [--acts N] [--windows N] [--runs N]: the long form.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import traceback
from collections import Counter
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from random import Random
from typing import Any

from faults.world import World, world_at
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.folders import account_folder_name
from narrowcast_api.storage.journal import Journal

TESTS = Path(__file__).resolve().parents[1]
ACTS = {
    "send": 8,
    "draft": 4,
    "read": 3,
    "star": 2,
    "cancel": 1,
    "retry": 1,
    "kill": 1,
    "outage": 1,
    "say": 3,
}
SETTLED_WITHIN = 120.0
"""Seconds after the last action within which everything must agree: messages lost in transit delay others for
half a minute.
"""


class WindowProcess:
    """One window, running until it is killed or closed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._process: asyncio.subprocess.Process

    async def start(self) -> None:
        world, account = self._world, self._world.server.account("ada")
        arguments = (
            world.proxy.url,
            account.email,
            account.key.reveal(),
            str(home_of(world)),
            str(world.channel),
        )
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "faults.window_process",
            *arguments,
            cwd=TESTS,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        started = await self._reply()
        assert started["warnings"] == [], started

    async def ask(self, act: str, seed: int = 0, text: str = "") -> dict[str, Any]:
        """Runs an action; returns its result, once all of it is on disk."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"act": act, "seed": seed, "text": text}).encode() + b"\n")
        return await self._reply()

    async def _reply(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        reply: dict[str, Any] = json.loads(await self._process.stdout.readline())
        return reply

    async def kill(self) -> None:
        """SIGKILL."""
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._ended()

    async def close(self) -> None:
        """Quits cleanly."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._ended()

    async def _ended(self) -> None:
        assert self._process.stdin is not None
        await self._process.wait()
        self._process.stdin.close()


def home_of(world: World) -> Path:
    """The folder that the windows share."""
    return world.folder / "home"


class Run:
    """The actions of one seed, and what must hold after them."""

    def __init__(self, world: World, seed: int) -> None:
        self._world = world
        self._chance = Random(seed)
        self._windows: list[WindowProcess] = []
        self.written: list[str] = []
        self._given_back: list[str] = []

    async def run(self, windows: int, acts: int) -> None:
        """Runs the actions, then a working network, then the checks."""
        async with AsyncExitStack() as stack:
            for _ in range(windows):
                window = WindowProcess(self._world)
                await window.start()
                self._windows.append(window)
                stack.push_async_callback(window.kill)
            names = self._chance.choices(list(ACTS), list(ACTS.values()), k=acts)
            for number, name in enumerate(names):
                await self._act(name, number)
                await asyncio.sleep(self._chance.choice((0.0, 0.0, 0.02, 0.2)))
            await self._world.proxy.heal()
            reports = await self._settled()
            await self._check(reports)
            for window in self._windows:
                await window.close()
            self._check_journal(reports[0])

    async def _act(self, name: str, number: int) -> None:
        window = self._chance.choice(self._windows)
        if name == "kill":
            await window.kill()
            await window.start()
        elif name == "outage":
            if self._chance.random() < 0.5:
                await self._world.proxy.refuse()
            else:
                await self._world.proxy.heal()
        elif name == "say":
            await self._world.server.send("bruno", "general", "soup", f"said {number}")
        else:
            text = f"{name} {number}"
            if name == "send":
                self.written.append(text)
            reply = await window.ask(name, self._chance.randrange(2**32), text)
            if "given_back" in reply:
                self._given_back.append(reply["given_back"])

    async def _settled(self) -> list[dict[str, Any]]:
        """Returns the reports of the windows once all agree, or after the time limit."""
        end = asyncio.get_running_loop().time() + SETTLED_WITHIN
        same = 0
        while True:
            reports = [await window.ask("report") for window in self._windows]
            calm = (
                all(
                    report["live"]
                    and report["marks"] == 0
                    and all(state == "failed" for _, state in report["outbox"])
                    and report == reports[0]
                    for report in reports
                )
                and reports[0]["drafts"] == await self._world.server_drafts()
            )
            same = same + 1 if calm else 0
            if same == 3 or asyncio.get_running_loop().time() > end:
                return reports
            await asyncio.sleep(0.3)

    async def _check(self, reports: list[dict[str, Any]]) -> None:
        for report in reports[1:]:
            assert report == reports[0]
        (first, *_) = reports
        listener = await self._world.server.listen("ada")
        snapshot = listener.snapshot
        assert first["live"]
        assert first["drafts"] == sorted(draft["content"] for draft in snapshot["drafts"])
        assert first["starred"] == sorted(snapshot["starred_messages"])
        unread = [i for topic in snapshot["unread_msgs"]["streams"] for i in topic["unread_message_ids"]]
        assert first["unread"] == sorted(unread)
        said = Counter(
            [*await self._world.contents("soup", "ada"), *await self._world.contents("tea", "ada")]
        )
        offered = Counter(content for content, _ in first["outbox"])
        for text in self.written:
            assert said[text] <= 1, f"{text} was sent twice"
            assert not (said[text] and offered[text]), f"{text} was sent and is offered as not sent"
            assert said[text] or offered[text] or text in self._given_back, f"{text} is lost"

    def _check_journal(self, report: dict[str, Any]) -> None:
        account = self._world.server.account("ada")
        name = account_folder_name(self._world.proxy.url, account.email)
        journal = Journal.open(
            home_of(self._world) / "data" / name / "journal.db", read_only="looked at", executor=inline
        )
        kept = sorted((record.content, record.state.value) for record in journal.load_outbox())
        assert kept == [tuple(entry) for entry in report["outbox"]]
        drafts = sorted(draft.content for draft in journal.load_drafts() if draft.is_listed)
        assert drafts == report["drafts"]
        assert journal.load_read_marks() == []
        journal.close()


async def run(folder: Path, seed: int, *, windows: int, acts: int) -> None:
    """One run. Raises AssertionError."""
    async with world_at(folder) as world:
        await Run(world, seed).run(windows, acts)


def main() -> int:
    """Runs consecutive seeds; prints those that fail."""
    parser = argparse.ArgumentParser(prog="python -m faults.many_windows")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=20, help="default: %(default)s")
    parser.add_argument("--acts", type=int, default=400, help="in each run (default: %(default)s)")
    parser.add_argument("--windows", type=int, default=4, help="default: %(default)s")
    args = parser.parse_args()
    failed = 0
    for seed in range(args.seed, args.seed + args.runs):
        with tempfile.TemporaryDirectory() as folder:
            try:
                asyncio.run(run(Path(folder), seed, windows=args.windows, acts=args.acts))
            except AssertionError as error:
                failed += 1
                sys.stdout.write(f"seed {seed}: {str(error) or traceback.format_exc(limit=-2)}\n")
    sys.stdout.write(f"{args.runs} runs from seed {args.seed}, {failed} failed\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
