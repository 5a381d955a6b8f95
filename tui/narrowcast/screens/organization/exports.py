"""Exports of the organization's data: start one, copy its URL, delete it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import OneOf, Values
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.text.formats import has_long_clock, moment
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.state.changes import Change, SettingsChanged, StateReplaced
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ExportType

if TYPE_CHECKING:
    from narrowcast_api.resources.exports import Export
    from narrowcast_api.sync.session import Session

_KINDS = {
    ExportType.PUBLIC: "public data",
    ExportType.FULL_WITH_CONSENT: "public data, and private data of users who consented",
    ExportType.FULL_WITHOUT_CONSENT: "all data, including everyone's private data",
}
_OLD_KINDS = {1: ExportType.PUBLIC, 2: ExportType.FULL_WITH_CONSENT}


class ExportsScreen(ManageScreen["Export"]):
    """Fetched when the screen opens and when an event reports a change, since the state does not hold them."""

    TITLE_TEXT = "Data exports"
    KEYS = (
        ("manage.new", "starts an export"),
        ("list.select", "copies the address"),
        ("manage.delete", "deletes"),
    )
    EMPTY = Empty("No exports", "An export is an archive of the organization's data.")

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._exports: list[Export] = []
        self._agreed = ""

    def refusal(self) -> str:
        return permissions.only_administrators(self.state, "export data")

    async def load(self) -> None:
        if self.refusal():
            return
        self._exports = await self.session.client.exports.list()
        if self.state.supports(Gate.EXPORT_CONSENTS):
            consents = await self.session.client.exports.consents()
            self._agreed = (
                f"{sum(consent.consented for consent in consents)} of {len(consents)} users consented."
            )

    def _on_changes(self, changes: Sequence[Change]) -> None:
        """Reloads the list when the server reports that an export is complete or failed."""
        told = any(isinstance(change, SettingsChanged) and "exports" in change.names for change in changes)
        if told or any(isinstance(change, StateReplaced) for change in changes):
            self.work(self.reload())

    def rows(self) -> Sequence[ListRow[Export]]:
        """When it was started, what it contains, and its status; newest first."""
        newest = sorted(self._exports, key=lambda item: -(item.export_time or 0))
        return [
            ListRow(item.id, item, f"{self._moment(item)}  {_kind(item)}", _status(item)) for item in newest
        ]

    def new(self) -> None:
        if self.refused():
            return

        async def create(values: Values) -> object:
            await self.session.client.exports.create(export_type=ExportType(str(values["kind"])))
            await self.reload()
            return True

        kinds: list[tuple[object, str]] = [
            (kind.value, words)
            for kind, words in _KINDS.items()
            if kind is not ExportType.FULL_WITHOUT_CONSENT
            or (
                self.state.supports(Gate.EXPORT_TYPE_WORDS)
                and self.state.organization.flag("owner_full_content_access")
                and permissions.is_owner(self.state)
            )
        ]
        field = OneOf("kind", "Export", options=kinds, value=ExportType.PUBLIC.value)
        done = "The server is preparing the export. That can take a while."
        self.form("Start export", [field], create, verb="starts", note=self._agreed, done=done)

    def open(self, item: Export) -> None:
        if item.export_url and not item.export_from_prior_server:
            self.copy(urljoin(f"{self.session.account.site}/", item.export_url))
        else:
            self.say(f"This export is {_status(item)}.")

    def question(self, item: Export) -> Question | None:
        if self.refused() or not item.export_url or item.deleted_timestamp or item.export_from_prior_server:
            return None
        return Question(f"Delete the export of {_kind(item)} from {self._moment(item)}?", "Delete export")

    def _moment(self, item: Export) -> str:
        at = item.export_time
        return moment(at, time.time(), long=has_long_clock(self.state)) if at else "?"

    async def delete(self, item: Export) -> None:
        await self.session.client.exports.delete(export_id=item.id)
        await self.reload()


def _kind(item: Export) -> str:
    kind = _OLD_KINDS.get(item.export_type) if isinstance(item.export_type, int) else item.export_type
    return next((words for known, words in _KINDS.items() if known == kind), "data")


def _status(item: Export) -> str:
    if item.export_from_prior_server:
        return "made on the organization's earlier server"
    if item.deleted_timestamp:
        return "deleted"
    if item.failed_timestamp:
        return "failed"
    return "being prepared" if item.pending or not item.export_url else "complete"
