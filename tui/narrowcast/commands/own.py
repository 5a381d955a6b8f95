"""Commands on the user's own data: status, availability, alert words, views, files, read marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.commands import targets
from narrowcast.screens.dialogs.confirm import Question, ask_first
from narrowcast.screens.dialogs.progress import ProgressScreen
from narrowcast.screens.own.alert_words import AlertWordsScreen
from narrowcast.screens.own.files import FilesScreen
from narrowcast.screens.own.status import set_status
from narrowcast.screens.own.views import ViewsScreen
from narrowcast.text.formats import at_least, counted

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace


def status(screen: Workspace) -> None:
    """Sets the user's status: a few words and an emoji."""
    set_status(screen)


async def clear_status(screen: Workspace) -> None:
    await screen.session.client.status.clear()
    screen.session.status_end.forget()
    screen.tell("Status cleared.")


async def presence(screen: Workspace) -> None:
    """Turns invisible mode on or off: whether others see the user as available."""
    shown = screen.session.state.settings.flag("presence_enabled", True)
    await screen.session.client.settings.update(settings={"presence_enabled": not shown})
    screen.tell("Invisible mode on: others cannot see your availability." if shown else "Invisible mode off.")


def alert_words(screen: Workspace) -> None:
    """Manages the alert words, which notify like a mention."""
    targets.open_list(screen, AlertWordsScreen(screen.session))


def views(screen: Workspace) -> None:
    """Manages the saved views."""
    targets.open_list(screen, ViewsScreen(screen.session, screen.narrow))


def files(screen: Workspace) -> None:
    targets.open_list(screen, FilesScreen(screen.session))


def read_all(screen: Workspace) -> None:
    """Marks all messages as read, after asking."""
    count = screen.session.state.unreads.count_all()

    async def work(progress: ProgressScreen) -> str:
        rounds = 0

        def round_done() -> bool:
            nonlocal rounds
            rounds += 1
            progress.say(f"{counted(rounds, 'batch', 'batches')} done, newest messages first.")
            return not progress.stopped

        complete = await screen.session.client.flags.mark_all_as_read(progress=round_done)
        return "All messages marked as read." if complete else "Stopped. Some messages are still unread."

    def begin() -> None:
        screen.app.push_screen(ProgressScreen("Marking all messages as read", work))

    more = screen.session.state.unreads.old_missing
    some = f"{at_least(count, more=True)} unread messages" if more else counted(count, "unread message")
    question = Question(f"Mark {some} as read?", "Mark as read", "Also on your other devices.")
    ask_first(screen, question, begin)
