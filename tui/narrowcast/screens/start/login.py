"""Logging in from within the app."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from narrowcast.app import sign_in
from narrowcast.app.sign_in import invitation, login_refusal
from narrowcast.app.sign_in_ways import (
    Way,
    WayKind,
    begin,
    can_open_browser,
    dev_sign_in,
    dev_users,
    finish,
    name_label,
    ways_of,
)
from narrowcast.config import account_files
from narrowcast.content.inlines import link_style
from narrowcast.keys.hints import hint_words, keys_of, shown_hints
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.runtime.background import Latest
from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.confirm import Question, ask_first
from narrowcast.terminal.desktop_clipboard import READ_EVERY, read_text
from narrowcast.terminal.programs import open_link
from narrowcast.terminal.textual_fixes import FixedScreen
from narrowcast.text import names
from narrowcast.text.safe_text import safe_block, safe_line
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.focus import focus_now
from narrowcast.widgets.one_line import OneLine, hint_pieces
from narrowcast.widgets.style_sheet import style_sheet
from narrowcast_api.account import normal_site
from narrowcast_api.errors import InvalidInput, NarrowcastError, SecondFactorNeeded
from narrowcast_api.http.secret import Secret
from narrowcast_api.routes.external_sign_in import (
    BrowserSignIn,
    Flow,
    is_complete,
    usual_flow,
)
from narrowcast_api.storage.folders import expand_home
from narrowcast_api.wire.server import ExternalMethod, ServerSettings

HINTS = (
    ("login.next", "next field"),
    ("editor.submit", "logs in"),
    ("login.key", "another way"),
    ("login.back", "back"),
)


MAX_LENGTH = 500
"""Maximum length of a server's message."""


_FIELDS = {
    WayKind.PASSWORD: ("email", "secret"),
    WayKind.KEY: ("email", "secret"),
    WayKind.DEV: ("email",),
    WayKind.BROWSER: ("pasted",),
    WayKind.FILE: ("pasted",),
    WayKind.JOIN: ("name", "email", "secret"),
}
"""The fields of each way to log in, besides the address."""


_SECRETS = {WayKind.KEY: "API key", WayKind.JOIN: "New password"}
JOIN = Way(WayKind.JOIN, "Join")


