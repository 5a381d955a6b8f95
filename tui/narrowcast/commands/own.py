"""Commands on the user's own data: status, availability, alert words, views, files, read marks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from narrowcast.commands import targets
from narrowcast.screens.dialogs.confirm import Question, ask_first
from narrowcast.screens.dialogs.progress import ProgressScreen
from narrowcast.screens.own.alert_words import AlertWordsScreen
from narrowcast.screens.own.files import FilesScreen
from narrowcast.screens.own.status import set_status
from narrowcast.screens.own.views import ViewsScreen
from narrowcast.text.formats import at_least, counted
from narrowcast.widgets.transfer_row import done
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.sync.session import Session

READ_ALL = "All messages marked as read."


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
    unreads = screen.session.state.unreads
    count, more = len(unreads), unreads.old_missing  # muted ones become read too

    def begin() -> None:
        work = partial(_read_all, screen.session)
        screen.app.push_screen(ProgressScreen("Marking all messages as read", work))

    some = f"{at_least(count, more=True)} unread messages" if more else counted(count, "unread message")
    question = Question(f"Mark {some} as read?", "Mark as read", "Also on your other devices.")
    ask_first(screen, question, begin)


async def _read_all(session: Session, progress: ProgressScreen) -> str:
    """Marks everything as read in batches. Servers that have no batches of a narrow do not say how many they marked."""
    state, flags = session.state, session.client.flags
    if not state.supports(Gate.FLAGS_BY_NARROW):
        rounds = 0

        def round_done() -> bool:
            nonlocal rounds
            rounds += 1
            progress.show([(f"{counted(rounds, 'batch', 'batches')}, newest messages first", "")])
            return not progress.stopped

        complete = await flags.mark_all_as_read(progress=round_done)
        return READ_ALL if complete else "Stopped. Some messages are still unread."
    total = None if state.unreads.old_missing else len(state.unreads)

    def batch_done(marked: int) -> bool:
        progress.show(done(marked, total, "message"))
        return not progress.stopped

    marked = await flags.change_whole_narrow(narrow=[], progress=batch_done)
    return f"Stopped. {counted(marked, 'message')} marked as read." if progress.stopped else READ_ALL
