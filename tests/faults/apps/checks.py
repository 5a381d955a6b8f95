"""What must hold in the end: windows, journals and server agree; every typed word is somewhere, once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faults.apps.backdrop import PEOPLE, Backdrop
from faults.apps.window import AppWindow
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.folders import account_folder_name
from narrowcast_api.storage.journal import Journal

SETTLED_WITHIN = 180.0
"""Seconds after the last action within which everything must agree: the longest retry interval of a
disconnected client is a minute, and messages lost in transit delay others for half a minute.
"""
SHARED = ("outbox", "drafts", "unread", "starred")
"""The facts that all windows of an account must agree on."""

Reports = list[list[dict[str, Any]]]
"""By window, then by account."""


@dataclass
class Written:
    """A typed text. `may_be_lost`: its window was killed at once."""

    text: str
    window: AppWindow
    may_be_lost: bool = False


def settled(windows: Sequence[AppWindow], stage: Backdrop, senders: Callable[[], list[int]]) -> Reports:
    """Returns the reports of the windows once all agree; fails with the reports after the time limit."""
    end = time.monotonic() + SETTLED_WITHIN
    same, why = 0, ""
    while time.monotonic() < end:
        for window in windows:
            window.terminal.settle(0.1, 0.5)
        reports = [window.reports() for window in windows]
        known = [report for report in reports if report is not None]
        why = "a window says nothing" if len(known) < len(windows) else _unsettled(known, stage)
        if not why and (left := senders()):
            why = f"processes send in the background: {left}"
        same = 0 if why else same + 1
        if same == 4:
            return known
    screens = "\n\n".join(window.terminal.text for window in windows)
    raise AssertionError(f"not settled: {why}\n{screens}")


def _unsettled(reports: Reports, stage: Backdrop) -> str:
    for index, name in enumerate(PEOPLE):
        said = [report[index] for report in reports]
        for one in said:
            if time.time() - one["mtime"] > 30:
                return f"{name}: a window reports no more"
            if not one["live"] or one["waiting"] or any(state != "failed" for _, state in one["outbox"]):
                return f"{name}: {one}"
            for what in SHARED:
                if one[what] != said[0][what]:
                    return f"{name}: windows differ in {what}: {[each[what] for each in said]}"
        kept = sorted(text.strip() for text in said[0]["drafts"])  # as servers trim them
        if (drafts := server_drafts(stage, name)) != kept:
            return f"{name}: the server has the drafts {drafts}, the windows {said[0]['drafts']}"
    return ""


def server_drafts(stage: Backdrop, name: str) -> list[str]:
    """The data of a user on the server."""
    return sorted(draft["content"] for draft in stage.call(name, "GET", "/drafts")["drafts"])


class Checks:
    """`home` is the home directory of the windows."""

    def __init__(self, stage: Backdrop, home: Path) -> None:
        self._stage = stage
        self._home = home

    def agree(self, reports: Reports) -> None:
        """Compares all windows with the server."""
        for index, name in enumerate(PEOPLE):
            messages = {message["id"]: message for message in self._stage.messages(name, source=False)}
            unread = sorted(i for i, message in messages.items() if "read" not in message["flags"])
            starred = sorted(i for i, message in messages.items() if "starred" in message["flags"])
            for said in (report[index] for report in reports):
                assert said["unread"] == unread, f"{name}: unread {said['unread']}, at the server {unread}"
                assert said["starred"] == starred, (
                    f"{name}: starred {said['starred']}, at the server {starred}"
                )
                self._same_view(name, said, messages)

    def _same_view(self, name: str, said: dict[str, Any], messages: dict[int, dict[str, Any]]) -> None:
        for key, content in said["view"].items():
            message = messages[int(key)]
            there = sorted([one["emoji_name"], one["user_id"]] for one in message["reactions"])
            assert content == message["content"], f"{name}: message {key} is shown as {content}"
            assert said["reactions"][key] == there, f"{name}: reactions {said['reactions'][key]}, not {there}"

    def nothing_lost(self, written: Sequence[Written], reports: Reports) -> None:
        """Every text is on the server, or offered as unsent, or a draft, or an unsaved edit."""
        sent, said = self._at_the_server()
        journals = self._journals(reports)
        for one in written:
            ends = sum(text.endswith(one.text) for text in sent)
            assert ends <= 1, f"{one.text} was sent {ends} times"
            offered = any(text.endswith(one.text) for text in journals["outbox"])
            assert not (ends and offered), f"{one.text} was sent and is offered as not sent"
            kept = any(one.text in text for texts in (said, *journals.values()) for text in texts)
            assert kept or one.may_be_lost, f"{one.text} is lost"

    def _at_the_server(self) -> tuple[list[str], list[str]]:
        """The messages as they were sent, and all versions of their texts."""
        found: dict[int, list[str]] = {}
        for name in PEOPLE:
            for message in self._stage.messages(name, source=True):
                if message["id"] in found:
                    continue
                texts = [message["content"]]
                if message.get("last_edit_timestamp"):
                    texts = self._stage.earlier_texts(name, message["id"])
                found[message["id"]] = texts
        return [texts[0] for texts in found.values()], [text for texts in found.values() for text in texts]

    def _journals(self, reports: Reports) -> dict[str, list[str]]:
        """The texts on disk of all accounts."""
        kept: dict[str, list[str]] = {"outbox": [], "drafts": [], "edits": []}
        for name in PEOPLE:
            with closing(self._journal(name)) as journal:
                kept["outbox"] += [record.content for record in journal.load_outbox()]
                kept["drafts"] += [draft.content for draft in journal.load_drafts() if draft.is_listed]
                kept["edits"] += [edit.content for edit in journal.edits()]
        return kept

    def _journal(self, name: str) -> Journal:
        account = self._stage.account(name)
        folder = account_folder_name(account.site, account.email)
        path = self._home / "data" / "narrowcast" / folder / "journal.db"
        return Journal.open(path, read_only="looked at", executor=inline)

    def journals_agree(self, reports: list[dict[str, Any]]) -> None:
        """Compares the journals with the reports before the windows were closed; an unsaved edit is a draft
        by then.
        """
        for index, name in enumerate(PEOPLE):
            with closing(self._journal(name)) as journal:
                kept = sorted([record.content, record.state.value] for record in journal.load_outbox())
                drafts = sorted(draft.content for draft in journal.load_drafts() if draft.is_listed)
                assert journal.load_read_marks() == []
                assert journal.load_acts() == []
            assert kept == reports[index]["outbox"], f"{name}: {kept} in the journal"
            missing = [text for text in reports[index]["drafts"] if text not in drafts]
            assert not missing, f"{name}: {missing} are not in the journal"
