"""The compose pane: writing, addressing, completing, saving and sending a message."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message

from narrowcast.keys.hints import keys_of, with_keys
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.panes.compose.banners import Banners
from narrowcast.panes.compose.completion import CompletionPopup
from narrowcast.panes.compose.drafts import OpenDraft
from narrowcast.panes.compose.field_order import FieldOrder
from narrowcast.panes.compose.fields import TargetLine
from narrowcast.panes.compose.formatting import format_text
from narrowcast.panes.compose.look import ComposeLook
from narrowcast.panes.compose.sending import Sending, SendRules
from narrowcast.panes.compose.session import ComposeContext, ComposeState
from narrowcast.panes.compose.start import ComposeStart
from narrowcast.panes.compose.uploads import TextLinks, UploadRows
from narrowcast.panes.open_view import OpenView
from narrowcast.runtime.context import app_of
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.style_sheet import style_sheet
from narrowcast.widgets.virtual_list import VirtualList
from narrowcast_api.narrow.destinations import Destination

if TYPE_CHECKING:
    from narrowcast_api.storage.records import Edit
    from narrowcast_api.sync.session import Session


class ComposePane(Vertical):
    """See the module's description.

    ``view``: the open view, which determines the destination. ``enter_sends``: what Enter does; the other
    Enters do the opposite. ``begin``: the ways to start writing. ``links``: links that arrive later.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.COMPOSE)]
    DEFAULT_CSS = style_sheet(__name__)

    class Left(Message):
        """The user left compose with a key."""

    class Sent(Message):
        """A message was handed to the outbox."""

        def __init__(self, destination: Destination) -> None:
            super().__init__()
            self.destination = destination

    class EditDone(Message):
        """The edit of a message is to be saved. ``was_reading``: whether it started outside compose."""

        def __init__(self, edit: Edit, *, was_reading: bool) -> None:
            super().__init__()
            self.edit = edit
            self.was_reading = was_reading

    class EditOutdated(Message):
        """The message that is being edited was changed elsewhere: `edit_changed` needs its text."""

        def __init__(self, message_id: int) -> None:
            super().__init__()
            self.message_id = message_id

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
        self.completion = CompletionPopup(self, session, target, text)
        self._shared = context = ComposeContext(self, session, target, text, self._text_replaced, self._claim)
        self._writing = context.writing
        self.banners = Banners(context)
        self._rules = SendRules(context, self._show_hint, self.banners)
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
        self.links = TextLinks(context)
        self.begin = ComposeStart(context, self._rules, self._order)
        view.follow(self)

    def compose(self) -> ComposeResult:
        yield self.target
        yield self.banners.line
        yield self.text
        yield self.uploads
        yield self.target.hint

    def on_mount(self) -> None:
        self.show_keys()
        if self._rules.read_only:
            for editor in self.query(Editor):
                editor.can_focus = False

    # used by other modules

    @property
    def editing(self) -> int | None:
        """The id of the message that is being edited."""
        return self._writing.edits.message_id

    @property
    def draft(self) -> OpenDraft:
        return self._writing.draft

    @property
    def is_busy(self) -> bool:
        """Whether compose contains unsent text or an edit."""
        return self._writing.is_busy

    @property
    def is_in_use(self) -> bool:
        """Whether compose contains an edit, or unsent text that the user changed since it was shown."""
        return self._writing.is_in_use

    @property
    def is_idle(self) -> bool:
        """Whether compose is empty and not in use, on a low terminal."""
        return self._look.is_idle

    def destination(self) -> tuple[Destination | None, str]:
        """The destination of the text, or None and what is wrong with the address."""
        return self._writing.destination()

    @property
    def moment(self) -> ComposeState:
        """What the user is writing and where the keys go, to compare with `is_still`."""
        return ComposeState(self.destination(), self.text.text, self.editing, self.app.focused)

    def is_still(self, moment: ComposeState) -> bool:
        """Whether the user has not gone on since: only then may a late response change what is being written.
        While another window of the desktop has the focus, no widget has it.
        """
        if not self.is_attached:
            return False
        now = self.moment
        return moment == (now if self.app.app_focus else now._replace(focused=moment.focused))

    def is_typing_on(self, moment: ComposeState) -> bool:
        """Whether the user has only typed text behind what was there."""
        now = self.moment if self.is_attached else None
        return (
            now is not None and now._replace(text=moment.text) == moment and now.text.startswith(moment.text)
        )

    def keep_draft(self) -> None:
        self._writing.keep()

    def save_before_closing(self) -> None:
        """Saves the text before the pane is removed, and shows where an unsaved edit is found."""
        self._writing.save_before_closing()

    def messages_deleted(self, message_ids: Collection[int]) -> None:
        """Keeps what is typed for one of these messages as a draft when its edit ends; reports that now."""
        self._writing.edits.deleted(message_ids)
        if self.editing in message_ids:
            how = "The message that you are editing was deleted. <compose.leave> saves your text as a draft."
            self._shared.tell(with_keys(keys_of(self), how), severity="warning")

    def messages_changed(self, message_ids: Collection[int]) -> None:
        """Asks for the text of the message that is being edited, if it is one of these and has other content now."""
        edited, edits = self.editing, self._writing.edits
        if edited is not None and edited in message_ids and not edits.is_loading and edits.has_changed():
            self.post_message(self.EditOutdated(edited))

    def edit_changed(self, message_id: int, source: str, who: str) -> None:
        """The message that is being edited has another text now, by the user named ``who``."""
        if self.is_attached and self.editing == message_id:
            self._writing.edit_changed(source, who)

    def compare_edit(self) -> tuple[str, str] | None:
        """The text that the edited message was given elsewhere, and the one that would overwrite it, to be shown."""
        theirs = self._writing.edits.theirs
        if theirs is None:
            return None
        self._writing.compared()
        return theirs, self.text.text

    def follow_draft(self) -> None:
        """Shows changes that another device made to this draft."""
        self._writing.follow_draft()

    def _claim(self, draft_id: str) -> bool:
        """Takes a draft from the other conversation; False if the user is writing it there."""
        panes = self.screen.query(ComposePane) if self.is_attached else ()
        holder = next((one for one in panes if one is not self and one.draft.id == draft_id), None)
        if holder is not None and not holder.has_focus_within:
            holder._writing.hand_over()
        return holder is None or holder.draft.id != draft_id

    def focus_text(self) -> None:
        self._order.enter_text()

    def refresh_target(self) -> None:
        """Updates after names or permissions changed."""
        self.target.refresh_names(self.session.state)
        self._rules.refresh()

    # the open view

    def view_closes(self) -> None:
        """Saves the text for its conversation before another view opens."""
        self._writing.set_aside()

    def view_opened(self) -> None:
        """Addresses the conversation of the open view."""
        self._writing.show_view()
        self.uploads.refresh_rows()

    def view_moved(self) -> None:
        """The address stays; `follow_move` changes it."""
        self.target.view_moved()

    def follow_move(self, old: Destination, new: Destination) -> bool:
        """After a topic was moved: addresses what is written to ``old`` to ``new``; returns whether there is
        such a text.
        """
        has_text = self._writing.follow_move(old, new)
        self.refresh_target()
        return has_text

    # writing

    def on_editor_changed(self, event: Editor.Changed) -> None:
        """Saves the draft, sends typing notifications, shows completions."""
        event.stop()
        if event.edited and event.editor is self.target.to:
            self.target.separate_names(self.session.state)
        self.completion.offer(event.editor, event.edited)
        if not event.edited:
            return
        if event.editor is not self.text:
            self.target.fit()
            self._rules.refresh()
        else:
            self._look.fit()
            self._show_hint()
            self.banners.refresh(self._rules.refusal)
            self._tell_typing()
        self._writing.typed()

    def on_editor_pasted(self, event: Editor.Pasted) -> None:
        """Shortens a pasted link."""
        event.stop()
        if event.editor is self.text:
            self.links.shorten(event.text)
            self.banners.pasted(event.text)

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        """Enter in an address field goes to the next field, unless the name in it is unknown."""
        event.stop()
        offered = self.completion.field is event.editor
        if offered and event.editor is self.target.to:
            self.completion.take()
            event.editor.text = event.editor.text.rstrip(", ")
        elif offered:
            self.action_compose_next_field()
            return
        self.completion.close()
        self._complete_names()
        if problem := self.target.name_problem(self.session.state, event.editor):
            self._shared.tell(problem, severity="warning")
        else:
            self._order.step(1)

    def on_virtual_list_selected(self, event: VirtualList.Selected) -> None:
        """A click on a completion takes it."""
        event.stop()
        self.action_compose_next_field()

    def _tell_typing(self) -> None:
        if not self.text.text.strip():
            self.session.typing.stop()
        elif self.editing is not None:
            self.session.typing.typed_edit(self.editing)
        elif (where := self.destination()[0]) is not None:
            self.session.typing.typed(where)

    async def on_key(self, event: events.Key) -> None:
        if self.completion.move(event.key):
            event.stop()
            event.prevent_default()

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """Losing the focus ends typing notifications and completion."""
        if event.widget is self.text:
            self.session.typing.stop()
        self.completion.close()
        self.call_after_refresh(self._show_idle)
        self.target.fit()

    def on_descendant_focus(self) -> None:
        """Shows the text, which may be hidden while compose is idle, and what the keys do now."""
        self._show_idle()
        self._show_hint()
        self.target.fit()

    # look

    def show_keys(self) -> None:
        """Shows the current keys of commands, and the density; the preset vim switches on modal editing."""
        self.text.use_vim(app_of(self).config.preset == "vim")
        self._rules.refresh()
        self._show_idle()
        self._show_hint()

    def on_resize(self) -> None:
        self.fit()

    def fit(self) -> None:
        """Adapts to the size of the terminal, which may have another height although the pane keeps its size."""
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
        """Shows why nothing can be sent, before the user writes."""
        self._complete_names()
        self._rules.refresh()
        if self._rules.refusal:
            self._shared.tell(self._rules.refusal, severity="warning")

    # keys

    async def action_compose_enter(self) -> None:
        if self.completion.field is not None:
            self.completion.take()
        elif self.screen.focused is not self.text:
            raise SkipAction
        elif self.enter_sends:
            await self._sending.send()
        else:
            self.text.insert("\n")

    async def action_compose_other_enter(self) -> None:
        if self.screen.focused is not self.text:
            raise SkipAction
        if self.enter_sends:
            self.text.insert("\n")
        else:
            await self._sending.send()

    async def action_compose_send(self) -> None:
        await self._sending.send()

    def action_compose_leave(self) -> None:
        if self.completion.field is not None:
            self.completion.close()
            return
        if self._sending.take_back():
            return
        if self.editing is not None:
            self._writing.leave_edit()
        self._writing.keep()
        if not self.is_busy:
            self._writing.show_view()  # discard an address under which nothing was written
        self.session.typing.stop()
        self.post_message(self.Left())

    def action_compose_next_field(self) -> None:
        """Takes a completion; else goes to the next field, and in the text completes or indents: what is typed
        after a Tab there is never a command.
        """
        field = self.completion.field
        if field is None and self.screen.focused is self.text:
            self.completion.offer(self.text, True, asked=True)
            if self.completion.field is None and not self.text.in_normal_mode:
                self.text.indent()
            return
        if field is None:
            self._complete_names()
            self._order.step(1)
            return
        self.completion.take()
        if field in {self.target.channel, self.target.topic}:
            self._order.step(1)  # a channel or topic is complete after one completion

    def action_compose_previous_field(self) -> None:
        """Goes to the previous field or pane. In an indented line, and in an edit, only indents less."""
        in_text = self.screen.focused is self.text
        if not (in_text and (self.text.unindent() or self.editing is not None)):
            self._order.step(-1)

    def action_compose_editor(self) -> None:
        self.post_message(self.EditorWanted())

    def action_compose_attach(self) -> None:
        self.post_message(self.AttachWanted())

    def action_compose_attach_cancel(self) -> None:
        if not self.uploads.stop_or_resume():
            raise SkipAction  # a download may have failed

    def action_compose_attach_drop(self) -> None:
        if not self.uploads.drop():
            raise SkipAction  # there may be a download

    def action_compose_complete(self) -> None:
        if isinstance(self.screen.focused, Editor):
            self.completion.offer(self.screen.focused, True, asked=True)

    def action_compose_format(self, kind: str) -> None:
        if self.screen.focused is self.text:
            format_text(self.text, kind)

    def action_compose_new_draft(self) -> None:
        self.begin.new_draft()
