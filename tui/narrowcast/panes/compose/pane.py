"""The compose pane: where a message is written, addressed, completed, kept as a draft and sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message

from narrowcast.app.context import app_of, focus_now
from narrowcast.commands.hints import hint_words
from narrowcast.commands.registry import Context, bindings_for
from narrowcast.panes.compose.draft import DraftInHand
from narrowcast.panes.compose.edits import Edit
from narrowcast.panes.compose.fields import TargetLine
from narrowcast.panes.compose.offers import Offers
from narrowcast.panes.compose.uploads import UploadRows
from narrowcast.panes.compose.writing import Writing
from narrowcast.panes.open_view import OpenView
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.editor import Editor
from narrowcast_api import permissions
from narrowcast_api.errors import InvalidInput
from narrowcast_api.narrow.destinations import ChannelDestination, Destination

if TYPE_CHECKING:
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

PLACEHOLDER = "Write a message (c)"
ROOMY = 110
"""From this width on there is room for every hint beside a whole topic."""

COUNT_FROM = 0.8
"""Share of the length limit from which the count is shown."""
LOW_BELOW = 30
"""Rows of the terminal below which compose takes one row while nobody writes."""
READ_ONLY = "This account is open in another window. Write there, or close it and restart this one."
"""Words that could not be kept are not taken at all."""
ASK_TIME_EVERY = 10.0
"""Seconds between looks at the time that is left for an edit."""


class ComposePane(Vertical):
    """See the module's description.

    ``view``: the view that is open, which says where messages go. ``enter_sends``: what Enter does; the other
    Enters do the opposite.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.COMPOSE)]
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
        """An existing message shall have another text."""

        def __init__(self, edit: Edit) -> None:
            super().__init__()
            self.edit = edit

    class EditorWanted(Message):
        """Write in an external editor."""

    class AttachWanted(Message):
        """Choose a file to attach."""

    def __init__(self, session: Session, view: OpenView, *, enter_sends: bool = True) -> None:
        super().__init__(id="compose")
        self.session = session
        self.enter_sends = enter_sends
        self.target = TargetLine(view)
        self.text = Editor(multiline=True, placeholder=PLACEHOLDER, id="text")
        self.writing = Writing(session, self.target, self.text, tell=self._tell, shown=self._text_replaced)
        self.uploads = UploadRows(session, lambda: self.destination()[0])
        self.offers = Offers(self, session, self.target, self.text)
        self._refusal = ""
        """Why nothing can be sent to where the text goes."""
        view.follow(self)

    @property
    def state(self) -> State:
        """The live account's state."""
        return self.session.state

    def compose(self) -> ComposeResult:
        yield self.target
        yield self.uploads
        yield self.text

    def on_mount(self) -> None:
        self._show_hint()
        if self.session.read_only:
            self.text.placeholder = READ_ONLY
            for editor in self.query(Editor):
                editor.can_focus = False

    @property
    def _idle_hint(self) -> str:
        """What begins a message here."""
        keys = app_of(self).keys
        begin = (("write.channel", "channel"), ("write.direct", "direct"))
        return " · ".join(hint_words(keys, begin)) + " "

    def _tell(self, text: str, *, severity: str = "information") -> None:
        self.app.notify(text, severity="warning" if severity == "warning" else "information", markup=False)

    # what others ask

    @property
    def editing(self) -> int | None:
        """The message that is being edited."""
        return self.writing.edits.message_id

    @property
    def draft(self) -> DraftInHand:
        """The draft that is being written."""
        return self.writing.draft

    @property
    def is_busy(self) -> bool:
        """Whether there is text that must not be lost."""
        return self.writing.is_busy

    def destination(self) -> tuple[Destination | None, str]:
        """Where the text goes, or None and what is wrong with the address."""
        return self.writing.destination()

    def keep_draft(self) -> None:
        self.writing.keep()

    def follow_draft(self) -> None:
        """Drafts changed: show what another device made of this one."""
        self.writing.follow_draft()

    def take_link(
        self, link: str, destination: Destination | None, draft_id: str | None
    ) -> Destination | None:
        """Put the link to a file into the text that it was chosen for; where that is, if it is not this one."""
        return self.writing.take_link(link, destination, draft_id)

    def _only_reads(self) -> bool:
        if self.session.read_only:
            self._tell(READ_ONLY, severity="warning")
        return self.session.read_only

    # the open view

    def view_closes(self) -> None:
        """Another view comes: what is written is kept for its conversation."""
        self.writing.set_aside()

    def view_opened(self) -> None:
        """Write to where the view says."""
        self.writing.show_view()
        self.uploads.refresh_rows()

    def insert(self, text: str) -> None:
        """Put text at the cursor and go on writing there."""
        self.text.insert(text)
        self.focus_text()

    def focus_text(self) -> None:
        """Give the keys to the text."""
        self._enter(self.text)

    # beginning to write

    def write_channel(self, where: ChannelDestination | None) -> None:
        """Write to a channel: where ``where`` says, which may be without a topic; else the writer names one."""
        if self._only_reads():
            return
        if self.is_busy and self.editing is None and self.writing.goes_to_channel:
            self._enter(self.text)  # one goes on writing
            return
        self.writing.set_aside()
        if where is None:
            self.writing.address_kind(False)
            self._enter(self.target.channel)
        else:
            self.writing.address(where)
            ready = where.topic or self.text.text or not self.target.has_topics
            self._enter(self.text if ready else self.target.topic)

    def write_direct(self, where: Destination | None = None) -> None:
        """Write to people: to ``where``, or to whom the writer names."""
        if self._only_reads():
            return
        self.writing.set_aside()
        if where is not None:
            self.writing.address(where)
            self._enter(self.text)
        else:
            self.writing.address_kind(True)
            self._enter(self.target.to)

    def reply(self, where: Destination, quote: str | None = None) -> None:
        """Write to ``where``, below ``quote`` (Markdown) if given."""
        if self._only_reads():
            return
        here, _ = self.destination()
        if self.editing is not None or here is None or here.key != where.key:
            self.writing.set_aside()
            self.writing.address(where)
        if quote:
            head = "" if not self.text.text or self.text.text.endswith("\n") else "\n"
            self.text.insert(f"{head}{quote.rstrip()}\n")
        self._enter(self.text)

    def take_up(self, draft_id: str) -> bool:
        """Show a kept draft, without moving the keys to it; False if it is gone."""
        draft = self.session.drafts.get(draft_id)
        if draft is not None and draft_id != self.draft.id:
            self.writing.set_aside()
            self.writing.take_up(draft)
        return draft is not None

    def open_draft(self, draft_id: str) -> bool:
        """Go on writing a kept draft; False if it is gone."""
        if self._only_reads() or not self.take_up(draft_id):
            return False
        self._enter(self.text if self.destination()[0] is not None else self.target.channel)
        return True

    def edit(self, message_id: int, content: str) -> None:
        """Edit a message of one's own; what was being written comes back afterwards."""
        if self._only_reads():
            return
        self.writing.begin_edit(message_id, content)
        self._show_edit()
        self._enter(self.text)

    def _show_edit(self) -> None:
        """Say what is being edited, and how long that is possible."""
        if self.editing is None:
            return
        message = self.state.messages.get(self.editing)
        left = None
        if message is not None:
            left = permissions.edit_seconds_left(self.state, message, self.session.clock.now())
        self.target.show_edit(" Editing message" + (f" · {_time_left(left)}" if left is not None else ""))
        if left is not None:
            self.set_timer(ASK_TIME_EVERY, self._show_edit)

    def give_back(self, edit: Edit) -> None:
        """An edit was refused: its text comes back, at once unless something else is being written."""
        self.writing.edits.keep(edit)
        if not self.is_busy:
            self.edit(edit.message_id, edit.original)

    # writing

    def on_editor_changed(self, event: Editor.Changed) -> None:
        """Keep the draft, tell that one types, offer completions."""
        event.stop()
        self.offers.offer(event.editor, event.edited)
        if not event.edited:
            return
        if event.editor is not self.text:
            self.show_rules()
        else:
            self._fit()
            self._show_hint()
            self._tell_typing()
        self.writing.typed()

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        """Enter in a field goes on to the next one."""
        event.stop()
        offered = self.offers.field is event.editor
        if offered and event.editor is self.target.to:
            self.offers.take()
            return
        if not offered:
            self.offers.close()
        self.action_compose_next_field()

    def _tell_typing(self) -> None:
        if not self.text.text.strip():
            self.session.typing.stop()
        elif self.editing is not None:
            self.session.typing.typed_edit(self.editing)
        elif (where := self.destination()[0]) is not None:
            self.session.typing.typed(where)

    async def _on_key(self, event: events.Key) -> None:
        if self.offers.move(event.key):
            event.stop()
            event.prevent_default()

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """Looking elsewhere ends typing and offers."""
        if event.widget is self.text:
            self.session.typing.stop()
        self.offers.close()
        self.call_after_refresh(self._show_idle)

    # what is allowed

    def refresh_target(self) -> None:
        """Names, or what is allowed, have changed."""
        self.target.refresh_names(self.state)
        self.show_rules()

    def show_rules(self) -> None:
        """What the channel takes, and why nothing can be sent there, before anybody writes."""
        self.target.show_rules(self.state)
        where = self.destination()[0] if self.editing is None else None
        refusal = "" if where is None else permissions.write_refusal(self.state, where)
        if not refusal and isinstance(where, ChannelDestination) and self.text.text.strip():
            refusal = permissions.topic_refusal(self.state, where.channel_id, where.topic)
        if refusal != self._refusal:
            self._refusal = refusal
            self._show_hint()
        if not self.session.read_only:
            self.text.placeholder = refusal or PLACEHOLDER

    # how it looks

    def on_resize(self) -> None:
        self._show_idle()
        self._show_hint()
        self.call_after_refresh(self._fit)

    def on_descendant_focus(self) -> None:
        """One writes here: there is room for the text."""
        self._show_idle()

    @property
    def is_idle(self) -> bool:
        """Whether nothing stands here and nobody writes: one row is enough on a low terminal."""
        return self.screen.size.height < LOW_BELOW and not self.has_focus_within and not self.is_busy

    def _show_idle(self) -> None:
        if not self.is_attached:
            return  # its screen is going away
        idle = self.is_idle
        if self.text.display == idle:
            self.text.display = not idle
            self._show_hint()

    def _text_replaced(self) -> None:
        self.show_rules()
        self._show_idle()
        self._fit()
        self._show_hint()

    def _fit(self) -> None:
        """Grow with the text; a taller pane costs a whole repaint, so only where rows are missing."""
        if not self.text.size.width:
            return  # not laid out yet: nobody knows how many rows the text takes
        room = max(3, min(12, self.screen.size.height // 3))
        rows = min(room, max(3, self.text.row_count))
        if self.text.styles.height is None or self.text.styles.height.value != rows:
            self.text.styles.height = rows

    def _show_hint(self) -> None:
        if not self.size.width:
            return  # nothing is laid out yet: a class set now is taken back, and costs two rounds of styles
        used, limit = len(self.text.text), self.state.limits.max_message_length
        if used > limit:
            self.target.hint.show_pieces([], [(f"{used - limit} over the limit ", "bad")])
            return
        if used > limit * COUNT_FROM:
            self.target.hint.show_pieces([], [(f"{limit - used} characters left ", "warn")])
            return
        if not self.text.display:
            self.target.hint.show_pieces([], [(self._idle_hint, "dim")])
            return
        if self._refusal and self.editing is None:
            self.target.hint.show_pieces([], [("You cannot send this here ", "warn")])
            return
        if self.editing is not None:
            self.target.hint.show_pieces([], [("Enter saves · Esc cancels ", "dim")])
            return
        enter, other = ("sends", "new line") if self.enter_sends else ("new line", "sends")
        hint = f"Enter {enter} · Ctrl-j {other} · Esc leaves "
        roomy = self.size.width >= ROOMY
        if not roomy:
            hint = f"Enter {enter} "
        self.target.set_class(not roomy, "-narrow")
        self.target.hint.show_pieces([], [(hint, "dim")])

    # sending

    def _send(self) -> None:
        content = self.text.text.strip()
        if not content:
            self._tell("You have nothing to send!")
            return
        limit = self.state.limits.max_message_length
        if len(content) > limit:
            over = len(content) - limit
            self.app.notify(
                f"The message is {over} characters over the limit.", severity="error", markup=False
            )
            return
        if (edit := self.writing.saved()) is not None:
            self.post_message(self.EditDone(edit))
            return
        if content.startswith("/"):

            def done(text: str | None) -> None:
                self._slash_done(content, text)

            if app_of(self).extensions.slash(content, done):
                return
        self._hand_over(content)

    def _slash_done(self, content: str, text: str | None) -> None:
        """A slash command of an extension gives what is sent in place of ``content``, or None for nothing."""
        if not self.is_attached or self.text.text.strip() != content or self.editing is not None:
            self._tell("The text has changed meanwhile: nothing was sent.", severity="warning")
        elif text is None or not text.strip():
            self.writing.sent()
        else:
            self._hand_over(text.strip())

    def _hand_over(self, content: str) -> None:
        where, problem = self.destination()
        if where is None:
            self._tell(problem, severity="warning")
            self._enter(self._fields()[0])
            return
        self.show_rules()
        if self._refusal:
            self._tell(self._refusal, severity="warning")
            return
        self.session.typing.stop()
        late = self.uploads.pending(where)
        try:
            local_id = self.session.outbox.send(where, content)
        except InvalidInput as error:
            self.app.notify(error.user_message, severity="error", markup=False)
            return
        self.writing.sent()
        if late:
            text = f"Sent without {safe_line(late[0].name, 60)}: its link comes here once it is uploaded."
            self._tell(text, severity="warning")
        self.post_message(self.Sent(where, local_id))

    # keys

    def action_compose_enter(self) -> None:
        if self.offers.field is not None:
            self.offers.take()
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
        if self.offers.field is not None:
            self.offers.close()
            return
        if self.editing is not None:
            self.writing.leave_edit()
        self.writing.keep()
        if not self.is_busy:
            self.writing.show_view()  # an address that was chosen for nothing
        self.session.typing.stop()
        self.post_message(self.Left())

    def _fields(self) -> list[Editor]:
        fields = [self.target.to]
        if not self.target.is_direct:
            fields = [self.target.channel, *([self.target.topic] if self.target.has_topics else [])]
        return [self.text] if self.editing is not None else [*fields, self.text]

    def _to_field(self, step: int) -> None:
        fields = self._fields()
        focused = self.screen.focused
        place = fields.index(focused) + step if isinstance(focused, Editor) and focused in fields else 0
        if not 0 <= place < len(fields):
            raise SkipAction  # past the last field: the panes around take the key
        self._enter(fields[place])

    def _enter(self, field: Editor) -> None:
        """Give a field the keys; what an address field says gives way to what is typed."""
        self.text.display = True
        if field is self.text:
            self.show_rules()
            if self._refusal:
                self._tell(self._refusal, severity="warning")
        focus_now(field)
        if field is not self.text:
            field.mark()

    def action_compose_next_field(self) -> None:
        field = self.offers.field
        if field is None:
            self._to_field(1)
            return
        self.offers.take()
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
            self.offers.offer(self.screen.focused, True, asked=True)

    def action_compose_new_draft(self) -> None:
        where, _ = self.destination()
        self.writing.set_aside()
        self.target.show(self.state, where)


def _time_left(seconds: float) -> str:
    """The time that is left for an edit, in the largest unit that says it."""
    if seconds <= 0:
        return "the time for edits is over"
    if seconds < 60:
        return "less than a minute left"
    minutes = int(seconds // 60)
    if minutes < 120:
        return f"{minutes} min left"
    return f"{minutes // 60} h left" if minutes < 48 * 60 else f"{minutes // 1440} days left"
