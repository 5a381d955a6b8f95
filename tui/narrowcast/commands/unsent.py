"""Commands on drafts and the outbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.commands import editing
from narrowcast.keys.hints import keys_of, with_keys
from narrowcast.screens.messages.drafts import ConflictScreen, DraftsScreen
from narrowcast.screens.messages.outbox import OutboxScreen
from narrowcast.text.unsent import resend_refusal
from narrowcast_api.narrow.destinations import same_conversation
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols.outbox_item import OutboxEntry, OutboxState

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace


def drafts(screen: Workspace) -> None:
    """Lists the drafts; the chosen one is opened."""

    _list(screen, DraftsScreen(screen.session))


def drafts_here(screen: Workspace) -> None:
    """Lists the drafts of the open conversation."""
    where = screen.narrow.destination if screen.narrow is not None else None
    if where is None:
        screen.refuse(
            with_keys(keys_of(screen), "This is not a single conversation. <go.drafts> lists all drafts.")
        )
    else:
        _list(screen, DraftsScreen(screen.session, only=where))


def _list(screen: Workspace, drafts: DraftsScreen) -> None:
    def chosen(draft_id: object) -> None:
        if isinstance(draft_id, str):
            open_draft(screen, draft_id)

    screen.app.push_screen(drafts, chosen)


def versions(screen: Workspace) -> None:
    """Shows both versions of the draft or edit in compose that was also changed elsewhere; a draft's to choose one."""
    if editing.versions(screen):
        return
    here = screen.writing.draft.id

    def chosen(draft_id: str | None) -> None:
        if draft_id is not None:
            open_draft(screen, draft_id)

    for conflict in screen.session.drafts.conflicts():
        if here is not None and here in {draft.draft_id for draft in conflict}:
            screen.app.push_screen(ConflictScreen(screen.session, conflict), chosen)
            return
    screen.refuse("The text in compose has only one version.")


def open_draft(screen: Workspace, draft_id: str) -> None:
    """Continues a draft in its conversation, or in the open view if it has no recipients yet."""
    draft = screen.session.drafts.get(draft_id)
    if draft is not None and draft.destination is not None:
        begun = screen.narrow.new_message_destination if screen.narrow is not None else None
        if not same_conversation(begun, draft.destination):
            screen.go(Narrow.from_destination(draft.destination))
    if not screen.writing.begin.open_draft(draft_id):
        screen.tell("This draft no longer exists.")


def outbox(screen: Workspace) -> None:
    """Lists the unsent messages and why each is unsent."""

    def chosen(result: object) -> None:
        match result:
            case ("go", OutboxEntry() as entry):
                screen.go(Narrow.from_destination(entry.destination), "newest")
            case ("take-back", OutboxEntry() as entry):
                screen.spawn(_take_back(screen, entry), "cancel the message")

    screen.app.push_screen(OutboxScreen(screen.session), chosen)


def _unsent(screen: Workspace) -> list[OutboxEntry]:
    """The unsent messages, those of the open conversation first."""
    waiting = screen.session.outbox.unsent()
    here = screen.narrow.destination if screen.narrow is not None else None
    waiting.sort(key=lambda entry: not same_conversation(entry.destination, here))
    return waiting


async def resend(screen: Workspace) -> None:
    """Resends all failed messages of one conversation: the open one, or another if none failed there."""
    unsent = _unsent(screen)
    failed = [entry for entry in unsent if entry.state is OutboxState.FAILED]
    if not failed:
        unconfirmed = (resend_refusal(entry) for entry in unsent if entry.state is OutboxState.UNCONFIRMED)
        screen.refuse(next(unconfirmed, "No failed messages."))
    for entry in failed:
        if same_conversation(entry.destination, failed[0].destination):
            await screen.session.outbox.claim(entry.local_id)
            screen.session.outbox.retry(entry.local_id)


async def cancel(screen: Workspace) -> None:
    """Cancels the newest unsent message of a conversation; its text returns to compose."""
    unsent = _unsent(screen)
    if not unsent:
        screen.refuse("No unsent messages.")
        return
    first = unsent[0].destination.key
    await _take_back(screen, [entry for entry in unsent if entry.destination.key == first][-1])


async def _take_back(screen: Workspace, unsent: OutboxEntry) -> None:
    if screen.writing.begin.refused():
        return
    await screen.session.outbox.claim(unsent.local_id)
    if not screen.writing.is_attached:
        return  # another account is on screen: the text could not be shown
    with screen.session.one_write():
        entry = screen.session.outbox.cancel(unsent.local_id)
        if entry is None:
            screen.refuse("This message is already being sent and cannot be canceled.")
            return
        screen.go(Narrow.from_destination(entry.destination))
        screen.writing.begin.reply(entry.destination)
        screen.writing.begin.append(entry.content)
        screen.writing.keep_draft()
    screen.tell("Canceled. The text is back in the compose box.")
