"""Two-factor authentication with an authenticator app: setting it up, recovery codes, and turning it off."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from narrowcast.keys.hints import Keys, keys_of, with_keys
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.confirm import Question, ask_first
from narrowcast.screens.dialogs.form import FormScreen
from narrowcast.screens.dialogs.form_fields import Field, LineField, Values
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.widgets.empty import Empty
from narrowcast_api.errors import MethodNotAllowed, NotFound
from narrowcast_api.http.secret import Secret
from narrowcast_api.routes.second_factor import (
    Enrolment,
    SecondFactor,
    begin_second_factor,
    confirm_second_factor,
    end_second_factor,
    fetch_second_factor,
    renew_recovery_codes,
)

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

__all__ = ["SecondFactorScreen"]

SET_UP = "Set up two-factor authentication"
PASSWORD = LineField("password", "Password", "Your account's password", required=True, secret=True)
CODE = LineField("code", "Code", "Six digits from the app, or one of your recovery codes", required=True)
FIRST_CODE = LineField("code", "Code", "Six digits; the app shows a new code every 30 seconds", required=True)
GROUP = 4
"""Characters per group when a key is shown. Apps ignore the blanks, which make typing easier."""


class SecondFactorScreen(ManageScreen[str]):
    """The available actions, depending on whether it is on. The state is fetched, since no event reports it."""

    KEYS = (("list.select", "selects"),)
    READ_KEYS = ()
    EMPTY = Empty("Not available here", "If this server supports it, set it up in the web app.")
    LINES = 2
    COUNTS = False

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._now: SecondFactor | None = None
        self._is_offered = True

    @property
    def _connection(self) -> Connection:
        return self.session.client.connection

    async def load(self) -> None:
        try:
            self._now = await fetch_second_factor(self._connection)
        except (NotFound, MethodNotAllowed):
            self._is_offered = False
            self.show_keys()

    def refusal(self) -> str:
        """Why it cannot be set up here: the server does not have the operation."""
        return "" if self._is_offered else "Apps cannot set this up on this server."

    def title_text(self) -> str:
        title = "Two-factor authentication"
        return title if self._now is None else f"{title}: {'on' if self._now.is_on else 'off'}"

    def rows(self) -> Sequence[ListRow[str]]:
        if self._now is None:
            return []
        if not self._now.is_on:
            note = "Logging in will take a code from the app as well as your password."
            return [ListRow("set up", "set up", "Set up an authenticator app…", note=note)]
        left = f"{self._now.recovery_codes_left} left"
        return [
            ListRow(
                "renew", "renew", "Generate new recovery codes…", left, "The old ones will stop working."
            ),
            ListRow("end", "end", "Turn off…", note="Your password alone will be enough to log in."),
        ]

    def open(self, item: str) -> None:
        {"set up": self._set_up, "renew": self._renew, "end": self._end}[item]()

    # setting it up

    def _set_up(self) -> None:
        async def begin(values: Values) -> object:
            return await begin_second_factor(self._connection, password=Secret(values.text("password")))

        self.form(SET_UP, [PASSWORD], begin, verb="continues", then=self._enrol)

    def _enrol(self, enrolment: object) -> None:
        if not isinstance(enrolment, Enrolment):
            return

        async def confirm(values: Values) -> object:
            return await confirm_second_factor(self._connection, code=Secret(values.text("code")))

        def closed(codes: object) -> None:
            if codes is None:
                self.work(self.reload())  # if only the response was lost, it may be on now
            else:
                self._show_codes(codes)

        form = EnrolmentForm(enrolment, keys_of(self), state=self.state, submit=confirm)
        self.app.push_screen(form, closed)

    # changing it

    def _renew(self) -> None:
        async def renew(values: Values) -> object:
            return await renew_recovery_codes(self._connection, **_both(values))

        fields: list[Field] = [PASSWORD, CODE]
        self.form("Generate new recovery codes", fields, renew, verb="generates", then=self._show_codes)

    def _end(self) -> None:
        async def end(values: Values) -> object:
            await end_second_factor(self._connection, **_both(values))
            self._now = SecondFactor(is_on=False, recovery_codes_left=0)
            return True

        fields: list[Field] = [PASSWORD, CODE]
        done = "Two-factor authentication is off."
        self.form("Turn off two-factor authentication", fields, end, verb="turns it off", done=done)

    def _show_codes(self, codes: object) -> None:
        if isinstance(codes, list):
            self._now = SecondFactor(is_on=True, recovery_codes_left=len(codes))
            self.refresh_rows()
            self.app.push_screen(RecoveryCodesScreen(self.session, codes))


def _both(values: Values) -> dict[str, Secret]:
    return {name: Secret(values.text(name)) for name in ("password", "code")}


class EnrolmentForm(FormScreen):
    """Shows the key for the authenticator app, with a field for the first code from the app."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.ENROLMENT)]

    def __init__(
        self,
        enrolment: Enrolment,
        keys: Keys,
        *,
        state: State,
        submit: Callable[[Values], Awaitable[object]],
    ) -> None:
        self.enrolment = enrolment
        super().__init__(
            SET_UP,
            [FIRST_CODE],
            state=state,
            submit=submit,
            verb="turns it on",
            note="\n".join(_instructions(enrolment, keys)),
        )

    def action_copy_key(self) -> None:
        self._copy("Key", self.enrolment.secret)

    def action_copy_link(self) -> None:
        self._copy("Link", self.enrolment.uri)

    def _copy(self, what: str, text: str) -> None:
        said = f"{what} copied. Anyone who has it can generate your codes."
        app_of(self).copy(text, lambda: self.say(said) if self.is_attached else None)


def _instructions(enrolment: Enrolment, keys: Keys) -> Iterator[str]:
    secret = enrolment.secret
    yield with_keys(
        keys, "Add an account to your authenticator app with this key (<enrolment.copy-key> copies it):"
    )
    yield ""
    yield " ".join(secret[start : start + GROUP] for start in range(0, len(secret), GROUP))
    yield ""
    yield with_keys(keys, "or with this link (<enrolment.copy-link> copies it):")
    yield ""
    yield enrolment.uri
    yield ""
    yield "Then type the code that the app shows."


class RecoveryCodesScreen(ManageScreen[str]):
    """Shows new recovery codes. They are shown only once, so closing must be confirmed."""

    TITLE_TEXT = "Recovery codes: each works once in place of a code"
    KEYS = (("list.select", "copies"), ("recovery-codes.copy-all", "copies all"))
    COUNTS = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.RECOVERY_CODES)]

    def __init__(self, session: Session, codes: Sequence[str]) -> None:
        super().__init__(session)
        self._codes = codes

    def rows(self) -> Sequence[ListRow[str]]:
        return [ListRow(code, code, code) for code in self._codes]

    def open(self, item: str) -> None:
        self.copy(item, "Copied this code.")

    def action_copy_all(self) -> None:
        self.copy("\n".join(self._codes), "Copied all codes.")

    def leave(self) -> None:
        question = Question("Have you saved the codes?", "Close", "They are not shown again.")
        ask_first(self, question, lambda: self.dismiss(None))
