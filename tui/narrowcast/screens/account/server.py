"""Information about the server: version, feature level, and what it does not support at this level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.text import names
from narrowcast.text.formats import iso_day
from narrowcast_api import permissions
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.state.changes import ConnectionChanged, SettingsChanged
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session
    from narrowcast_api.wire.server import ServerSettings


class ServerScreen(ManageScreen[str]):
    """Facts first, then every feature that needs a higher level, with the replacement used."""

    TITLE_TEXT = "About this server"
    KEYS = (("list.select", "copies"),)
    COUNTS = False
    FOLLOWS = (SettingsChanged, ConnectionChanged)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._public: ServerSettings | None = None

    async def load(self) -> None:
        """Asks for what the server says to anybody; without a connection, that is left out."""
        with suppress(NarrowcastError):
            self._public = await self.session.client.server.settings()

    def rows(self) -> Sequence[ListRow[str]]:
        return [
            *(ListRow(("fact", label), text, f"{label:<22} {text}") for label, text in self._facts()),
            *self._missing(),
        ]

    def _facts(self) -> list[tuple[str, str]]:
        state, session = self.state, self.session
        limits = state.limits
        me = state.users.get(state.me)
        plan = state.organization.get("upload_quota_mib")
        facts = [
            ("Organization", state.server.name),
            *self._public_facts(),
            ("Address", state.server.site or session.account.site),
            ("Logged in as", f"{session.account.email}, {permissions.role_name(permissions.role_of(state))}"),
            ("Version", state.server.version or "unknown"),
            ("Feature level", str(state.server.level)),
            (
                "Connection",
                f"{session.status.kind}" + (f": {session.status.detail}" if session.status.detail else ""),
            ),
            ("People", str(len(state.users.active()))),
            ("Channels", str(len(state.channels))),
            ("Max message length", f"{limits.max_message_length} characters"),
            ("Max topic length", f"{limits.max_topic_length} characters"),
            ("Max file size", f"{limits.max_file_upload_size_mib} MB"),
        ]
        if me is not None and (joined := iso_day(me.date_joined)):
            facts.append(("You joined", joined))
        if state.organization.flag("owner_full_content_access"):
            facts.append(("Owners", "may read everything, including private messages"))
        if isinstance(plan, int):
            facts.append(("Upload quota", f"{plan} MB"))
        return facts

    def _public_facts(self) -> Iterator[tuple[str, str]]:
        """What the server says to anybody: a warning first."""
        if (public := self._public) is None:
            return
        if public.is_incompatible:
            yield "Warning", names.INCOMPATIBLE
        if description := names.organization(public.realm_description):
            yield "Description", description
        if public.realm_icon:
            yield "Icon", urljoin(f"{self.session.account.site}/", public.realm_icon)
        if public.merge_base and public.merge_base != public.version:
            yield "Based on", public.merge_base

    def _missing(self) -> list[ListRow[str]]:
        level = self.state.server.level
        gates: list[Gate] = [gate for gate in Gate if gate.level > level]
        return [
            ListRow(
                (type(gate).__name__, gate.name),
                gate.title,
                f"needs {gate.level:<16} {gate.title}: {gate.value.below}",
                dim=True,
            )
            for gate in sorted(gates, key=lambda gate: gate.level)
        ]

    def open(self, item: str) -> None:
        self.copy(item)
