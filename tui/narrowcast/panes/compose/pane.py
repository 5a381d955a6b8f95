"""The compose pane: where a message is written, addressed, completed, kept as a draft and sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message

from narrowcast.app.context import app_of
from narrowcast.commands.registry import Context, bindings_for
from narrowcast.panes.compose.beginning import Beginning
from narrowcast.panes.compose.context import ComposeContext
from narrowcast.panes.compose.draft import DraftInHand
from narrowcast.panes.compose.field_order import FieldOrder
from narrowcast.panes.compose.fields import TargetLine
from narrowcast.panes.compose.look import ComposeLook
from narrowcast.panes.compose.offers import Offers
from narrowcast.panes.compose.rules import SendRules
from narrowcast.panes.compose.sending import Sending
from narrowcast.panes.compose.uploads import UploadRows
from narrowcast.panes.open_view import OpenView
from narrowcast.widgets.editor import Editor
from narrowcast_api.narrow.destinations import Destination

if TYPE_CHECKING:
    from narrowcast_api.storage.records import Edit
    from narrowcast_api.sync.session import Session


class ComposePane(Vertical):
    """See the module's description.

    ``view``: the view that is open, which says where messages go. ``enter_sends``: what Enter does; the other
    Enters do the opposite. ``begin``: the ways to begin writing.
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

        def __init__(self, destination: Destination) -> None:
            super().__init__()
            self.destination = destination

    class EditDone(Message):
        """An existing message shall have another text. ``was_reading``: whether one came from the messages to write
        it.
        """

        def __init__(self, edit: Edit, *, was_reading: bool) -> None:
            super().__init__()
            self.edit = edit
            self.was_reading = was_reading

    class EditorWanted(Message):
        """Write in an external editor."""

    class AttachWanted(Message):
        """Choose a file to attach."""

    def __init__(self, session: Session, view: OpenView, *, enter_sends: bool = True) -> None:
        super().__init__(id="compose")
        self.session = session
        self.enter_sends = enter_sends
        self.target = target = TargetLine(view)
        self.text = text = Editor(multiline=True, id="text")
        self.uploads = UploadRows(session, lambda: self.destination()[0])
        self.offers = Offers(self, session, target, text)
        self._shared = context = ComposeContext(self, session, target, text, self._text_replaced)
        self._writing = context.writing
        self._rules = SendRules(context, self._show_hint)
        self._look = ComposeLook(context, enter_sends=enter_sends)
        self._order = FieldOrder(context, self._text_entered)
        self._sending = Sending(
            context,
            self._rules,
            self.uploads,
            self._order,
            slash=lambda content, done: app_of(self).extensions.slash(content, done),
            sent=lambda where: self.post_message(self.Sent(where)),
            edited=lambda edit: self.post_message(
                self.EditDone(edit, was_reading=not self.begin.was_writing)
            ),
        )
        self.begin = Beginning(context, self._rules, self._order)
        view.follow(self)

    def compose(self) -> ComposeResult:
        yield self.target
        yield self.uploads
        yield self.text

    def on_mount(self) -> None:
        self.show_keys()
        if self._rules.read_only:
            for editor in self.query(Editor):
                editor.can_focus = False

    # what others ask

    @property
    def editing(self) -> int | None:
        """The message that is being edited."""
        return self._writing.edits.message_id

    @property
    def draft(self) -> DraftInHand:
        """The draft that is being written."""
        return self._writing.draft

    @property
    def is_busy(self) -> bool:
        """Whether there is text that must not be lost."""
        return self._writing.is_busy

    @property
    def is_idle(self) -> bool:
        """Whether nothing stands here and nobody writes."""
        return self._look.is_idle

    def destination(self) -> tuple[Destination | None, str]:
        """Where the text goes, or None and what is wrong with the address."""
        return self._writing.destination()

    def keep_draft(self) -> None:
        self._writing.keep()

    def put_away(self) -> None:
        """The pane goes: keep what is written, and say where changes of a message are."""
        self._writing.put_away()

    def follow_draft(self) -> None:
        """Drafts changed: show what another device made of this one."""
        self._writing.follow_draft()

    def take_link(
        self, link: str, destination: Destination | None, draft_id: str | None
    ) -> Destination | None:
        """Put the link to a file into the text that it was chosen for; where that is, if it is not this one."""
        return self._writing.take_link(link, destination, draft_id)

    def insert(self, text: str) -> None:
        """Put text at the cursor and go on writing there."""
        self.text.insert(text)
        self.focus_text()

    def focus_text(self) -> None:
        """Give the keys to the text."""
        self._order.enter_text()

    def refresh_target(self) -> None:
        """Names, or what is allowed, have changed."""
        self.target.refresh_names(self.session.state)
        self._rules.refresh()

    # the open view

    def view_closes(self) -> None:
        """Another view comes: what is written is kept for its conversation."""
        self._writing.set_aside()

    def view_opened(self) -> None:
        """Write to where the view says."""
        self._writing.show_view()
        self.uploads.refresh_rows()

    # writing

    def on_editor_changed(self, event: Editor.Changed) -> None:
        """Keep the draft, tell that one types, offer completions."""
        event.stop()
        if event.edited and event.editor is self.target.to and event.editor.text.endswith(","):
            self.target.complete_names(self.session.state)  # a name is done
        self.offers.offer(event.editor, event.edited)
        if not event.edited:
            return
        if event.editor is not self.text:
            self._rules.refresh()
        else:
            self._look.fit()
            self._show_hint()
            self._tell_typing()
        self._writing.typed()

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

    def on_descendant_focus(self) -> None:
        """One writes here: there is room for the text."""
        self._show_idle()

    # how it looks

    def show_keys(self) -> None:
        """Name the keys that commands have now; the preset vim edits in two modes."""
        self.text.use_vim(app_of(self).config.preset == "vim")
        self._rules.refresh()
        self._show_hint()

    def on_resize(self) -> None:
        self._show_idle()
        self._show_hint()
        self.call_after_refresh(self._look.fit)

    def _show_idle(self) -> None:
        self._look.show_idle(self._rules.refusal)

    def _show_hint(self) -> None:
        self._look.show_hint(self._rules.refusal)

    def _text_replaced(self) -> None:
        self._rules.refresh()
        self._look.refresh(self._rules.refusal)

    def _complete_names(self) -> None:
        if self.editing is None:
            self.target.complete_names(self.session.state)

    def _text_entered(self) -> None:
        """Why nothing can be sent is said before anybody writes."""
        self._complete_names()
        self._rules.refresh()
        if self._rules.refusal:
            self._shared.tell(self._rules.refusal, severity="warning")

    # keys

    def action_compose_enter(self) -> None:
        if self.offers.field is not None:
            self.offers.take()
        elif self.screen.focused is not self.text:
            raise SkipAction
        elif self.enter_sends:
            self._sending.send()
        else:
            self.text.insert("\n")

    def action_compose_other_enter(self) -> None:
        if self.screen.focused is not self.text:
            raise SkipAction
        if self.enter_sends:
            self.text.insert("\n")
        else:
            self._sending.send()

    def action_compose_send(self) -> None:
        self._sending.send()

    def action_compose_leave(self) -> None:
        if self.offers.field is not None:
            self.offers.close()
            return
        if self.editing is not None:
            self._writing.leave_edit()
        self._writing.keep()
        if not self.is_busy:
            self._writing.show_view()  # an address that was chosen for nothing
        self.session.typing.stop()
        self.post_message(self.Left())

    def action_compose_next_field(self) -> None:
        field = self.offers.field
        if field is None:
            self._complete_names()
            self._order.step(1)
            return
        self.offers.take()
        if field in {self.target.channel, self.target.topic}:
            self._order.step(1)  # one channel, one topic: the field is done

    def action_compose_previous_field(self) -> None:
        self._order.step(-1)

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
        self.begin.new_draft()
