"""What the parts of the message pane share: the account, the list, notices, dialogs and background requests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from narrowcast.keys.hints import key_of, keys_of, with_keys
from narrowcast.panes.messages.requests import HintChanged
from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.confirm import Question, ask_first
from narrowcast.screens.dialogs.late import RequestOrigin
from narrowcast_api import permissions

if TYPE_CHECKING:
    from textual.app import App
    from textual.message import Message as TextualMessage
    from textual.screen import Screen
    from textual.widget import Widget

    from narrowcast.panes.messages.message_list import MessageList
    from narrowcast_api.model.messages import Message
    from narrowcast_api.narrow.destinations import Destination
    from narrowcast_api.sync.message_view import MessageView
    from narrowcast_api.sync.session import Session

__all__ = ["PaneContext"]

Response = TypeVar("Response")
Result = TypeVar("Result")
Reopen = Callable[[int | str], None]


class PaneContext:
    """One per pane. ``reopen`` reopens the view at a message or at one of its ends."""

    def __init__(self, host: Widget, session: Session, messages: MessageList, reopen: Reopen) -> None:
        self._host = host
        self.session = session
        self.list = messages
        self.view: MessageView | None = None
        self.reopen = reopen
        self.mode_hint = ""
        """The meaning of the keys while a mode changes it; '' otherwise."""

    @property
    def app(self) -> App[Any]:
        """The app, over which dialogs open."""
        return self._host.app

    @property
    def selected_message(self) -> Message | None:
        """The selected message; None if it has not been sent yet."""
        key = self.list.selected
        return self.session.state.messages.get(key) if isinstance(key, int) else None

    @property
    def selected_destination(self) -> Destination | None:
        """The conversation of the selected message, which may be one that has not been sent yet."""
        if (message := self.selected_message) is not None:
            return message.destination(self.session.state.me)
        echoes = self.list.feed.echoes if self.list.feed is not None else ()
        return next((echo.destination for echo in echoes if echo.local_id == self.list.selected), None)

    def message_or_notify(self) -> Message | None:
        """The selected message; None and a notice if there is none, or if the server does not have it yet."""
        message = self.selected_message
        if message is None and self.selected_destination is not None:
            self.refuse("This message is still on its way; wait until the server has it.")
        elif message is None:
            self.refuse("There is no message here.")
        return message

    def still_there_or_notify(self, message_id: int) -> Message | None:
        """The message that was selected when a dialog opened; None and a notice if it was deleted meanwhile."""
        message = self.session.state.messages.get(message_id)
        if message is None:
            self.refuse("The message was deleted meanwhile.")
        return message

    def may_act_or_notify(self, message: Message) -> bool:
        """Whether the user may react to the message or vote on it; shows the reason if not."""
        return not self.refuse(permissions.act_refusal(self.session.state, message.channel_id))

    def post(self, message: TextualMessage) -> None:
        """Posts a request to the screen around the pane."""
        self._host.post_message(message)

    @property
    def attention(self) -> RequestOrigin:
        """Where the user is now: for a dialog that opens when a response has arrived."""
        return RequestOrigin(self._host)

    def ask(self, screen: Screen[Result], answered: Callable[[Result | None], None]) -> None:
        self.app.push_screen(screen, answered)

    def confirm(self, question: Question, act: Callable[[], None]) -> None:
        """Runs `act`, which cannot be undone, once the user has confirmed it."""
        ask_first(self._host.screen, question, act)

    def with_keys(self, text: str) -> str:
        """One of the app's own texts, with the keys of the commands that it names filled in."""
        return with_keys(keys_of(self._host), text)

    def key(self, command_id: str) -> str:
        """The key of a command as shown to the user; empty if it has none."""
        return key_of(keys_of(self._host), command_id)

    def say(self, text: str) -> None:
        app_of(self._host).tell(text)

    def refuse(self, text: str) -> bool:
        """Shows why a key had no effect, unless `text` is empty; returns whether there was a text."""
        return app_of(self._host).refuse(text)

    def say_mode(self, hint: str) -> None:
        """Shows the keys of a mode that has begun, and the key that leaves it; '' when the mode ends."""
        if hint != self.mode_hint:
            self.mode_hint = hint
            self.post(HintChanged())

    def leave_modes(self) -> None:
        """Gives the keys their usual meaning again."""
        self.list.overlay = None
        self.say_mode("")
        self.list.changed()

    def work(self, request: Awaitable[object], what: str) -> None:
        """Runs a request in the background; errors are shown, never raised."""
        app_of(self._host).spawn(request, what)

    async def waiting(self, request: Awaitable[Response], hint: str) -> Response:
        """The result of a request; shows `hint` until it arrives."""
        self.say_mode(hint)
        try:
            return await request
        finally:
            if self.mode_hint == hint:
                self.say_mode("")

    def take_selected_text(self) -> str | None:
        """The text that is selected by keys or the mouse; clears the selection."""
        selected = self._host.screen.get_selected_text()
        if selected:
            self.clear_selection()
        return selected

    def clear_selection(self) -> bool:
        """Clears the selection; returns whether there was one."""
        screen = self._host.screen
        some = bool(screen.selections)
        screen.clear_selection()
        return some
