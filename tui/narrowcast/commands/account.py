"""Commands on the user's own account: profile, picture, settings, password, key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.commands import targets
from narrowcast.config import account_files
from narrowcast.runtime.context import app_of
from narrowcast.screens.account.second_factor import SecondFactorScreen
from narrowcast.screens.account.signed_in import SignedInScreen
from narrowcast.screens.dialogs.asking import ask
from narrowcast.screens.dialogs.confirm import Question, ask_first
from narrowcast.screens.dialogs.form_fields import LineField, UnusableValue, Values
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.messages.picture_file import picture_question, read_picture
from narrowcast.screens.people.accounts import BotsScreen
from narrowcast.screens.people.keys import show_key
from narrowcast.screens.people.profile import profile_form
from narrowcast.screens.settings.app_settings import AppSettingsScreen
from narrowcast.screens.settings.server_settings import OwnSettingsScreen
from narrowcast.text.formats import counted
from narrowcast_api import permissions
from narrowcast_api.account import Account, AccountError
from narrowcast_api.http.secret import Secret

if TYPE_CHECKING:
    from pathlib import Path

    from narrowcast.screens.workspace import Workspace


def profile(screen: Workspace) -> None:
    """Edits the name, time zone and profile fields."""

    def closed(result: object) -> None:
        if result is not None:
            screen.tell("Profile saved.")

    screen.app.push_screen(profile_form(screen.session), closed)


def settings(screen: Workspace) -> None:
    screen.app.push_screen(OwnSettingsScreen(screen.session))


def app_settings(screen: Workspace) -> None:
    """Shows every key of the configuration file, to be changed."""
    screen.app.push_screen(AppSettingsScreen(screen.session))


def bots(screen: Workspace) -> None:
    screen.app.push_screen(BotsScreen(screen.session))


# the picture


def picture(screen: Workspace) -> None:
    """Chooses a new profile picture, or deletes the current one."""
    state = screen.session.state
    if screen.refuse(permissions.picture_refusal(state)):
        return
    most = state.limits.max_avatar_file_size_mib

    def chosen(what: str | None) -> None:
        if what == "choose":
            screen.app.push_screen(
                picture_question("Upload new profile picture", most),
                lambda path: _picture_chosen(screen, path, most),
            )
        elif what == "remove":
            ask_first(screen, Question("Delete your profile picture?", "Delete picture"), delete)

    def delete() -> None:
        screen.spawn(_remove_picture(screen), "delete your profile picture")

    choices = [Choice("choose", "Upload new picture…"), Choice("remove", "Delete profile picture")]
    screen.app.push_screen(Picker("Profile picture", choices), chosen)


def _picture_chosen(screen: Workspace, path: str | None, most: int) -> None:
    if path:
        screen.spawn(_set_picture(screen, path, most), "change your profile picture")


async def _set_picture(screen: Workspace, path: str, most: int) -> None:
    try:
        image, name, kind = await read_picture(path, most)
    except UnusableValue as problem:
        screen.tell(problem.text, severity="error")
        return
    await screen.session.client.avatar.set(image=image, file_name=name, content_type=kind)
    screen.tell("Profile picture changed.")


async def _remove_picture(screen: Workspace) -> None:
    await screen.session.client.avatar.delete()
    screen.tell("Profile picture removed.")


# address, password, key


def email(screen: Workspace) -> None:
    """Changes the email address; most servers ask for a confirmation by email."""
    state = screen.session.state
    if state.organization.flag("email_changes_disabled") and not permissions.is_administrator(state):
        screen.refuse(permissions.only_administrators(state, "change email addresses in this organization"))
        return
    me = state.users.get(state.me)

    async def change(values: Values) -> object:
        response = await screen.session.client.settings.update(settings={"email": values.text("email")})
        if "email" in (response.ignored_parameters_unsupported or ()):
            ask = "" if permissions.is_administrator(state) else " Ask an administrator."
            raise UnusableValue(
                "email", f"This server does not allow users to change their email address.{ask}"
            )
        return True

    field = LineField("email", "Email", value=me.delivery_email or "" if me else "", required=True)
    done = "Saved. You may need to confirm the new address by email."
    ask(screen, "Change email", [field], change, done=done)


def password(screen: Workspace) -> None:
    """Changes the password, after asking for the old one."""
    fewest = screen.session.state.limits.min_password_length
    file = app_of(screen).accounts.file

    async def change(values: Values) -> object:
        if len(values.text("new")) < fewest:
            raise UnusableValue("new", f"A password has at least {counted(fewest, 'character')}.")
        if values.text("new") != values.text("again"):
            raise UnusableValue("again", "Passwords do not match.")
        old, new = Secret(values.text("old")), Secret(values.text("new"))
        fresh = await screen.session.client.settings.change_password(old=old, new=new)
        if fresh is not None:
            # Changing the password ended all sessions and replaced the API key, which this app uses too.
            screen.spawn(_adopt_key(screen, file, fresh, "Password changed."), "store the new key")
        return True

    fields = [
        LineField("old", "Old password", secret=True),
        LineField(
            "new", "New password", f"At least {counted(fewest, 'character')}", required=True, secret=True
        ),
        LineField("again", "Confirm new password", required=True, secret=True),
    ]
    ask(screen, "Change password", fields, change, done="Password changed.")


def two_factor(screen: Workspace) -> None:
    """Manages two-factor authentication and recovery codes."""
    screen.app.push_screen(SecondFactorScreen(screen.session))


def key(screen: Workspace) -> None:
    """Shows the API key, or generates a new one, which invalidates the old key everywhere. Both only on request."""

    file = app_of(screen).accounts.file

    def chosen(what: str | None) -> None:
        if what == "show":
            show_key(screen, "Your API key. Anyone who has it can act as you", screen.session.account.key)
        elif what == "new":
            question = Question(
                "Generate a new API key?",
                "Generate new key",
                "Other programs and devices that use the old key will be logged out.",
            )
            ask_first(
                screen,
                question,
                lambda: screen.spawn(_new_key(screen, file), "generate a new API key"),
            )

    choices = [Choice("show", "Show API key"), Choice("new", "Generate new API key…")]
    screen.app.push_screen(Picker("API key", choices), chosen)


async def _new_key(screen: Workspace, file: Path | None) -> None:
    fresh = await screen.session.client.settings.regenerate_api_key()
    await _adopt_key(screen, file, fresh, "New API key generated and saved.")


async def _adopt_key(screen: Workspace, file: Path | None, fresh: Secret, done: str) -> None:
    """Stores the key in the account's ``file`` before anything else, then reopens the account, which may no
    longer be on screen, with it.
    """
    app, old = app_of(screen), screen.session.account
    new = Account(old.site, old.email, fresh, old.ca_bundle)
    try:
        if file is None:
            raise AccountError("this account has no file")
        account_files.replace_key(file, new)
    except (AccountError, OSError) as error:
        app.tell(f"The new API key could not be saved ({error}). Copy it now.", severity="error", seconds=60)
        show_key(screen, "New API key (not saved)", new.key)
        return
    await app.accounts.reopen(file)
    app.tell(done)


def switch(screen: Workspace) -> None:
    """Lists the accounts: switches to one, adds one, logs out, changes their order."""
    targets.open_list(screen, SignedInScreen(screen.session))


def next_unread(screen: Workspace) -> None:
    """Switches to the next account, in their order, that has unread messages."""
    context = app_of(screen).accounts
    listed = list(context.listed())
    here = next((place for place, one in enumerate(listed) if one.file == context.file), 0)
    for one in listed[here + 1 :] + listed[:here]:
        if one.session is not None and one.session.state.unreads.count_all():
            screen.spawn(context.switch(one.file), "switch accounts")
            return
    screen.refuse("No unread messages in other accounts.")


def sign_out(screen: Workspace) -> None:
    """Removes the account from this machine, after asking."""
    unsent = len(screen.session.outbox.entries())
    warning = f" {counted(unsent, 'unsent message')} will wait until you log in again." if unsent else ""
    ask_first(
        screen,
        Question(
            f"Log out of {screen.session.account.email}?",
            "Log out",
            f"Its API key is removed from this machine.{warning}",
        ),
        lambda: screen.spawn(app_of(screen).accounts.sign_out(), "log out"),
    )


def deactivate(screen: Workspace) -> None:
    """Deactivates the user's own account, which an administrator can reactivate."""
    if screen.refuse(permissions.leaving_refusal(screen.session.state)):
        return

    file = app_of(screen).accounts.file

    async def end() -> None:
        app = app_of(screen)
        await screen.session.client.users.deactivate_me()
        if file is not None:
            await app.accounts.end(
                file, "Your account has been deactivated. An administrator can reactivate it."
            )

    ask_first(
        screen,
        Question(
            "Deactivate your account?",
            "Deactivate account",
            "You will be logged out immediately, and your bots will be deactivated.",
        ),
        lambda: screen.spawn(end(), "deactivate your account"),
    )
