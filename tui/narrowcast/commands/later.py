"""Commands for scheduled messages, reminders and saved snippets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.commands import targets
from narrowcast.screens.later.reminders import RemindersScreen
from narrowcast.screens.later.reminders import remind as ask_when
from narrowcast.screens.later.scheduled import ScheduledScreen, send_later
from narrowcast.screens.later.snippets import SnippetsScreen, new_snippet
from narrowcast.text.formats import counted
from narrowcast_api.resources.saved_snippets import SavedSnippet

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace


def _text_in_compose(screen: Workspace) -> str:
    """The text in compose; if there is none to send, shows why and returns ''."""
    if screen.writing.editing is not None:
        screen.refuse("Save or cancel your edit first.")
        return ""
    text = screen.writing.text.text.strip()
    if not text:
        screen.refuse("You have nothing to send!")
    return text


def schedule(screen: Workspace) -> None:
    """Schedules the message in compose."""
    content = _text_in_compose(screen)
    if not content:
        return
    limit = screen.session.state.limits.max_message_length
    if len(content) > limit:
        over = counted(len(content) - limit, "character")
        screen.refuse(f"The message is {over} over the limit.")
        return
    where, problem = screen.writing.destination()
    if where is None:
        screen.refuse(problem)
        return

    def taken() -> None:
        editor = screen.writing.text
        if editor.text.strip() == content:
            editor.replace(0, len(editor.text), "")

    send_later(screen, where, content, taken)


def scheduled(screen: Workspace) -> None:
    targets.open_list(screen, ScheduledScreen(screen.session))


def remind(screen: Workspace) -> None:
    """Sets a reminder for the selected message."""
    if (message := targets.message_or_notify(screen)) is not None:
        ask_when(screen, message)


def reminders(screen: Workspace) -> None:
    targets.open_list(screen, RemindersScreen(screen.session))


def snippets(screen: Workspace) -> None:
    """Inserts a snippet, or manages the saved snippets."""

    def closed(result: object) -> None:
        if isinstance(result, SavedSnippet):
            screen.writing.begin.insert(result.content)

    screen.app.push_screen(SnippetsScreen(screen.session, screen.writing.text.text), closed)


def save_snippet(screen: Workspace) -> None:
    """Saves the text in compose as a snippet."""
    if content := _text_in_compose(screen):
        new_snippet(screen, content)
