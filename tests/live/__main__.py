"""Tries the library against a Zulip server: python -m live SITE RC_FOLDER --change-this-organization [WHAT]

It changes that organization: it makes channels, people, groups and messages, changes settings, and takes little of it
back. RC_FOLDER has zuliprc files of an owner, an administrator, a moderator, five members or more, and a guest.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from pathlib import Path

import httpx

from live import history, operations, refusals, renderings
from live.site import LiveSite
from live.trial import Trial


def main() -> int:
    """Runs what the arguments name; 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m live", description=__doc__)
    parser.add_argument("site", help="the address of an organization made for this")
    parser.add_argument("folder", type=Path, help="zuliprc files of its people")
    parser.add_argument(
        "what", nargs="?", default="history", choices=["history", "operations", "refusals", "renderings"]
    )
    parser.add_argument(
        "--change-this-organization",
        action="store_true",
        help="needed: nothing there is as it was afterwards",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the histories (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=180, help="of histories (default: %(default)s)")
    parser.add_argument(
        "--batch", type=int, default=60, help="steps between comparisons (default: %(default)s)"
    )
    parser.add_argument("--part", choices=operations.PARTS, help="one part of the operations")
    parser.add_argument(
        "--log", type=Path, help="file for every request, and what was heard where states differ"
    )
    args = parser.parse_intermixed_args()
    if not args.change_this_organization:
        parser.error("this changes the organization for good: say --change-this-organization")
    logging.disable(logging.CRITICAL)
    return asyncio.run(_run(args))


async def _run(args: argparse.Namespace) -> int:
    async with httpx.AsyncClient(trust_env=False, timeout=60) as http:
        site = await LiveSite.open(http, args.site, args.folder)
        if args.what == "operations":
            return await _operations(site, args.part)
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
    for done in report.failures:
        _say(f"FAILED {done}")
    _say(f"{report.steps} steps")
    return 1 if report.differences or report.failures else 0


async def _operations(site: LiveSite, only: str | None) -> int:
    await site.lay_out()
    trial = Trial(site)
    try:
        await operations.run(trial, only)
    finally:
        _say(*(str(call) for call in trial.unexpected), *(f"ended early: {one}" for one in trial.stopped))
        _say(f"{len(trial.calls)} calls, {len(trial.unexpected)} of them unexpected")
        _say("called by nobody: " + ", ".join(trial.not_called()))
        await trial.aclose()
    return 1 if trial.unexpected or trial.stopped else 0


async def _refusals(site: LiveSite) -> int:
    report = await refusals.run(site)
    order = list(refusals.Kind)
    for (kind, (method, path), wrong), found in sorted(
        report.different.items(), key=lambda group: (order.index(group[0][0]), group[0][1], group[0][2] or "")
    ):
        _say(f"{kind.name} {method} {path} {wrong or ''}: {len(found)}")
        for live, ours in found[:1]:
            _say(f"  {live.who} {str(live.params)[:200]}")
            _say(f"  live     {live.status} {live.answer}"[:300])
            _say(f"  embedded {ours.status} {ours.answer}"[:300])
    for kind in order:
        numbers = [len(found) for (of_kind, _, _), found in report.different.items() if of_kind is kind]
        _say(f"{sum(numbers)} {kind.value}, in {len(numbers)} groups")
    _say(f"{report.requests} requests, {report.unknown} of them unknown to the live server")
    return 0


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
