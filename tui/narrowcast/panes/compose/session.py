"""The text in compose and its address, which is that of the open view or one chosen in it, saved as a draft.

Every change of view goes through this module: the text is saved as the draft of its conversation, then
address and text become those of the open view.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from narrowcast.keys.hints import keys_of, with_keys
from narrowcast.panes.compose.drafts import CHANGED_MEANWHILE, Edits, OpenDraft, to_draft
from narrowcast.panes.compose.fields import TargetLine
from narrowcast.runtime.context import app_of
from narrowcast.text import names
from narrowcast.widgets.editor import Editor
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, same_conversation

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel
    from textual.widget import Widget

    from narrowcast_api.storage.records import Draft, Edit
    from narrowcast_api.sync.session import Session


__all__ = [
    "EARLY_KEPT",
    "IN_CONFLICT",
    "NOTICED_AFTER",
    "OVERWRITES",
    "REMOVED",
    "REMOVED_BUT_CHANGED",
    "TOO_LATE",
    "ComposeContext",
    "ComposeSession",
    "ComposeState",
    "Tell",
]

EARLY_KEPT = "The message was not loaded. What you typed is in Drafts."
REMOVED = "This draft was sent or deleted. <compose.undo> in compose brings its text back."
OVERWRITES = "<write.versions> shows the difference. Saving overwrites it, <compose.leave> keeps it."
NOTICED_AFTER = 1.0
"""Seconds after a change elsewhere within which a key that saves was pressed without knowing of it."""
TOO_LATE = "The time for edits is over. What you write here is in Drafts."
IN_CONFLICT = "This draft was also edited elsewhere. <write.versions> shows both versions, to choose one."
REMOVED_BUT_CHANGED = "This draft was sent or deleted elsewhere. What you wrote since is a new draft."

Tell = Callable[..., None]
"""Shows a notice to the user: a text, and its ``severity``."""


class ComposeSession:
    """``text`` is the editor and ``target`` the fields above it; ``shown`` is called when the text was replaced.

    ``claim`` has other compose panes let go of a draft before it is shown here, and returns whether they did.
    """

    def __init__(
        self,
        session: Session,
        target: TargetLine,
        text: Editor,
        *,
        tell: Tell,
        shown: Callable[[], None],
        claim: Callable[[str], bool],
    ) -> None:
        self._session = session
        self._target = target
        self._text = text
        self._tell = tell
        self._shown = shown
        self._claim = claim
        self.draft = OpenDraft(session.drafts)
        self.edits = Edits(session)
        self._known = self._draft_ids()
        """The drafts that there were when this was last looked at."""
        self._is_in_conflict = False
        self._touched = False
        """Whether the user changed this text since it was shown."""
        self._changed_at = 0.0
        self._before_edit: tuple[Destination | None, str | None] | None = None
        """The destination before the edit, and the id of its draft."""

    @property
    def is_busy(self) -> bool:
        """Whether there is unsent text or an edit."""
        return bool(self._text.text.strip()) or self.edits.message_id is not None

    @property
    def is_in_use(self) -> bool:
        """Whether there is an edit, or unsent text that the user changed since it was shown."""
        return self.edits.message_id is not None or (self._touched and self.is_busy)

    def destination(self) -> tuple[Destination | None, str]:
        """The destination of the text, or None and what is wrong with the address."""
        return self._target.read(self._session.state)

    def _put(self, text: str) -> None:
        self._text.text = text
        self._touched = False
        self._shown()

    # saving

    def typed(self) -> None:
        """Saves the text after the user changed it or its address."""
        self._touched = True
        self.keep()

    def keep(self) -> None:
        """Saves the text to the journal; deletes the draft if the text is empty.

        Cheap enough for every key: the journal writes in a thread of its own, within a fraction of a second.
        """
        if self.edits.message_id is None:
            self.draft.keep(self.destination()[0], self._text.text)
        else:
            self.edits.note(self._text.text)

    def save_before_closing(self) -> None:
        """Saves the text before its pane is removed, and shows where an unsaved edit is found."""
        self.keep()
        edited_id = self.edits.message_id
        if self.edits.keep_early(self._text.text):
            self._tell(EARLY_KEPT)
        elif edited_id is not None and self.edits.note(self._text.text):
            self._tell(self.edits.keep(edited_id))

    def set_aside(self) -> None:
        """Saves the text as a draft or as an unsaved edit, and clears compose for another text."""
        self._session.typing.stop()
        if (edited_id := self.edits.message_id) is not None:
            if self.edits.keep_early(self._text.text):
                self._tell(EARLY_KEPT)
            if self.edits.leave(self._text.text):
                self._tell(self.edits.keep(edited_id))
        else:
            self.keep()
            if self._touched and self._text.text.strip():
                where = self.destination()[0]
                whom = f" for {names.destination(self._session.state, where)}" if where is not None else ""
                self._tell(f"Saved as a draft{whom}.")
        self.draft.release()
        self._before_edit = None
        self._put("")

    def hand_over(self) -> None:
        """Clears compose, whose draft is about to be shown elsewhere on the screen."""
        self.keep()
        self.draft.release()
        self._target.show_view(self._session.state)
        self._put("")

    # loading

    def show_view(self) -> None:
        """Shows the address of the open view, and the saved draft for it."""
        self._target.show_view(self._session.state)
        self._take_draft_of_target()

    def address(self, where: Destination | None) -> None:
        """Addresses another conversation than that of the view; its draft is loaded if there is one."""
        self._target.show(self._session.state, where)
        self._take_draft_of_target()

    def address_kind(self, direct: bool) -> None:
        """Addresses people or a channel, whose names the user still has to enter."""
        self._target.show(self._session.state, None)
        self._target.show_kind(direct)
        self._take(None)

    def _take_draft_of_target(self) -> None:
        where = self.destination()[0]
        drafts = self._session.drafts.all()
        self._take(next((draft for draft in drafts if same_conversation(draft.destination, where)), None))

    def _take(self, draft: Draft | None) -> None:
        if draft is not None and not self._claim(draft.draft_id):
            draft = None
        self._put(self.draft.take(draft, self.destination()[0]))

    def show_draft(self, draft: Draft) -> None:
        """Shows a saved draft and its destination."""
        self._target.show(self._session.state, draft.destination)
        self._take(draft)

    def follow_draft(self) -> bool:
        """Shows and reports changes that another device or window made to this draft; returns whether there
        were any that the user has to see before the text is sent.
        """
        as_shown = self.draft.is_as_shown(self._text.text)
        is_gone = self.draft.is_gone()
        if is_gone and as_shown:
            self._text.replace(0, len(self._text.text), "")
            self._tell(with_keys(keys_of(self._text), REMOVED))
            return True
        if is_gone:
            self.keep()
        if is_gone or self.draft.was_removed():
            self._tell(REMOVED_BUT_CHANGED, severity="warning")
            return True
        self.draft.stay_with_own()
        changed = self.draft.changed_elsewhere()
        if changed is not None:
            self.show_draft(changed)
            self._tell("This draft was changed on another device.")
        if self.draft.has_new_conflict():
            self._tell(with_keys(keys_of(self._text), IN_CONFLICT), severity="warning")
        if self._is_in_conflict is not self.draft.is_in_conflict:
            self._is_in_conflict = self.draft.is_in_conflict
            self._shown()
        self._take_new_draft()
        return changed is not None

    def _take_new_draft(self) -> None:
        """Shows a draft for this conversation that was begun elsewhere since, if nothing is written here: it is
        continued, not written twice.
        """
        known, self._known = self._known, self._draft_ids()
        new = self._known - known
        if not new or self.is_busy or self.draft.id is not None:
            return
        where = self.destination()[0]
        for draft in self._session.drafts.all():
            if draft.draft_id in new and self._is_offered(draft, where):
                self._take(draft)
                return

    def _draft_ids(self) -> set[str]:
        return {draft.draft_id for draft in self._session.drafts.all()}

    def _is_offered(self, draft: Draft, where: Destination | None) -> bool:
        is_other = draft.conflict_with is None and self._session.drafts.is_from_elsewhere(draft.draft_id)
        return is_other and where is not None and same_conversation(draft.destination, where)

    def follow_move(self, old: Destination, new: Destination) -> bool:
        """Addresses what is written to ``old`` to ``new``; returns whether there is such a text, which stays
        as it is. An edit goes on; the text before it is addressed to ``new``.
        """
        if self._before_edit is not None and same_conversation(self._before_edit[0], old):
            self._before_edit = (new, self._before_edit[1])
        if self.edits.message_id is not None or not same_conversation(self.destination()[0], old):
            return False
        if not (self.is_busy or self._text.has_focus or self._target.has_focus_within):
            self.show_view()
            return False
        self._session.typing.stop()
        self._target.show(self._session.state, new)
        self.keep()
        return self.is_busy

    # editing and sending

    def await_source(self, message_id: int) -> None:
        """Begins to edit an own message, whose text is to follow with `begin_edit`; the text being written is
        restored afterwards.
        """
        before = self._before_edit or (self.destination()[0], None)
        if self.edits.message_id is None:
            self.keep()
            before = (self.destination()[0], self.draft.id)
            self._touched = False  # it is restored later, so no notice is needed
        self.set_aside()
        self._before_edit = before
        self.edits.await_source(message_id)

    def begin_edit(self, message_id: int, content: str) -> Edit:
        """Edits an own message; what was typed since `await_source` comes after its text."""
        if not (self.edits.is_loading and self.edits.message_id == message_id):
            self.await_source(message_id)
        typed = self._text.text
        if (outdated := self.edits.outdated(message_id, content)) is not None:
            to_draft(outdated, self._session)
            self._tell(CHANGED_MEANWHILE)
        edit = self.edits.begin(message_id, content)
        self._put(edit.content)
        if typed:
            self._text.insert(typed)
        return edit

    def edit_changed(self, source: str, who: str) -> None:
        """The message that is being edited has the text ``source`` now. It is shown if nothing was changed here."""
        edits, message_id = self.edits, self.edits.message_id
        if message_id is None or edits.is_loading or source == edits.original:
            return
        if self._text.text == edits.original:
            self._put(edits.begin(message_id, source).content)
            self._tell(f"{who} changed this message elsewhere. The new text is shown.")
        elif edits.changed_elsewhere(source, self._text.text):
            self._changed_at = self._session.clock.monotonic()
            self._shown()
            text = with_keys(keys_of(self._text), OVERWRITES)
            self._tell(f"{who} changed this message elsewhere. {text}", severity="warning")

    @property
    def was_just_changed(self) -> bool:
        """Whether the message that is being edited was changed elsewhere a moment ago."""
        since = self._session.clock.monotonic() - self._changed_at
        return self.edits.theirs is not None and since < NOTICED_AFTER

    def compared(self) -> None:
        """The text that the message was given elsewhere was compared with the edit: saving needs no second key."""
        self._changed_at = -NOTICED_AFTER

    def end_edit_in_time(self) -> None:
        """The time for edits is over: the text is in Drafts from now on."""
        if self.edits.end_in_time(self._text.text):
            self._shown()
            self._tell(TOO_LATE, severity="warning")

    def leave_edit(self) -> None:
        """Returns to the text before the edit; changes are stored."""
        before = self._before_edit
        self.set_aside()
        self._return(before)

    def saved(self) -> Edit | None:
        """Finishes the edit and returns to the text before it. None if nothing was being edited."""
        edit = self.edits.take(self._text.text.strip())
        if edit is not None:
            self._session.typing.stop()
            self._return(self._before_edit)
        return edit

    def _return(self, before: tuple[Destination | None, str | None] | None) -> None:
        self._before_edit = None
        where, draft_id = before or (None, None)
        draft = self._session.drafts.get(draft_id) if draft_id is not None else None
        if draft is not None:
            self.show_draft(draft)
        else:
            self.address(where)

    def sent(self) -> None:
        """Clears compose after the text was handed to the outbox."""
        self.draft.drop()
        self._put("")

    @property
    def goes_to_channel(self) -> bool:
        """Whether the text goes to a channel that is entered and valid."""
        return isinstance(self.destination()[0], ChannelDestination)


class ComposeContext:
    """One per pane, which is ``host``. ``shown`` is called after another text was put into the editor; ``claim``
    before a draft is shown in it.
    """

    def __init__(
        self,
        host: Widget,
        session: Session,
        target: TargetLine,
        text: Editor,
        shown: Callable[[], None],
        claim: Callable[[str], bool],
    ) -> None:
        self.host = host
        self.session = session
        self.target = target
        self.text = text
        self.writing = ComposeSession(session, target, text, tell=self.tell, shown=shown, claim=claim)

    @property
    def is_edit(self) -> bool:
        """Whether a message is being edited."""
        return self.writing.edits.message_id is not None

    def tell(self, text: str, *, severity: SeverityLevel = "information") -> None:
        app_of(self.host).tell(text, severity=severity)

    def refuse(self, text: str) -> bool:
        """Shows why a key had no effect, unless ``text`` is empty; returns whether there was a text."""
        return app_of(self.host).refuse(text)


class ComposeState(NamedTuple):
    """The address and text in compose, the message that is being edited, and the widget with the focus."""

    address: tuple[Destination | None, str]
    text: str
    editing: int | None
    focused: Widget | None
