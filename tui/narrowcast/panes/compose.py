"""The compose pane: where a message is written, addressed, completed, kept as a draft and sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message

from narrowcast.actions import Context, in_context
from narrowcast.owner import focus_now
from narrowcast.panes.compose_draft import DraftInHand
from narrowcast.panes.compose_fields import TargetLine
from narrowcast.panes.compose_offers import ComposeOffers
from narrowcast.panes.uploads import UploadRows
from narrowcast.safe_text import safe_line
from narrowcast.widgets.editor import Editor
from narrowcast_api.destinations import Destination
from narrowcast_api.errors import InvalidInput

if TYPE_CHECKING:
    from narrowcast_api.protocols.draft_sheets import Draft
    from narrowcast_api.session import Session

ROOMY = 110
"""From this width on there is room for every hint beside a whole topic."""

COUNT_FROM = 0.8
"""Share of the length limit from which the count is shown."""
READ_ONLY = "Another window has this account open: write there, or close it and open this one again."
"""Words that could not be kept are not taken at all."""


def _bindings() -> Iterator[BindingType]:
    for action in in_context(Context.COMPOSE):
        if action.group != "Editing":
            yield action.binding()


def _same(one: Destination | None, other: Destination | None) -> bool:
    return one is not None and other is not None and one.key == other.key


class ComposePane(ComposeOffers):
    """See the module's description. ``enter_sends``: what Enter does; the other Enters do the opposite."""

    BINDINGS: ClassVar[list[BindingType]] = [*_bindings()]
    DEFAULT_CSS = """
    ComposePane { height: auto; background: $surface; }
    ComposePane #text { height: 3; max-height: 12; padding: 0 1; background: $surface; }
    ComposePane #text:focus { background: $boost; }
    ComposePane > #offers {
        display: none; overlay: screen; constrain: inside inside; width: 44; height: auto;
        background: $panel; offset: 2 0;
    }
    ComposePane.-offering > #offers { display: block; }
    """

    class Left(Message):
        """The writer goes back to reading."""

    class Sent(Message):
        """A message was handed to the outbox."""

        def __init__(self, destination: Destination, local_id: str) -> None:
            super().__init__()
            self.destination = destination
            self.local_id = local_id

    class EditDone(Message):
        """An existing message shall have ``content``."""

        def __init__(self, message_id: int, content: str) -> None:
            super().__init__()
            self.message_id = message_id
            self.content = content

    class EditorWanted(Message):
        """Write in an external editor."""

    class AttachWanted(Message):
        """Choose a file to attach."""

    def __init__(self, session: Session, *, enter_sends: bool = True) -> None:
        super().__init__(id="compose")
        self.session = session
        self.enter_sends = enter_sends
        self.target = TargetLine()
        self.text = Editor(multiline=True, placeholder="Write a message (c)", id="text")
        self.uploads = UploadRows(session, lambda: self.target.read(self.state)[0])
        self.draft = DraftInHand(session.drafts)
        self.editing: int | None = None
        self._before_edit: tuple[Destination | None, str, str | None] | None = None

    def compose(self) -> ComposeResult:
        yield self.target
        yield self.uploads
        yield self.text

    def on_mount(self) -> None:
        """Say what the keys do."""
        self.target.show_kind(False)
        self._show_hint()
        if self.session.read_only:
            self.text.placeholder = READ_ONLY
            for editor in self.query(Editor):
                editor.can_focus = False

    def _only_reads(self) -> bool:
        """Whether nothing can be written here, since it could not be kept; says so."""
        if self.session.read_only:
            self.app.notify(READ_ONLY, severity="warning", markup=False)
        return self.session.read_only

    @property
    def is_busy(self) -> bool:
        """Whether there is text that a change of view must not touch."""
        return bool(self.text.text.strip()) or self.editing is not None

    # where to, and what

    def follow(self, where: Destination | None) -> None:
        """The view changed: keep what is written as a draft, and take up the draft of ``where``."""
        if self.editing is not None:
            self.leave_edit()
        if where is None and not self.is_busy:
            return
        current, _ = self.target.read(self.state)
        if where is not None and current is not None and current.key == where.key and self.is_busy:
            return
        if where is not None:
            self.keep_draft()
            self._begin(where)

    def _begin(self, where: Destination | None) -> None:
        """An empty text for ``where``, or the draft that is kept for it."""
        self._stop_typing()
        self.target.show(self.state, where)
        draft = next(
            (
                draft
                for draft in self.session.drafts.all()
                if where is not None and draft.destination is not None and draft.destination.key == where.key
            ),
            None,
        )
        self._show_draft(draft)
        self.uploads.refresh_rows()

    def write_channel(self, where: Destination | None) -> None:
        """Address a new message to a channel; the fields that are known already are filled in."""
        if self._only_reads():
            return
        self._make_room()
        if where is not None:
            self._begin(where)
        self.target.show_kind(False)
        field = self.target.channel if not self.target.channel.text else self.target.topic
        focus_now(self.text if where is not None and self.target.topic.text else field)

    def write_direct(self, where: Destination | None = None) -> None:
        """Address a new message to people."""
        if self._only_reads():
            return
        self._make_room()
        self.target.show_kind(True)
        if where is not None:
            self._begin(where)
            focus_now(self.text)
        else:
            self.target.to.text = ""
            focus_now(self.target.to)

    def take_link(
        self, link: str, destination: Destination | None, draft_id: str | None
    ) -> Destination | None:
        """Put the link to a file into the text that it was chosen for; where that is, if it is not this one."""
        here, _ = self.target.read(self.state)
        drafts = self.session.drafts
        draft = drafts.get(draft_id) if draft_id is not None else None
        if draft is None and destination is not None:
            draft = next((d for d in drafts.all() if _same(d.destination, destination)), None)
        mine = draft is not None and draft.draft_id == self.draft.id
        if mine or _same(here, destination) or (draft is None and destination is None):
            self.text.insert(link + " ")
            self.keep_draft()
            return None
        before = draft.content if draft is not None else ""
        gap = " " if before and not before[-1].isspace() else ""
        where = draft.destination if draft is not None else destination
        drafts.save(draft.draft_id if draft is not None else None, where, f"{before}{gap}{link} ")
        return where

    def _make_room(self) -> None:
        if self.editing is not None:
            self.leave_edit()
        self.keep_draft()
        self.draft.put_down()
        self.text.text = ""

    def reply(self, where: Destination, quote: str | None) -> None:
        """Answer in ``where``, below ``quote`` (Markdown) if given."""
        if self._only_reads():
            return
        current, _ = self.target.read(self.state)
        if self.editing is not None or current is None or current.key != where.key:
            self.follow(where)
            self._begin(where) if not self.is_busy else self.target.show(self.state, where)
        if quote:
            head = "" if not self.text.text or self.text.text.endswith("\n") else "\n"
            self.text.insert(f"{head}{quote.rstrip()}\n")
        focus_now(self.text)

    def take_up(self, draft_id: str) -> Draft | None:
        """Show a kept draft, without moving the keys to it; None if it is gone."""
        draft = self.session.drafts.get(draft_id)
        if draft is None:
            return None
        self._make_room()
        self.target.show(self.state, draft.destination)
        self._show_draft(draft)
        return draft

    def _show_draft(self, draft: Draft | None) -> None:
        self.text.text = self.draft.take(draft, self.target.read(self.state)[0])
        self._fit()
        self._show_hint()

    def follow_draft(self) -> None:
        """Drafts changed: show what another device made of this one, and say so."""
        if self.draft.is_gone():
            self.app.notify(
                "This draft is gone: sent on another device, or deleted. Write on to keep what is still here.",
                markup=False,
            )
        elif (draft := self.draft.changed_elsewhere()) is not None:
            self.target.show(self.state, draft.destination)
            self._show_draft(draft)
            self.app.notify("This draft was changed on another device.", markup=False)
        if self.draft.has_new_conflict():
            self.app.notify(
                "This draft was written on another device as well. Both texts are kept: d, then c shows them.",
                severity="warning",
                markup=False,
            )

    def open_draft(self, draft_id: str) -> bool:
        """Go on writing a kept draft; False if it is gone."""
        if self._only_reads():
            return False
        draft = self.take_up(draft_id)
        if draft is None:
            return False
        focus_now(self.text if draft.destination is not None else self.target.channel)
        return True

    def edit(self, message_id: int, content: str) -> None:
        """Edit a message of one's own; what was being written comes back afterwards."""
        if self._only_reads():
            return
        if self.editing is None:
            self.keep_draft()
            where, _ = self.target.read(self.state)
            self._before_edit = (where, self.text.text, self.draft.id)
        self.editing = message_id
        self.draft.put_down()
        self.target.show_edit(" Editing your message · Enter saves · Esc leaves it as it was")
        self.text.text = content
        self._fit()
        self._show_hint()
        focus_now(self.text)

    def leave_edit(self) -> None:
        """Back to what was being written before."""
        self.editing = None
        where, text, draft_id = self._before_edit or (None, "", None)
        self._before_edit = None
        draft = self.session.drafts.get(draft_id) if draft_id is not None else None
        self.target.show(self.state, where)
        self._show_draft(draft)
        if draft is None:
            self.text.text = text
            self._fit()

    # writing

    def on_editor_changed(self, event: Editor.Changed) -> None:
        """Keep the draft, tell that one types, offer completions."""
        event.stop()
        self._offer(event.editor, event.edited)
        if not event.edited:
            return
        if event.editor is self.text:
            self._fit()
            self._show_hint()
            self._tell_typing()
        self.keep_draft()

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        """Enter in a field goes on to the next one."""
        event.stop()
        offered = self._offered is not None and event.editor is self._offered[0]
        if offered and event.editor is self.target.to:
            self._take_offer()
            return
        if not offered:
            self._close_offers()
        self.action_compose_next_field()

    def _tell_typing(self) -> None:
        if not self.text.text.strip():
            self._stop_typing()
            return
        if self.editing is not None:
            self.session.typing.typed_edit(self.editing)
            return
        where, _ = self.target.read(self.state)
        if where is not None:
            self.session.typing.typed(where)

    def _stop_typing(self) -> None:
        self.session.typing.stop()

    def keep_draft(self) -> None:
        """Hand the text to the journal, or drop the draft if there is nothing left of it.

        Cheap enough for every key: the journal writes in a thread of its own, within a fraction of a second.
        """
        if self.editing is not None:
            return
        where, _ = self.target.read(self.state)
        self.draft.keep(where, self.text.text)

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """Looking elsewhere ends typing and offers."""
        if event.widget is self.text:
            self._stop_typing()
        self._close_offers()

    def _fit(self) -> None:
        """Grow with the text; a taller pane costs a whole repaint, so only where rows are missing."""
        room = max(3, min(12, self.screen.size.height // 3))
        wanted = min(room, max(3, self.text.row_count))
        if self.text.styles.height is None or self.text.styles.height.value != wanted:
            self.text.styles.height = wanted

    def _show_hint(self) -> None:
        if not self.size.width:
            return  # nothing is laid out yet: a class set now is taken back, and costs two rounds of styles
        used, limit = len(self.text.text), self.state.limits.max_message_length
        if used > limit:
            self.target.hint.show_pieces([], [(f"{used - limit} characters too many ", "bad")])
            return
        if used > limit * COUNT_FROM:
            self.target.hint.show_pieces([], [(f"{limit - used} characters left ", "warn")])
            return
        enter, other = ("sends", "new line") if self.enter_sends else ("new line", "sends")
        hint = f"Enter {enter} · Ctrl-j {other} · Esc leaves "
        roomy = self.size.width >= ROOMY
        if not roomy:
            hint = f"Enter {enter} "
        self.target.set_class(not roomy, "-narrow")
        self.target.hint.show_pieces([], [(hint, "dim")])

    def on_resize(self) -> None:
        """The hint depends on the width."""
        self._show_hint()

    # sending

    def _send(self) -> None:
        content = self.text.text.strip()
        if not content:
            self.app.notify("There is nothing to send yet.", markup=False)
            return
        limit = self.state.limits.max_message_length
        if len(content) > limit:
            over = len(content) - limit
            self.app.notify(f"The message is {over} characters too long.", severity="error", markup=False)
            return
        if self.editing is not None:
            message_id = self.editing
            self.leave_edit()
            self._stop_typing()
            self.post_message(self.EditDone(message_id, content))
            return
        where, problem = self.target.read(self.state)
        if where is None:
            self.app.notify(problem, severity="warning", markup=False)
            return
        self._stop_typing()
        late = self.uploads.pending(where)
        try:
            local_id = self.session.outbox.send(where, content)
        except InvalidInput as error:
            self.app.notify(error.user_message, severity="error", markup=False)
            return
        self.draft.drop()
        self.text.text = ""
        self._fit()
        self._show_hint()
        if late:
            text = f"Sent without {safe_line(late[0].name, 60)}: its link comes here once it is uploaded."
            self.app.notify(text, severity="warning", markup=False)
        self.post_message(self.Sent(where, local_id))

    # keys

    def action_compose_enter(self) -> None:
        if self._offered is not None:
            self._take_offer()
        elif self.screen.focused is not self.text:
            raise SkipAction
        elif self.enter_sends:
            self._send()
        else:
            self.text.insert("\n")

    def action_compose_other_enter(self) -> None:
        if self.screen.focused is not self.text:
            raise SkipAction
        if self.enter_sends:
            self.text.insert("\n")
        else:
            self._send()

    def action_compose_send(self) -> None:
        self._send()

    def action_compose_leave(self) -> None:
        if self._offered is not None:
            self._close_offers()
            return
        if self.editing is not None:
            self.leave_edit()
        self.keep_draft()
        self._stop_typing()
        self.post_message(self.Left())

    def _fields(self) -> list[Editor]:
        fields = [self.target.to] if self.target.is_direct else [self.target.channel, self.target.topic]
        return [self.text] if self.editing is not None else [*fields, self.text]

    def _to_field(self, step: int) -> None:
        fields = self._fields()
        focused = self.screen.focused
        place = fields.index(focused) + step if isinstance(focused, Editor) and focused in fields else 0
        if not 0 <= place < len(fields):
            raise SkipAction  # past the last field: the panes around take the key
        focus_now(fields[place])

    def action_compose_next_field(self) -> None:
        if self._offered is None:
            self._to_field(1)
            return
        field = self._offered[0]
        self._take_offer()
        if field in {self.target.channel, self.target.topic}:
            self._to_field(1)  # one channel, one topic: the field is done

    def action_compose_previous_field(self) -> None:
        self._to_field(-1)

    def action_compose_editor(self) -> None:
        self.post_message(self.EditorWanted())

    def action_compose_attach(self) -> None:
        self.post_message(self.AttachWanted())

    def action_compose_attach_cancel(self) -> None:
        self.uploads.stop_or_resume()

    def action_compose_attach_drop(self) -> None:
        self.uploads.drop()

    def action_compose_complete(self) -> None:
        if isinstance(self.screen.focused, Editor):
            self._offer(self.screen.focused, True, asked=True)

    def action_compose_new_draft(self) -> None:
        where, _ = self.target.read(self.state)
        self._make_room()
        self.target.show(self.state, where)
        self._show_hint()
