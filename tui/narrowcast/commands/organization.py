"""Commands on the organization: its settings and what it configures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from narrowcast.screens.main.screen import MainScreen


def settings(screen: MainScreen) -> None:
    """Settings, and who may do what."""
    from narrowcast.screens.settings.screen import OrganizationSettingsScreen

    screen.app.push_screen(OrganizationSettingsScreen(screen.session))


def newcomers(screen: MainScreen) -> None:
    """What new people start with."""
    from narrowcast.screens.settings.screen import NewcomerSettingsScreen

    screen.app.push_screen(NewcomerSettingsScreen(screen.session))


def domains(screen: MainScreen) -> None:
    """Whose addresses may join."""
    from narrowcast.screens.organization.domains import DomainsScreen

    screen.app.push_screen(DomainsScreen(screen.session))


def emoji(screen: MainScreen) -> None:
    """The organization's own emoji."""
    from narrowcast.screens.organization.emoji import EmojiScreen

    screen.app.push_screen(EmojiScreen(screen.session))


def linkifiers(screen: MainScreen) -> None:
    """What becomes a link by itself."""
    from narrowcast.screens.organization.linkifiers import LinkifiersScreen

    screen.app.push_screen(LinkifiersScreen(screen.session))


def playgrounds(screen: MainScreen) -> None:
    """Sites that open code."""
    from narrowcast.screens.organization.linkifiers import PlaygroundsScreen

    screen.app.push_screen(PlaygroundsScreen(screen.session))


def fields(screen: MainScreen) -> None:
    """Profile fields."""
    from narrowcast.screens.organization.profile_fields import ProfileFieldsScreen

    screen.app.push_screen(ProfileFieldsScreen(screen.session))


def server(screen: MainScreen) -> None:
    """What the server is."""
    from narrowcast.screens.account.server import ServerScreen

    screen.app.push_screen(ServerScreen(screen.session))
