"""``narrowcast watch``: follows accounts without a terminal, reports new messages, sends waiting ones.

It reports the messages that the app would notify of, by the same settings. It stores nothing on disk and takes no
account from an open app: it opens an account only while it sends messages that were left unsent.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from narrowcast.cli.outcome import CommandError, Exit, explain, print_error, quoted
from narrowcast.cli.printing import as_json, as_record, as_text, say
from narrowcast.cli.unsent import send_unsent
from narrowcast.config import account_files
from narrowcast.config.config import Config
from narrowcast.config.config_load import load
from narrowcast.terminal.notifications import CommandRunner, check_command, command_values
from narrowcast.terminal.paths import Paths
from narrowcast.text.formats import counted, has_long_clock, time_within
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.protocols.notifications import QuietHours, is_quiet, notice_of
from narrowcast_api.storage.folders import expand_home
from narrowcast_api.sync.arrivals import Arrivals
from narrowcast_api.sync.session import Session
from narrowcast_api.tasks import Tasks

if TYPE_CHECKING:
    from narrowcast_api.account import Account
    from narrowcast_api.model.messages import Message

GRACE = 1.0
"""Seconds in which a message can be read elsewhere before it is reported."""
SEND_EVERY = 30.0
"""Seconds between two checks for unsent messages that an app has left."""


def run(args: argparse.Namespace) -> int:
    """Watches until SIGTERM, an interrupt, the end of the terminal, or until the server has rejected all accounts."""
    paths = Paths.of_user()
    config = load(paths.config_file)
    try:
        check_command(args.run or ())
    except ValueError as error:
        raise CommandError(f"--run: {error}", Exit.USAGE) from None
    files = _files(args, paths)
    if not files:
        raise CommandError("no account is stored; log in with: narrowcast login URL", Exit.NOT_ALLOWED)
    found, code = _read(files)
    return asyncio.run(_watch(found, args, config, paths)) if found else code


def _files(args: argparse.Namespace, paths: Paths) -> list[tuple[str, Path]]:
    """The named account, or all stored accounts."""
    if args.rc:
        return [(Path(args.rc).stem, expand_home(args.rc))]
    if args.account:
        file = account_files.default(paths.accounts, args.account)
        return [] if file is None else [(args.account, file)]
    return [
        (name, account_files.file_of(paths.accounts, name)) for name in account_files.names(paths.accounts)
    ]


def _read(files: Sequence[tuple[str, Path]]) -> tuple[list[tuple[str, Account]], Exit]:
    """The accounts by name, and the exit code of the last one that cannot be read, whose error is printed."""
    found, code = [], Exit.DONE
    for name, file in files:
        try:
            found.append((name, account_files.read(file)))
        except Exception as error:
            explained = explain(error)
            if explained is None:
                raise
            message, code = explained
            print_error(message)
    return found, code


async def _watch(
    found: Sequence[tuple[str, Account]], args: argparse.Namespace, config: Config, paths: Paths
) -> Exit:
    """Watches until a signal, or until the server has rejected the keys of all accounts."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # ignored as by nohup, to outlive the terminal
            loop.add_signal_handler(number, ended.set)
    quiet = tuple(QuietHours.parse(text) for text in config.notifications.quiet)
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="narrowcast-watch-")))
        runner = CommandRunner(args.run or config.notifications.command)
        stack.push_async_callback(runner.close)
        refused: set[str] = set()

        def refuse(name: str) -> None:
            refused.add(name)
            if len(refused) == len(found):
                ended.set()

        for name, account in found:
            watcher = _Watcher(name, account, args, runner, quiet, refuse)
            stack.push_async_callback(watcher.close)
            await watcher.begin(folder / name, paths)
        await ended.wait()
        return Exit.NOT_ALLOWED if len(refused) == len(found) else Exit.DONE


