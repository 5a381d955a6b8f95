"""Commands on the organization: its settings and what it configures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.screens.account.server import ServerScreen
from narrowcast.screens.organization.domains import DomainsScreen
from narrowcast.screens.organization.emoji import EmojiScreen
from narrowcast.screens.organization.linkifiers import LinkifiersScreen, PlaygroundsScreen
from narrowcast.screens.organization.profile_fields import ProfileFieldsScreen
from narrowcast.screens.settings.screen import NewcomerSettingsScreen, OrganizationSettingsScreen

if TYPE_CHECKING:
    from narrowcast.commands.workspace import Workspace


def settings(screen: Workspace) -> None:
    """Settings, and who may do what."""
    screen.app.push_screen(OrganizationSettingsScreen(screen.session))


def newcomers(screen: Workspace) -> None:
    """What new people start with."""
    screen.app.push_screen(NewcomerSettingsScreen(screen.session))


def domains(screen: Workspace) -> None:
    """Whose addresses may join."""
    screen.app.push_screen(DomainsScreen(screen.session))


def emoji(screen: Workspace) -> None:
    """The organization's own emoji."""
    screen.app.push_screen(EmojiScreen(screen.session))


def linkifiers(screen: Workspace) -> None:
    """What becomes a link by itself."""
    screen.app.push_screen(LinkifiersScreen(screen.session))


def playgrounds(screen: Workspace) -> None:
    """Sites that open code."""
    screen.app.push_screen(PlaygroundsScreen(screen.session))


def fields(screen: Workspace) -> None:
    """Profile fields."""
    screen.app.push_screen(ProfileFieldsScreen(screen.session))


def server(screen: Workspace) -> None:
    """What the server is."""
    screen.app.push_screen(ServerScreen(screen.session))
