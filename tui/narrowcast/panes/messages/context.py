"""What the parts of the pane of messages are given: the account, the list, and ways to tell, to ask and to work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from narrowcast.app.context import app_of
from narrowcast.commands.hints import key_of, keys_of, with_keys
from narrowcast.panes.messages.requests import HintChanged
from narrowcast_api import permissions

if TYPE_CHECKING:
    from textual.message import Message as TextualMessage
    from textual.screen import Screen
    from textual.widget import Widget

    from narrowcast.panes.messages.message_list import MessageList
    from narrowcast_api.model.messages import Message
    from narrowcast_api.narrow.destinations import Destination
    from narrowcast_api.sync.message_view import MessageView
    from narrowcast_api.sync.session import Session

__all__ = ["PaneContext"]

Answer = TypeVar("Answer")
Result = TypeVar("Result")
Reopen = Callable[[int | str], None]


class PaneContext:
    """One for each pane. ``reopen`` opens the view again at a message or at one of its ends."""

    def __init__(self, host: Widget, session: Session, messages: MessageList, reopen: Reopen) -> None:
        self._host = host
        self.session = session
        self.list = messages
        self.view: MessageView | None = None
        self.reopen = reopen
        self.mode_hint = ""
        """What the keys do while they do not do what they usually do; '' otherwise."""

    @property
    def selected_message(self) -> Message | None:
        """The selected message; None on one that is still on its way."""
        key = self.list.selected
        return self.session.state.messages.get(key) if isinstance(key, int) else None

    @property
    def selected_destination(self) -> Destination | None:
        """The conversation of the selected message, also of one that is still on its way."""
        if (message := self.selected_message) is not None:
            return message.destination(self.session.state.me)
        echoes = self.list.feed.echoes if self.list.feed is not None else ()
        return next((echo.destination for echo in echoes if echo.local_id == self.list.selected), None)

    def message_or_say(self) -> Message | None:
        """The selected message; says so where there is none, or none that the server has."""
        message = self.selected_message
        if message is None and self.selected_destination is not None:
            self.refuse("This message is still on its way; wait until the server has it.")
        elif message is None:
            self.refuse("There is no message here.")
        return message

    def may_act_or_say(self, message: Message) -> bool:
        """Whether one may react to the message or vote on it; says why not."""
        return not self.refuse(permissions.act_refusal(self.session.state, message.channel_id))

    def post(self, message: TextualMessage) -> None:
        """Asks something of the screen around the pane."""
        self._host.post_message(message)

    def ask(self, screen: Screen[Result], answered: Callable[[Result | None], None]) -> None:
        self._host.app.push_screen(screen, answered)

    def confirm(self, question: str, answer: str, act: Callable[[], None]) -> None:
        """Does something that cannot be undone, once the user says so with `answer`."""
        from narrowcast.screens.dialogs.confirm import ask_first

        ask_first(self._host.screen, question, answer, act)

    def with_keys(self, text: str) -> str:
        """A text of the app's own with the keys of the commands that it names."""
        return with_keys(keys_of(self._host), text)

    def key(self, command_id: str) -> str:
        """The key of a command as people write it; empty for one without a key."""
        return key_of(keys_of(self._host), command_id)

    def say(self, text: str) -> None:
        """Says something to the user."""
        app_of(self._host).tell(text)

    def refuse(self, text: str) -> bool:
        """Says why a key could not act, where there is a reason; whether there is one."""
        return app_of(self._host).refuse(text)

    def say_mode(self, hint: str) -> None:
        """Says which keys there are in the present mode, and which one leaves it; '' at its end."""
        if hint != self.mode_hint:
            self.mode_hint = hint
            self.post(HintChanged())

    def leave_modes(self) -> None:
        """Keys do what they usually do."""
        self.list.overlay = None
        self.say_mode("")
        self.list.changed()

    def work(self, request: Awaitable[object], what: str) -> None:
        """Runs a request in the background; what goes wrong is said, never raised."""
        app_of(self._host).spawn(request, what)

    async def waiting(self, request: Awaitable[Answer], hint: str) -> Answer:
        """The answer; until it is there `hint` says what is being waited for."""
        self.say_mode(hint)
        try:
            return await request
        finally:
            if self.mode_hint == hint:
                self.say_mode("")

    def copy_to_clipboard(self, text: str) -> None:
        """Puts text into the terminal's clipboard."""
        self._host.app.copy_to_clipboard(text)

    def take_selected_text(self) -> str | None:
        """The text that keys or the mouse selected, which is selected no longer then."""
        selected = self._host.screen.get_selected_text()
        if selected:
            self.clear_selection()
        return selected

    def clear_selection(self) -> bool:
        """Selects no text any more; whether some was selected."""
        screen = self._host.screen
        some = bool(screen.selections)
        screen.clear_selection()
        return some