class _Watcher:
    """Follows one account; its errors do not affect other accounts. ``refused`` is called with its name when the
    server rejects its API key.
    """

    def __init__(
        self,
        name: str,
        account: Account,
        args: argparse.Namespace,
        runner: CommandRunner,
        quiet: Sequence[QuietHours],
        refused: Callable[[str], None],
    ) -> None:
        self._name = name
        self._account = account
        self._json: bool = args.json
        self._all: bool = args.all
        self._runner = runner
        self._quiet = quiet
        self._refused = refused
        self._session: Session | None = None
        self._tasks = Tasks(lambda _, error: print_error(f"{name}: {error}"))
        self._telling = asyncio.Lock()
        self._status = ""
        self._live = asyncio.Event()

    async def begin(self, folder: Path, paths: Paths) -> None:
        """Reports new messages from now on."""

        self._session = session = await Session.open(
            self._account, data_dir=folder / "data", cache_dir=folder / "cache", present=False
        )
        Arrivals(session, GRACE, self._heard)
        session.subscribe(lambda _: self._on_status(session))
        self._tasks.start(session.run(), f"watch {self._name}")
        self._tasks.start(self._send_what_waits(paths), f"send what waits in {self._name}")

    async def close(self) -> None:
        """Stops reporting, and waits for reports in progress."""
        await self._tasks.close()
        if self._session is not None:
            await self._session.close()

    def _on_status(self, session: Session) -> None:
        """Reports each change of the connection once; the first successful connection is not reported."""
        kind = session.status.kind.value
        if kind == "live":
            self._live.set()
        else:
            self._live.clear()
        if kind == self._status or (kind in ("connecting", "live") and not self._status):
            return
        if kind == "refused" and session.status.ended:
            print_error(f"{self._name}: {quoted(session.status.detail)}")
        elif kind == "refused":
            print_error(f"{self._name}: the server rejected the API key; log in again")
        elif kind == "offline":
            print_error(f"{self._name}: offline, reconnecting")
        elif kind == "live" and self._status in ("offline", "refused"):
            print_error(f"{self._name}: connected again")
        self._status = kind
        if kind == "refused":
            self._refused(self._name)

    # messages

    def _heard(self, messages: Sequence[Message]) -> None:
        self._tasks.start(self._tell(list(messages)), f"report messages of {self._name}")

    async def _tell(self, messages: Sequence[Message]) -> None:
        session = self._session
        if session is None:
            return
        async with self._telling:
            for message in messages:
                state = session.state
                when = partial(time_within, now=session.clock.now(), long=has_long_clock(state))
                notice = notice_of(message, state, when)
                if notice is None and not self._all:
                    continue
                try:
                    await self._print(session, message, None if notice is None else notice.reason.value)
                except BrokenPipeError:
                    signal.raise_signal(signal.SIGTERM)  # the reader of our output has closed it
                    return
                local = datetime.now()  # noqa: DTZ005 - quiet hours are meant in local time
                if notice is not None and notice.popup and not is_quiet(self._quiet, local):
                    values = command_values(notice, title=notice.title, body=notice.body, count=1)
                    self._runner.start(values)

    async def _print(self, session: Session, message: Message, reason: str | None) -> None:
        """Prints a message with its Markdown source, which the state does not have."""

        try:
            page = await session.client.messages.list(
                anchor=message.id,
                num_before=0,
                num_after=0,
                apply_markdown=False,
                allow_empty_topic_name=self._json,
            )
        except NarrowcastError as error:
            print_error(f"{self._name}: message {message.id} cannot be fetched: {quoted(error.user_message)}")
            return
        for fetched in page.fetched:
            if fetched.message.id == message.id and self._json:
                say(as_json(replace(as_record(fetched), account=self._name, reason=reason)))
            elif fetched.message.id == message.id:
                say(f"[{self._name}] {as_text(fetched)}")
        sys.stdout.flush()

    # unsent messages

    async def _send_what_waits(self, paths: Paths) -> None:
        while True:
            await self._live.wait()
            sent, failed = await send_unsent(self._account, paths)
            if sent:
                print_error(f"{self._name}: sent {counted(sent, 'waiting message')}")
            if failed:
                print_error(
                    f"{self._name}: {counted(failed, 'message')} could not be sent; see: narrowcast outbox"
                )
            with suppress(TimeoutError):
                async with asyncio.timeout(SEND_EVERY):
                    await asyncio.Event().wait()
