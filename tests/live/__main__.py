"""Tests the library against a Zulip server: python -m live SITE --change-this-organization [WHAT] [--rc FOLDER]

It changes that organization permanently: it creates channels, users, groups and messages and changes settings. FOLDER
contains zuliprc files of an owner, an administrator, a moderator, five members or more, and a guest; without it, the
people of a development server are used, which has logins without passwords. See tests/live/README.md.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import tempfile
from pathlib import Path

import httpx2

from live import history, keyboard, operations, refusals, renderings
from live.call_recorder import CallRecorder
from live.site import LiveSite
from narrowcast_api.account import Account
from narrowcast_api.errors import NotFound
from narrowcast_api.http.connection import Connection
from narrowcast_api.routes import auth


def main() -> int:
    """Runs the selected parts; returns 1 if differences were found."""
    parser = argparse.ArgumentParser(prog="python -m live", description=__doc__)
    parser.add_argument("site", help="the URL of an organization created for these tests")
    parser.add_argument(
        "what",
        nargs="?",
        default="all",
        choices=["all", "operations", "keyboard", "history", "refusals", "renderings"],
        help="all: every operation of the library, the app by its keyboard, random histories (default)",
    )
    parser.add_argument("--rc", type=Path, metavar="FOLDER", help="folder of zuliprc files of its users")
    parser.add_argument(
        "--change-this-organization",
        action="store_true",
        help="required: the organization is changed permanently",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the histories (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=180, help="duration of the histories (default: %(default)s)"
    )
    parser.add_argument(
        "--batch", type=int, default=60, help="steps between comparisons (default: %(default)s)"
    )
    parser.add_argument("--part", choices=operations.PARTS, help="one part of the operations")
    parser.add_argument(
        "--log", type=Path, help="file for all requests, and the received events if states differ"
    )
    args = parser.parse_intermixed_args()
    if not args.change_this_organization:
        parser.error("this changes the organization permanently: add --change-this-organization")
    logging.disable(logging.CRITICAL)
    return asyncio.run(_run(args))


async def _run(args: argparse.Namespace) -> int:
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as http:
        site = await LiveSite.open(http, args.site, await _accounts(args.site.rstrip("/"), args.rc))
        unexpected = 0
        if args.what in ("all", "operations"):
            unexpected = await _operations(site, args.part)
        if args.what == "operations":
            return unexpected
        if args.what in ("all", "keyboard"):
            unexpected += await _keyboard(site)
        if args.what == "keyboard":
            return unexpected
        if args.what == "renderings":
            _say(f"{await renderings.run(site)} texts rendered")
            return 0
        if args.what == "refusals":
            return await _refusals(site)
        report = await history.run(site, args.seed, args.seconds, args.batch)
    if args.log:
        args.log.write_text("\n".join(report.log))
    for name, found in report.differences.items():
        _say(f"STATE {name}:", *(f"  {key}: {value!r}" for key, value in found.items()))
    for step, theirs, ours in report.other_outcomes:
        _say(f"OUTCOME {step}", f"  live     {theirs}", f"  embedded {ours}")
    for outcome in report.failures:
        _say(f"FAILED {outcome.line()}")
    _say(f"{report.steps} steps")
    return 1 if unexpected or report.differences or report.failures else 0


async def _accounts(site: str, folder: Path | None) -> list[Account]:
    """The accounts of a folder, else those of the people of a development server."""
    if folder is not None:
        return [Account.from_zuliprc(path, allow_shared=True) for path in sorted(folder.iterdir())]
    async with Connection(site) as connection:
        try:
            people = await auth.list_dev_users(connection)
        except NotFound:
            raise SystemExit(f"{site} is no development server: name a folder with --rc") from None
        return [await auth.fetch_dev_api_key(connection, username=email) for email in people]


async def _operations(site: LiveSite, only: str | None) -> int:
    await site.lay_out()
    recorder = CallRecorder(site)
    try:
        await operations.run(recorder, only)
    finally:
        _say(
            *(str(call) for call in recorder.unexpected), *(f"ended early: {one}" for one in recorder.stopped)
        )
        _say(f"{len(recorder.calls)} calls, {len(recorder.unexpected)} of them unexpected")
        _say("not called: " + ", ".join(recorder.not_called()))
        await recorder.aclose()
    return 1 if recorder.unexpected or recorder.stopped else 0


async def _keyboard(site: LiveSite) -> int:
    await site.lay_out()
    with tempfile.TemporaryDirectory() as folder:
        driven = await keyboard.run(site, Path(folder))
    _say(f"{driven.done} operations and commands of the app, {len(driven.failures)} of them unexpected")
    return 1 if driven.failures else 0


async def _refusals(site: LiveSite) -> int:
    report = await refusals.run(site)
    order = list(refusals.Kind)
    for (kind, (method, path), wrong), found in sorted(
        report.different.items(), key=lambda group: (order.index(group[0][0]), group[0][1], group[0][2] or "")
    ):
        _say(f"{kind.name} {method} {path} {wrong or ''}: {len(found)}")
        for live, ours in found[:1]:
            _say(f"  {live.who} {str(live.params)[:200]}")
            _say(f"  live     {live.status} {live.body}"[:300])
            _say(f"  embedded {ours.status} {ours.body}"[:300])
    for kind in order:
        numbers = [len(found) for (of_kind, _, _), found in report.different.items() if of_kind is kind]
        _say(f"{sum(numbers)} {kind.value}, in {len(numbers)} groups")
    _say(f"{report.requests} requests, {report.unknown} of them unknown to the live server")
    return 0


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