class LoginScreen(FixedScreen[None]):
    """Asks for address, email and password, or for what another way to log in needs that the server offers."""

    DEFAULT_CSS = style_sheet(__name__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.LOGIN)]
    AUTO_FOCUS = "#site"

    def __init__(self, site: str = "") -> None:
        super().__init__()
        self._first: dict[str | None, str] = {"site": site}
        self._ways = [Way(WayKind.PASSWORD, "Password"), Way(WayKind.KEY, "API key")]
        self._way = self._ways[0]
        self._settings = ServerSettings()
        """What the server said, once it was asked."""
        self._asked_site = ""
        self._flow = Flow.MOBILE
        self._attempt: BrowserSignIn | None = None
        self._looking = Latest(self)
        self._is_browser_here = False
        """Whether the page was opened on this machine, so that what is copied there is in the clipboard."""
        self._tried = ""
        self._password: asyncio.Future[str] | None = None
        """The password that the user is asked for while logging in."""
        self._busy = False
        self._warned = False
        self._labels = {name: OneLine() for name in ("name", "email", "secret", "pasted")}
        self._code_label = OneLine()
        self._work = Latest(self)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield from self._field("Organization URL", "site", "chat.example.org", self._first["site"])
            yield Static("", id="ways", markup=False)
            yield self._labels["name"]
            yield Editor("", placeholder="Ada Moreno", id="name")
            yield self._labels["email"]
            yield Editor("", placeholder="you@example.org", id="email")
            yield self._labels["secret"]
            yield Editor(password=True, id="secret")
            yield Static("", id="page", markup=False)
            yield self._labels["pasted"]
            yield Editor("", id="pasted")
            yield self._code_label
            yield Editor(password=True, id="code")
            yield Static("", id="problem", markup=False)
            hint = OneLine()
            hint.show_pieces(hint_pieces(shown_hints(keys_of(self), HINTS)))
            yield hint

    @staticmethod
    def _field(label: str, name: str, example: str, text: str) -> ComposeResult:
        line = OneLine()
        line.show_pieces([(label, "strong")])
        yield line
        yield Editor(text, placeholder=example, id=name)

    def on_mount(self) -> None:
        self.query_one("#ways").display = False
        self._show_way()
        self._code_label.show_pieces([("Code of your authenticator app", "strong")])
        self._show_code(shown=False)
        self.set_interval(READ_EVERY, self._look_at_clipboard)

    async def _look_at_clipboard(self) -> None:
        """Takes what the browser has copied for this attempt: a token works for some seconds only."""
        attempt = self._attempt
        if attempt is None or not self._is_browser_here or self._busy:
            return
        text = (await read_text(os.environ) or "").strip()
        if text and text != self._tried and attempt is self._attempt and is_complete(attempt, text):
            self._tried = text
            pasted = self.query_one("#pasted", Editor)
            pasted.text = ""
            pasted.insert(text)

    def _show_code(self, *, shown: bool) -> None:
        self._code_label.display = shown
        self.query_one("#code", Editor).display = shown

    def on_unmount(self) -> None:
        """Cancels a login in progress when the screen closes."""
        self._work.cancel()
        self._looking.cancel()

    # --- the ways that the server offers

    @on(events.DescendantBlur)
    def _left_field(self, event: events.DescendantBlur) -> None:
        if event.widget.id == "site":
            self._look_up()

    def _look_up(self) -> None:
        """Asks the server which ways it offers, unless it was asked."""
        site = self._text("site")
        if invitation(site) is None and site and site != self._asked_site and not login_refusal(site):
            self._asked_site = site
            self._looking.begin(self._ask_server(site), "ask a server which ways to log in it offers")

    async def _ask_server(self, site: str) -> None:
        try:
            settings = await sign_in.find_server(normal_site(site))
        except NarrowcastError:
            return  # logging in says why
        if site != self._text("site"):
            return
        self._settings, self._flow = settings, usual_flow(settings)
        self._ways = ways_of(settings)
        kinds = {way.kind for way in self._ways}
        lines = [
            ": ".join(filter(None, (settings.realm_name, names.organization(settings.realm_description))))
        ]
        if kinds & {WayKind.BROWSER, WayKind.DEV} or WayKind.PASSWORD not in kinds:
            lines.append(" · ".join(way.title for way in self._ways))
            lines.append(" · ".join(hint_words(keys_of(self), (("login.key", "chooses a way"),))))
        self.query_one("#ways", Static).update(safe_block("\n".join(filter(None, lines))))
        self.query_one("#ways").display = any(lines)
        if settings.is_incompatible:
            self._say(names.INCOMPATIBLE)
        same = next((way for way in self._ways if way.kind is self._way.kind), None)
        if same is None:
            self._take(self._ways[0])
        else:
            self._way = same
            self._show_way()

    def action_next_way(self) -> None:
        """Takes the next way of the server; of one that was not asked yet, the API key instead of the password."""
        if self._busy:
            return
        self._look_up()
        if self._way is JOIN:
            return
        at = self._ways.index(self._way)
        self._say("")
        self._take(self._ways[(at + 1) % len(self._ways)])

    def action_other_flow(self) -> None:
        """Has the page show a token instead of a link, or a link instead of a token."""
        if self._way.method is not None and not self._busy:
            self._flow = Flow.DESKTOP if self._flow is Flow.MOBILE else Flow.MOBILE
            self._say("")
            self._take(self._way)

    def action_copy_address(self) -> None:
        """Copies the address for the browser."""
        if self._attempt is not None:
            said = "Copied the address."
            app_of(self).copy(self._attempt.address, lambda: self._say(said) if self.is_attached else None)

    def _take(self, way: Way) -> None:
        self._way, self._attempt, self._is_browser_here = way, None, False
        self.query_one("#pasted", Editor).text = ""
        self._show_way()
        fields = _FIELDS[way.kind]
        empty = next((name for name in fields if not self._text(name)), fields[0])
        focus_now(self.query_one(f"#{empty}", Editor))
        if way.method is not None:
            self._work.begin(self._begin_in_browser(way.method), "begin to log in by a browser")
        elif way.kind is WayKind.DEV:
            self._work.begin(self._list_dev_users(), "list the people of a development server")

    def _show_way(self) -> None:
        what = "token" if self._flow is Flow.DESKTOP else "link"
        is_file = self._way.kind is WayKind.FILE
        texts = {
            "email": name_label(self._settings) if self._way.kind is WayKind.PASSWORD else "Email",
            "name": "Your name",
            "secret": _SECRETS.get(self._way.kind, "Password"),
            "pasted": "Path of the zuliprc file"
            if is_file
            else f"{self._way.title}: the {what} that the page shows",
        }
        for name, label in self._labels.items():
            label.show_pieces([(safe_line(texts[name]), "strong")])
            label.display = self.query_one(f"#{name}", Editor).display = name in _FIELDS[self._way.kind]
        page = self.query_one("#page", Static)
        page.update("")
        page.display = self._way.kind in (WayKind.BROWSER, WayKind.DEV)

    async def _begin_in_browser(self, method: ExternalMethod) -> None:
        try:
            self._attempt = await begin(normal_site(self._text("site")), method, self._flow)
        except NarrowcastError as error:
            self._say(error.user_message)
            return
        address = self._attempt.address
        other = "link" if self._flow is Flow.DESKTOP else "token"
        hints = (("login.copy", "copies the address"), ("login.flow", f"has it show a {other} instead"))
        # Over SSH a terminal that knows links opens it on the person's own machine, although it takes two rows.
        self.query_one("#page", Static).update(
            Text.assemble(
                "Open this address in a browser, on any machine, and sign in there.\n",
                (safe_line(address), link_style(address)),
                "\n" + " · ".join(hint_words(keys_of(self), hints)),
            )
        )
        if can_open_browser():
            self._is_browser_here = True
            with suppress(NarrowcastError, OSError):  # the address is on the screen
                await open_link(address)

    async def _list_dev_users(self) -> None:
        try:
            people = await dev_users(normal_site(self._text("site")))
        except NarrowcastError as error:
            self._say(error.user_message)
            return
        self.query_one("#page", Static).update(safe_block(", ".join(people)[:MAX_LENGTH]))

    # --- what is typed

    def action_leave(self) -> None:
        """Cancels a login in progress; else closes the screen, discarding typed text only at the second press
        of the key.
        """
        is_typed = any(editor.text != self._first.get(editor.id, "") for editor in self.query(Editor))
        if self._busy:
            self._work.cancel()
            self._say("Canceled.")
        elif self._warned or not is_typed:
            self.dismiss(None)
        else:
            self._warned = True
            self._say("Press the same key again to discard what you have typed.")

    @on(Editor.Changed)
    def _changed(self, event: Editor.Changed) -> None:
        event.stop()
        self._warned = False
        if event.editor.id == "site" and not self._busy:
            self._say(login_refusal(event.editor.text))
            self._take_invitation(event.editor.text)
        is_pasted = event.editor.id == "pasted" and self._attempt is not None and not self._busy
        if is_pasted and self._attempt is not None and is_complete(self._attempt, event.editor.text):
            self._log_in()  # without Enter: a token works for some seconds

    def _take_invitation(self, text: str) -> None:
        """Asks for what joining needs while the address is the link of an invitation."""
        if (invitation(text) is not None) != (self._way is JOIN):
            self._way = self._ways[0] if self._way is JOIN else JOIN
            self._show_way()
        if self._way is JOIN:
            self._say("This is an invitation: choose a name and a password to join.")

    def _text(self, name: str) -> str:
        return self.query_one(f"#{name}", Editor).text.strip()

    def _say(self, text: str) -> None:
        self.query_one("#problem", Static).update(safe_block(text[:MAX_LENGTH]))

    @on(Editor.Submitted)
    def _submitted(self, event: Editor.Submitted) -> None:
        event.stop()
        if self._password is not None and event.editor.id == "secret" and not self._password.done():
            self._say("Logging in…")
            self._password.set_result(event.editor.text)
            return
        if refusal := login_refusal(self._text("site")):
            self._say(refusal)
            return
        self._look_up()
        for name in ("site", *_FIELDS[self._way.kind]):
            if not self._text(name):
                focus_now(self.query_one(f"#{name}", Editor))
                return
        if not self._busy:
            self._log_in()

    def _log_in(self, *, cleartext: bool = False) -> None:
        self._busy = True
        self._say("Logging in…")
        self._work.begin(self._sign_in(cleartext=cleartext), "log in")

    async def _stored(self, cleartext: bool) -> Path:
        """Logs in by the chosen way; returns the file of the account. Raises what the library raises."""
        kind, site, folder = self._way.kind, self._text("site"), app_of(self).paths.accounts
        if kind in (WayKind.PASSWORD, WayKind.KEY):
            is_key = kind is WayKind.KEY
            typed = self.query_one("#secret", Editor).text  # blanks at the ends of a password belong to it
            return await sign_in.sign_in_and_store(
                site,
                self._text("email"),
                Secret(typed.strip() if is_key else typed),
                folder,
                second_factor=Secret(code) if (code := self._text("code")) else None,
                is_key=is_key,
                cleartext=cleartext,
            )
        if kind is WayKind.JOIN:
            address, token = invitation(site) or ("", "")
            new = Secret(self.query_one("#secret", Editor).text)
            account = await sign_in.join(
                address, token, self._text("email"), self._text("name"), new, cleartext=cleartext
            )
            return await asyncio.to_thread(account_files.store, account, folder)
        if kind is WayKind.FILE:
            account = await asyncio.to_thread(account_files.read, expand_home(self._text("pasted")))
            return await asyncio.to_thread(account_files.store, account, folder)
        sign_in.check_encryption(site, cleartext=cleartext)
        if kind is WayKind.DEV:
            account = await dev_sign_in(normal_site(site), self._text("email"))
        elif self._attempt is None:
            raise InvalidInput("There is no page to sign in on yet.")
        else:
            account = await finish(normal_site(site), self._attempt, self._text("pasted"), self._ask_password)
        return await asyncio.to_thread(account_files.store, account, folder)

    async def _ask_password(self, problem: str) -> Secret | None:
        """Shows the field of the password, which an organization wants with a token, and waits for Enter in it."""
        secret = self.query_one("#secret", Editor)
        secret.text = ""
        self._labels["secret"].display = secret.display = True
        self._say(problem or "This organization allows passwords too, so it wants yours with a token.")
        focus_now(secret)
        self._password = asyncio.get_running_loop().create_future()
        return Secret(await self._password)

    async def _sign_in(self, *, cleartext: bool) -> None:
        app = app_of(self)
        try:
            path = await self._stored(cleartext)
        except sign_in.Cleartext as error:
            self._say(f"{error}.")
            self._ask_for_cleartext(str(error))
            return
        except SecondFactorNeeded as error:
            self._show_code(shown=True)
            focus_now(self.query_one("#code", Editor))
            self._say(error.user_message)
            return
        except (NarrowcastError, OSError) as error:
            message = error.user_message if isinstance(error, NarrowcastError) else str(error)
            self._say(message)
            return
        finally:
            self._busy, self._password = False, None
        await app.accounts.open(path)

    def _ask_for_cleartext(self, warning: str) -> None:
        def go_on() -> None:
            self._log_in(cleartext=True)

        question = Question("Log in anyway?", "Log in", f"{warning}. Your password will be sent unencrypted.")
        ask_first(self, question, go_on)
