"""Commands on the organization: its settings and what it configures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.screens.account.server import ServerScreen
from narrowcast.screens.dialogs.asking import ask
from narrowcast.screens.dialogs.confirm import Question, ask_first
from narrowcast.screens.dialogs.form_fields import LineField, UnusableValue, Values
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.messages.picture_file import picture_question, read_picture
from narrowcast.screens.organization.domains import DomainsScreen
from narrowcast.screens.organization.emoji import EmojiScreen
from narrowcast.screens.organization.exports import ExportsScreen
from narrowcast.screens.organization.linkifiers import LinkifiersScreen, PlaygroundsScreen
from narrowcast.screens.organization.profile_fields import ProfileFieldsScreen
from narrowcast.screens.settings.server_settings import NewcomerSettingsScreen, OrganizationSettingsScreen
from narrowcast_api import permissions

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace


def settings(screen: Workspace) -> None:
    """Changes the organization's settings and permissions."""
    screen.app.push_screen(OrganizationSettingsScreen(screen.session))


def newcomers(screen: Workspace) -> None:
    """Changes the default settings of new users."""
    screen.app.push_screen(NewcomerSettingsScreen(screen.session))


def domains(screen: Workspace) -> None:
    """Manages the email domains from which users may join."""
    screen.app.push_screen(DomainsScreen(screen.session))


def emoji(screen: Workspace) -> None:
    """Manages the custom emoji."""
    screen.app.push_screen(EmojiScreen(screen.session))


def linkifiers(screen: Workspace) -> None:
    """Manages the linkifiers, which turn patterns in messages into links."""
    screen.app.push_screen(LinkifiersScreen(screen.session))


def playgrounds(screen: Workspace) -> None:
    screen.app.push_screen(PlaygroundsScreen(screen.session))


def fields(screen: Workspace) -> None:
    screen.app.push_screen(ProfileFieldsScreen(screen.session))


def exports(screen: Workspace) -> None:
    """Manages the exports of the organization's data."""
    screen.app.push_screen(ExportsScreen(screen.session))


def pictures(screen: Workspace) -> None:
    """Changes the icon, and the logos for light and dark themes."""
    state = screen.session.state
    if screen.refuse(permissions.only_administrators(state, "change the organization's pictures")):
        return

    def delete(kind: str) -> None:
        screen.spawn(_change_picture(screen, kind, None), "delete the picture")

    def chosen(what: tuple[str, bool] | None) -> None:
        if what is None:
            return
        kind, uploads = what
        if not uploads:
            question = Question(f"Delete the {_PICTURES[kind]}?", "Delete picture")
            ask_first(screen, question, lambda: delete(kind))
            return

        def picked(path: str | None) -> None:
            if path:
                screen.spawn(_change_picture(screen, kind, path), "change the picture")

        screen.app.push_screen(picture_question(f"Upload {_PICTURES[kind]}", _most(screen, kind)), picked)

    plan = permissions.plan_refusal(state).short
    choices = [
        Choice((kind, True), f"Upload {words}…", disabled="" if kind == "icon" else plan)
        for kind, words in _PICTURES.items()
    ]
    for kind, words in _PICTURES.items():
        is_uploaded = state.organization.text(f"{kind}_source") not in _NOT_UPLOADED
        choices.append(
            Choice((kind, False), f"Delete {words}", disabled="" if is_uploaded else "none uploaded")
        )
    screen.app.push_screen(Picker("Organization pictures", choices), chosen)


_PICTURES = {"icon": "organization icon", "logo": "logo", "night_logo": "logo for dark themes"}
_NOT_UPLOADED = ("G", "D")
"""Sources of a picture that nobody uploaded: Gravatar, or the server's default."""


def _most(screen: Workspace, kind: str) -> int:
    """Maximum file size of such a picture, in MiB."""
    limits = screen.session.state.limits
    return limits.max_icon_file_size_mib if kind == "icon" else limits.max_logo_file_size_mib


async def _change_picture(screen: Workspace, kind: str, path: str | None) -> None:
    group, night = screen.session.client.organization_pictures, kind == "night_logo"
    if path is None:
        await (group.remove_icon() if kind == "icon" else group.remove_logo(night=night))
        screen.tell("Picture deleted.")
        return
    try:
        image, name, content_type = await read_picture(path, _most(screen, kind))
    except UnusableValue as problem:
        screen.tell(problem.text, severity="error")
        return
    if kind == "icon":
        await group.set_icon(image=image, file_name=name, content_type=content_type)
    else:
        await group.set_logo(image=image, night=night, file_name=name, content_type=content_type)
    screen.tell("Picture changed.")


def deactivate(screen: Workspace) -> None:
    """Deactivates the organization, after the user has typed its name."""
    state = screen.session.state
    if screen.refuse(permissions.only_owners(state, "deactivate the organization")):
        return
    name = state.organization.text("name") or screen.session.account.site

    async def submit(values: Values) -> None:
        if values.text("name") != name:
            raise UnusableValue("name", f"This is not the name of the organization: {name}")
        await screen.session.client.organization.deactivate()

    field = LineField("name", "Organization name", f"Type {name} to confirm", required=True)
    note = "Nobody can log in afterwards. Only the operator of the server can undo this."
    title, done = f"Deactivate {name}", "The organization is deactivated."
    ask(screen, title, [field], submit, verb="deactivates", note=note, done=done)


def server(screen: Workspace) -> None:
    screen.app.push_screen(ServerScreen(screen.session))
