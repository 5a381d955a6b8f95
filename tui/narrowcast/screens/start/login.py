"""Logging in from within the app."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from narrowcast.app import signin
from narrowcast.app.background import Latest
from narrowcast.app.context import app_of
from narrowcast.app.sign_in_links import login_refusal
from narrowcast.commands.hints import hint_words, keys_of
from narrowcast.commands.registry import Context, bindings_for
from narrowcast.screens.dialogs.confirm import ask_first
from narrowcast.text.safe_text import safe_block
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.focus import focus_now
from narrowcast.widgets.one_line import OneLine
from narrowcast_api.errors import NarrowcastError, SecondFactorNeeded
from narrowcast_api.http.secret import Secret

HINTS = (
    ("login.next", "next field"),
    ("editor.submit", "logs in"),
    ("login.key", "API key or password"),
    ("login.back", "back"),
)


MAX_LENGTH = 500
"""Maximum length of a server's message."""


class LoginScreen(Screen[None]):
    """Asks for address, email and password, or an API key instead of the password."""

    DEFAULT_CSS = """
    LoginScreen { align: center middle; background: $background; }
    LoginScreen > Vertical { width: 68; max-width: 96%; height: auto; }
    LoginScreen OneLine { background: $background; }
    LoginScreen Editor { background: $panel; margin-bottom: 1; padding: 0 1; }
    LoginScreen #problem { color: $error; height: auto; min-height: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.LOGIN)]
    AUTO_FOCUS = "#site"

    def __init__(self, site: str = "") -> None:
        super().__init__()
        self._first: dict[str | None, str] = {"site": site}
        self._is_key = False
        self._busy = False
        self._warned = False
        self._secret_label = OneLine()
        self._code_label = OneLine()
        self._work = Latest(self)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield from self._field("Organization URL", "site", "chat.example.org", self._first["site"])
            yield from self._field("Email", "email", "you@example.org", "")
            yield self._secret_label
            yield Editor(password=True, id="secret")
            yield self._code_label
            yield Editor(password=True, id="code")
            yield Static("", id="problem", markup=False)
            hint = OneLine()
            hint.show_pieces([(" · ".join(hint_words(keys_of(self), HINTS)), "dim")])
            yield hint

    @staticmethod
    def _field(label: str, name: str, example: str, text: str) -> ComposeResult:
        line = OneLine()
        line.show_pieces([(label, "strong")])
        yield line
        yield Editor(text, placeholder=example, id=name)

    def on_mount(self) -> None:
        self._label_secret()
        self._code_label.show_pieces([("Code of your authenticator app", "strong")])
        self._show_code(shown=False)

    def _show_code(self, *, shown: bool) -> None:
        self._code_label.display = shown
        self.query_one("#code", Editor).display = shown

    def on_unmount(self) -> None:
        """Cancels a login in progress when the screen closes."""
        self._work.cancel()

    def _label_secret(self) -> None:
        self._secret_label.show_pieces([("API key" if self._is_key else "Password", "strong")])

    def action_toggle_key(self) -> None:
        self._is_key = not self._is_key
        self._label_secret()

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

    def _text(self, name: str) -> str:
        return self.query_one(f"#{name}", Editor).text.strip()

    def _say(self, text: str) -> None:
        self.query_one("#problem", Static).update(safe_block(text[:MAX_LENGTH]))

    @on(Editor.Submitted)
    def _submitted(self, event: Editor.Submitted) -> None:
        event.stop()
        if refusal := login_refusal(self._text("site")):
            self._say(refusal)
            return
        for name in ("site", "email", "secret"):
            if not self._text(name):
                focus_now(self.query_one(f"#{name}", Editor))
                return
        if not self._busy:
            self._busy = True
            self._say("Logging in…")
            self._work.begin(self._sign_in(), "log in")

    async def _sign_in(self, *, cleartext: bool = False) -> None:
        app = app_of(self)
        typed = self.query_one("#secret", Editor).text  # blanks at the ends of a password belong to it
        secret = Secret(typed.strip() if self._is_key else typed)
        try:
            path = await signin.sign_in_and_store(
                self._text("site"),
                self._text("email"),
                secret,
                app.paths.accounts,
                second_factor=Secret(code) if (code := self._text("code")) else None,
                is_key=self._is_key,
                cleartext=cleartext,
            )
        except signin.Cleartext as error:
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
            self._busy = False
        await app.accounts.open(path)

    def _ask_for_cleartext(self, warning: str) -> None:
        def go_on() -> None:
            self._busy = True
            self._say("Logging in…")
            self._work.begin(self._sign_in(cleartext=True), "log in")

        ask_first(self, f"{warning}. Log in anyway?", "Yes, send the password unencrypted", go_on)
