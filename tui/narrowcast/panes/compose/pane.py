"""The compose pane: where a message is written, addressed, completed, kept as a draft and sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual import events
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message

from narrowcast.app.context import focus_now
from narrowcast.commands.registry import Context, in_context
from narrowcast.panes.compose.conversation import READ_ONLY, ComposeConversation
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.editor import Editor
from narrowcast_api.errors import InvalidInput
from narrowcast_api.narrow.destinations import Destination


def _bindings() -> Iterator[BindingType]:
    for action in in_context(Context.COMPOSE):
        if action.group != "Editing":
            yield action.binding()


class ComposePane(ComposeConversation):
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

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """Looking elsewhere ends typing and offers."""
        if event.widget is self.text:
            self._stop_typing()
        self._close_offers()

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
