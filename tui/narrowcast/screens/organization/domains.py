"""The email domains from which users may join."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import LineField, Values, YesNo
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.state.changes import Change, SettingsChanged, StateReplaced

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session
    from narrowcast_api.wire.organization import Domain


class DomainsScreen(ManageScreen["Domain"]):
    """Fetched when the screen opens and when an event reports a change, since the state does not hold them."""

    TITLE_TEXT = "Allowed domains"
    KEYS = (
        ("manage.new", "adds"),
        ("list.select", "allows/disallows subdomains"),
        ("manage.delete", "removes"),
    )
    EMPTY = Empty("No allowed domains", "Email addresses of new users can be limited to these domains.")

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._domains: list[Domain] = []

    def refusal(self) -> str:
        return permissions.only_owners(self.state, "change allowed domains")

    async def load(self) -> None:
        self._domains = await self.session.client.organization.domains()

    def _on_changes(self, changes: Sequence[Change]) -> None:
        """Reloads the list when somebody else has changed it."""
        told = any(isinstance(change, SettingsChanged) and "domains" in change.names for change in changes)
        if told or any(isinstance(change, StateReplaced) for change in changes):
            self.work(self.reload())

    def rows(self) -> Sequence[ListRow[Domain]]:
        return [
            ListRow(item.domain, item, item.domain, "subdomains allowed" if item.allow_subdomains else "")
            for item in self._domains
        ]

    def new(self) -> None:
        if self.refused():
            return

        async def add(values: Values) -> object:
            await self.session.client.organization.add_domain(
                domain=values.text("domain"), allow_subdomains=values.flag("subdomains")
            )
            await self.reload()
            return True

        fields = [
            LineField("domain", "Domain", "Such as example.com", required=True),
            YesNo("subdomains", "Allow subdomains", "Such as mail.example.com"),
        ]
        self.form("Add domain", fields, add, verb="adds", done="Added.")

    def open(self, item: Domain) -> None:
        if not self.refused():
            self.work(self._change(item), done="Saved.")

    async def _change(self, item: Domain) -> None:
        await self.session.client.organization.update_domain(
            domain=item.domain, allow_subdomains=not item.allow_subdomains
        )
        await self.reload()

    def question(self, item: Domain) -> Question | None:
        return None if self.refused() else Question(f"Remove {item.domain}?", "Remove domain")

    async def delete(self, item: Domain) -> None:
        await self.session.client.organization.remove_domain(domain=item.domain)
        await self.reload()
