"""Commands on people: cards, accounts, groups, invitations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.commands import targets
from narrowcast.screens.account.muted import MutedPeopleScreen
from narrowcast.screens.dialogs.late import RequestOrigin
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.groups.groups import GroupsScreen
from narrowcast.screens.organization.invitations import InvitationsScreen
from narrowcast.screens.people.accounts import AccountsScreen
from narrowcast.screens.people.card import PersonScreen
from narrowcast.text import names
from narrowcast.text.user_search import search_text

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace


def card(screen: Workspace) -> None:
    """Shows the card of the selected person, or of the sender of the selected message."""
    user_id = targets.person_here(screen)
    if user_id is None:
        find(screen)
    else:
        show(screen, user_id)


def show(screen: Workspace, user_id: int) -> None:
    """Shows a user's card; users that the state does not have are fetched."""
    if screen.session.state.users.get(user_id) is None:
        screen.spawn(_fetch_and_show(screen, user_id), "load the user")
    else:
        screen.app.push_screen(PersonScreen(screen.session, user_id))


async def _fetch_and_show(screen: Workspace, user_id: int) -> None:
    attention = RequestOrigin(screen.messages)
    fetched = await screen.session.client.users.get(user_id=user_id, include_custom_profile_fields=True)
    card = PersonScreen(screen.session, user_id, fetched=fetched)
    attention.open(card, what=f"The card of {fetched.full_name}", again="Open it again.")


def find(screen: Workspace) -> None:
    state = screen.session.state
    people = sorted(
        (user for user in state.users if not user.is_system_bot),
        key=lambda user: (not user.is_active, user.full_name.casefold()),
    )
    choices = [
        Choice(
            user.user_id,
            user.full_name,
            ("bot" if user.is_bot else "") if user.is_active else names.gone(user),
            also=search_text(state, user),
        )
        for user in people
    ]

    def chosen(user_id: int | None) -> None:
        if user_id is not None:
            show(screen, user_id)

    screen.app.push_screen(Picker("Find user", choices, placeholder="name or email address"), chosen)


def accounts(screen: Workspace) -> None:
    """Lists all users, including deactivated ones."""
    screen.app.push_screen(AccountsScreen(screen.session))


def groups(screen: Workspace) -> None:
    screen.app.push_screen(GroupsScreen(screen.session))


def invitations(screen: Workspace) -> None:
    """Manages invitations: lists pending ones, sends new ones, creates links."""
    screen.app.push_screen(InvitationsScreen(screen.session))


def muted(screen: Workspace) -> None:
    screen.app.push_screen(MutedPeopleScreen(screen.session))
