"""Quoting messages, editing the user's own messages, and writing in an external editor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast.panes.compose.drafts import CHANGED_MEANWHILE, to_draft
from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.late import tell_late
from narrowcast.screens.messages.versions import ComparisonScreen, Version
from narrowcast.terminal.programs import edit_externally
from narrowcast_api import permissions
from narrowcast_api.errors import ExpectationMismatch
from narrowcast_api.narrow.destinations import same_conversation
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast.panes.compose.pane import ComposePane
    from narrowcast.panes.compose.session import ComposeState
    from narrowcast.screens.main.conversation_pane import ConversationPane
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.model.messages import Message
    from narrowcast_api.narrow.destinations import Destination
    from narrowcast_api.storage.records import Edit


def quote(screen: Workspace, messages: Sequence[Message], to: Destination | None = None) -> None:
    """Opens a message to a conversation, by default that of the last message, at once, so that what is typed is text,
    and puts quotes of the messages above it.
    """
    writing = screen.writing  # another conversation may have the focus after the request
    begun = writing.begin.reply_below(to or messages[-1].destination(screen.session.state.me))
    if begun is not None:
        screen.spawn(_quote(screen, writing, messages, to, begun), "quote the message")


async def _quote(
    screen: Workspace,
    writing: ComposePane,
    messages: Sequence[Message],
    to: Destination | None,
    begun: ComposeState,
) -> None:
    """Inserts the quotes once all sources have arrived, unless the user does something else by then."""
    quotes = [await screen.messages.parts.writing.quote_of(message) for message in messages]
    text = "\n".join(quotes)
    if writing.is_still(begun):
        state, last = screen.session.state, messages[-1]
        now = state.messages.get(last.id) or last  # its topic may have been moved
        writing.begin.reply(to or now.destination(state.me), text)
    elif writing.is_typing_on(begun):
        writing.begin.insert_quote(len(begun.text), text)
    else:
        again = (
            "<message.quote> quotes the message again." if to is None else "<message.forward> forwards again."
        )
        tell_late(screen, "The quote was not inserted", again)


def begin(screen: Workspace, message_id: int) -> None:
    """Opens an edit at once, so that what is typed is text, and fetches the source of the message: the state has
    only the rendered content. An edit that is open already goes on.
    """
    if (editor := _editor_of(screen, message_id)) is not None:
        screen.side.enter(editor)
        editor.writing.focus_text()
        return
    message = screen.session.state.messages.get(message_id)
    if message is None or message.sender_id != screen.session.state.me:
        screen.refuse("You can only edit your own messages.")
    elif screen.writing.begin.edit(message_id):
        screen.spawn(_load(screen, screen.writing, message_id), "load the message")


def last(screen: Workspace) -> None:
    """Edits the user's last message of the conversation in compose, or of the open view if compose has no address."""
    state = screen.session.state
    where, _ = screen.writing.destination()
    feed = screen.messages.list.feed
    own = (
        message
        for message_id in reversed(feed.ids if feed is not None else ())
        if (message := state.messages.get(message_id)) is not None
        and message.sender_id == state.me
        and (where is None or same_conversation(message.destination(state.me), where))
    )
    message = next(own, None)
    if message is None:
        screen.refuse("None of your messages are loaded in this conversation.")
    elif not screen.refuse(permissions.edit_refusal(state, message, screen.session.clock.now())):
        screen.messages.list.position.select(message.id)
        begin(screen, message.id)


async def _load(screen: Workspace, writing: ComposePane, message_id: int) -> None:
    """Fills the edit of a message. An edit of it that is being saved ends first, so that neither replaces the other."""
    try:
        if (edits := screen.session.edits).is_saving(message_id):
            await screen.messages.waiting(
                edits.save_ended(message_id), "Your last edit is still being saved…"
            )
        source = await screen.messages.parts.clipboard.source_of(message_id)
    except Exception:
        writing.begin.give_up_edit(message_id)
        raise
    writing.begin.fill_edit(message_id, source)


async def follow(screen: Workspace, message_id: int) -> None:
    """Compares an edit with the text that its message was given elsewhere."""
    source = await screen.messages.parts.clipboard.source_of(message_id)
    if (editor := _editor_of(screen, message_id)) is not None:
        editor.writing.edit_changed(message_id, source, _sender_of(screen, message_id))


def _sender_of(screen: Workspace, message_id: int) -> str:
    """Who may have changed the text of a message: only its sender can."""
    state = screen.session.state
    message = state.messages.get(message_id)
    if message is None or message.sender_id == state.me:
        return "You"
    return state.users.name(message.sender_id)


def versions(screen: Workspace) -> bool:
    """Compares the text that the edited message was given elsewhere with the one in compose; False if there is none."""
    both = screen.writing.compare_edit()
    if both is not None:
        screen.app.push_screen(
            ComparisonScreen(Version("Changed elsewhere", both[0]), Version("Your edit", both[1]))
        )
    return both is not None


def _editor_of(screen: Workspace, message_id: int) -> ConversationPane | None:
    """The conversation in whose compose box a message is being edited."""
    return next((one for one in screen.side.all if one.writing.editing == message_id), None)


async def save(screen: Workspace, edit: Edit) -> None:
    """Saves an edit. If the server rejects it, the text returns to compose; after a conflicting change of the
    message it becomes a draft.
    """
    session, writing = screen.session, screen.writing  # the focus may move during the request
    try:
        if await _overwrites(screen, edit):
            session.edits.update(edit)
            to_draft(edit, session)
            screen.tell(CHANGED_MEANWHILE, severity="warning")
            return
    except Exception:
        writing.begin.give_back(edit)
        raise
    session.edits.saved(edit)


async def _overwrites(screen: Workspace, edit: Edit) -> bool:
    """Saves an edit unless it would overwrite a text that the user has not seen; returns whether it would."""
    session, messages = screen.session, screen.messages
    source_of = messages.parts.clipboard.source_of
    if not session.state.supports(Gate.EDIT_EXPECTATION):  # the server does not compare: here, just before
        source = await source_of(edit.message_id)
        if source.strip() not in (edit.original.strip(), edit.content.strip()):
            return True
    request = session.client.messages.edit(
        message_id=edit.message_id, content=edit.content, expected_content=edit.original
    )
    try:
        await messages.waiting(request, "Saving…")
    except ExpectationMismatch:
        source = await source_of(edit.message_id)
        return source.strip() != edit.content.strip()  # else it was saved before, and the response was lost
    return False


async def external_editor(screen: Workspace) -> None:
    """Edits the text of compose in the user's external editor. A result that cannot replace the text becomes
    a draft: the editor failed, or the text was changed elsewhere meanwhile.
    """
    app, writing = app_of(screen.writing), screen.writing
    if writing.begin.refused():
        return
    writing.keep_draft()
    before, place = writing.text.text, writing.links.place
    text, status = await edit_externally(screen.app, app, before, app.config.compose.editor)
    failure = f"The editor failed with status {status}." if status else ""
    is_same = writing.is_attached and writing.text.text == before and writing.links.place.is_same_text(place)
    if text == before.rstrip("\n"):
        if failure:
            screen.tell(f"{failure} The text is unchanged.", severity="error")
    elif is_same and not failure:
        writing.text.text = ""
        writing.text.insert(text)
    else:
        why = failure or "The text in compose was changed while the editor was open."
        screen.session.drafts.save(None, place.destination, text)
        screen.tell(f"{why} What you wrote in the editor is in Drafts.", severity="warning")
    if writing.is_attached:
        writing.focus_text()
