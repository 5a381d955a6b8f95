"""The main screen: the panes of one live account, the open view, and the requests of the panes."""

from __future__ import annotations

from collections.abc import Awaitable
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.reactive import Reactive
from textual.widget import Widget

from narrowcast.keys.hints import key_of
from narrowcast.keys.registry import Context, bindings_for, by_id
from narrowcast.panes.compose.pane import ComposePane
from narrowcast.panes.compose.uploads import UploadRows
from narrowcast.panes.messages import requests
from narrowcast.panes.messages.pane import MessagesPane
from narrowcast.panes.navigation.pane import NavigationPane
from narrowcast.panes.open_view import OpenView
from narrowcast.panes.people import PeoplePane
from narrowcast.runtime.context import app_of
from narrowcast.runtime.frames import Frames
from narrowcast.screens.main.conversation_pane import ConversationPane
from narrowcast.screens.main.downloads import DownloadRows
from narrowcast.screens.main.history import History, VisitedView
from narrowcast.screens.main.home import begin_at_home
from narrowcast.screens.main.layout import PanePlan
from narrowcast.screens.main.notice_place import keep_notices_apart
from narrowcast.screens.main.pane_requests import PaneRequests
from narrowcast.screens.main.pane_widths import PaneWidths
from narrowcast.screens.main.side_by_side import SideBySide
from narrowcast.screens.main.title import TitleLine
from narrowcast.screens.main.unfinished import RestoredCompose
from narrowcast.screens.main.updates import StatusLines, Updates
from narrowcast.terminal.textual_fixes import FixedScreen
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.focus import focus_now
from narrowcast.widgets.notices import hide_notices
from narrowcast.widgets.pane_edge import PaneEdge
from narrowcast.widgets.style_sheet import style_sheet
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.changes import UnreadsChanged

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from narrowcast.config.config import Appearance
    from narrowcast_api.narrow.destinations import Destination
    from narrowcast_api.sync.session import Session


class MainScreen(FixedScreen[None], inherit_bindings=False):
    """Holds the panes and switches between views. The effects of keys are in `narrowcast.commands`."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.MAIN)]
    AUTO_FOCUS = ""
    DEFAULT_CSS = style_sheet(__name__)
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """Widgets repaint themselves when they get or lose the focus; Textual's own repaint would cover the whole
    screen."""

    def __init__(
        self, session: Session, appearance: Appearance, *, enter_sends: bool = True, at_home: bool = True
    ) -> None:
        super().__init__()
        self.session = session
        self._at_home = at_home
        """Whether the first start of the account goes to the home view."""
        self.sent_to: Destination | None = None
        self.plan = PanePlan(
            people_wanted=appearance.people,
            navigation_width=appearance.channels_width,
            people_width=appearance.people_width,
        )
        self.navigation = NavigationPane(session)
        self.frames = Frames(self.set_timer)
        self.side = SideBySide(
            session,
            lambda: ConversationPane(session, self.frames, enter_sends=enter_sends),
            self._conversations_changed,
        )
        self.people = PeoplePane(session)
        self.downloads = DownloadRows(session)
        self.lines = StatusLines(self, self)
        self.unfinished = RestoredCompose(self)
        self.updates = Updates(self, self.frames, self.lines)
        self.widths = PaneWidths(self.plan, self.navigation, self.people)

    # the conversation with the focus

    @property
    def conversation(self) -> ConversationPane:
        """The conversation pane with the focus."""
        return self.side.active

    @property
    def view(self) -> OpenView:
        return self.side.active.view

    @property
    def narrow(self) -> Narrow | None:
        """The narrow of the open view."""
        return self.view.narrow

    @property
    def history(self) -> History:
        return self.side.active.history

    @property
    def title_line(self) -> TitleLine:
        """The line above the messages."""
        return self.side.active.title_line

    @property
    def messages(self) -> MessagesPane:
        """The messages of the open view."""
        return self.side.active.messages

    @property
    def writing(self) -> ComposePane:
        """The compose pane of the open view."""
        return self.side.active.writing

    def compose(self) -> ComposeResult:
        self._apply_plan(
            self.app.size.width
        )  # before there are children that a change of class would restyle
        yield self.lines.banner
        with Horizontal(id="panes"):
            yield self.navigation
            yield PaneEdge(id="navigation-edge")
            yield self.side.active
            yield PaneEdge(id="people-edge")
            yield self.people
        yield self.downloads
        yield self.lines.status

    def on_mount(self) -> None:
        """Opens the last view of the previous run, from the cache, so that the first paint shows it; at the first
        start the home view, once the settings are known.
        """
        self.updates.begin()
        keep_notices_apart(self, self.side)
        last = self.session.last_narrow
        self.open(last or Narrow.all(), None if last is not None else "first_unread")
        if last is None and self._at_home and not app_of(self).demo.is_open:
            self.call_after_refresh(lambda: self.spawn(begin_at_home(self), "show the home view"))
        self.call_after_refresh(self.lines.tell_warnings)
        self.call_after_refresh(self.unfinished.restore_side)
        self.call_after_refresh(self.unfinished.restore)

    def on_unmount(self) -> None:
        self.updates.end()

    def on_screen_resume(self) -> None:
        """After a dialog closes, messages that arrived meanwhile are visible now, and other keys work."""
        self.look_again()
        self.lines.update()

    def on_screen_suspend(self) -> None:
        """Below a dialog, no message counts as seen, other keys work, and no notice is shown twice."""
        self.look_again()
        self.lines.update()
        hide_notices(self)

    def look_again(self) -> None:
        """Reports which messages the user is looking at, after a change of that."""
        for conversation in self.side.all:
            conversation.messages.look_again()

    def keep(self) -> None:
        """Saves all drafts before the app ends."""
        if self.side.other is not None:
            self.side.other.keep()
        self.conversation.keep()

    def save_before_closing(self) -> None:
        """Saves all drafts before another account is shown."""
        for conversation in self.side.all:
            conversation.save_before_closing()
        self.session.drafts.queue_writes()

    def config_changed(self) -> None:
        """Applies changed keys or appearance."""
        self.lines.update()
        self.navigation.refresh_rows()
        for conversation in self.side.all:
            conversation.messages.apply_settings(app_of(self).config.appearance)
            conversation.writing.show_keys()

    # switching views

    def open(
        self, narrow: Narrow, anchor: int | str | None = None, *, record: bool = True, focus: bool = True
    ) -> None:
        """Shows a view in the active conversation, or focuses the one that shows it already. ``anchor``: a
        message id, or what ``MessageView.open`` takes.
        """
        if (beside := self.side.showing(narrow)) is not None:
            self.side.enter(beside)
        if record:
            message_id = anchor if isinstance(anchor, int) else None
            self.history.go(VisitedView(narrow, message_id), self.messages.selected_id)
        self.view.show(narrow)
        self.navigation.show_current(narrow)
        if focus:
            self.focus_messages()
        self.fold_panes()
        self.messages.show(narrow, anchor)
        self.session.cache_view(narrow, self.messages.selected_id)
        self.side.save()
        self.lines.update()
        self.updates.view_opened()

    def go(self, narrow: Narrow, anchor: int | str | None = None, *, focus: bool = True) -> None:
        """Shows a view and adds it to the history."""
        self.open(narrow, anchor, focus=focus)

    def focus_messages(self) -> None:
        """Focuses the list of messages."""
        for widget in (self.messages, *self.messages.query("*")):
            if widget.can_focus:
                focus_now(widget)
                return

    def open_beside(
        self,
        narrow: Narrow,
        anchor: int | str | None = None,
        *,
        left: bool = False,
        share: int = 50,
        keys: bool = True,
    ) -> None:
        """Shows a view in the second conversation, which is created if necessary, and focuses it if ``keys``.
        Keys pressed meanwhile wait for it.
        """
        self.call_later(self._open_beside, narrow, anchor, left=left, share=share, keys=keys)

    async def _open_beside(
        self, narrow: Narrow, anchor: int | str | None, *, left: bool, share: int, keys: bool
    ) -> None:
        if narrow == self.narrow:
            return  # no view is shown twice
        place = self.query_one("#panes")
        conversation = self.side.other or await self.side.add(place, left=left, share=share)
        before = self.conversation
        self.side.enter(conversation)
        self.open(narrow, anchor, focus=keys)
        if not keys:
            self.side.enter(before)

    @on(ConversationPane.Entered)
    def _enter(self, event: ConversationPane.Entered) -> None:
        if event.conversation.has_focus_within:
            self.side.enter(event.conversation)

    def _conversations_changed(self) -> None:
        """Updates layout and notes after the active conversation or the number of conversations has changed."""
        self.unfinished.note_drafts()
        self.plan.conversations = len(self.side.all)
        self._apply_plan(self.plan.width)
        for conversation in self.side.all:
            conversation.set_class(conversation is self.conversation, "-active")
        if self.narrow is not None and self.is_mounted:
            self.navigation.show_current(self.narrow)
            self.lines.update()

    def on_descendant_focus(self) -> None:
        """Updates the key hints for the pane that has the focus, and uncovers the conversation if it has it."""
        if self.conversation.has_focus_within:
            self.fold_panes()
        self.lines.update()

    def show_status(self) -> None:
        """Updates the status line."""
        self.lines.update()

    def show_cards(self) -> None:
        """Renders the cards of extensions again."""
        for conversation in self.side.all:
            conversation.messages.use_cards(app_of(self).extensions.cards)

    # layout

    def on_resize(self, event: events.Resize) -> None:
        self._apply_plan(event.size.width)
        self.lines.update()
        for conversation in self.side.all:
            conversation.writing.fit()

    def _apply_plan(self, width: int) -> None:
        self.plan.resized(width)
        for name, has_class in self.plan.classes().items():
            self.set_class(has_class, name)
        self.widths.show()
        self.side.show_in(width)

    @on(TitleLine.Left)
    def _go_back(self) -> None:
        self.run("pane.navigation")

    @on(PaneEdge.Moved)
    def _move_edge(self, event: PaneEdge.Moved) -> None:
        self.widths.drag(event)

    def fold_panes(self) -> None:
        """Hides the panes that cover the messages on a narrow terminal."""
        if self.plan.is_narrow and (self.plan.navigation or self.plan.people):
            self.plan.navigation = self.plan.people = None
            self._apply_plan(self.app.size.width)

    def show_navigation(self, shown: bool) -> None:
        """Shows or hides the channel list."""
        self.plan.navigation = shown
        self._apply_plan(self.app.size.width)

    def show_people(self, shown: bool) -> None:
        """Shows or hides the people pane."""
        self.plan.people = shown
        self._apply_plan(self.app.size.width)

    def show_accounts(self) -> None:
        """Updates the list after a change in another account, whose unread messages it shows too."""
        self.frames.note([UnreadsChanged()])

    # notices, background work and commands, through the app

    def tell(
        self, text: str, *, severity: SeverityLevel = "information", seconds: float | None = None
    ) -> None:
        """Shows a notice to the user."""
        app_of(self).tell(text, severity=severity, seconds=seconds)

    def refuse(self, text: str) -> bool:
        """If there is a reason why a key cannot act, show it; returns whether there is one."""
        return app_of(self).refuse(text)

    def spawn(self, work: Awaitable[object], what: str) -> None:
        """Runs ``work`` in the background; a failure is shown as a notice and logged."""
        app_of(self).spawn(work, what)

    def key(self, command_id: str) -> str:
        """The label of a command's first key; empty if it has no key."""
        return key_of(app_of(self).keys, command_id)

    def run(self, command_id: str) -> None:
        """Runs a command after the current work is done."""
        self.call_later(app_of(self).perform, by_id()[command_id])

    # requests of the lists

    @on(NavigationPane.Opened)
    def _navigate(self, event: NavigationPane.Opened) -> None:
        if event.narrow is not None:
            self.go(event.narrow)
        elif event.action:
            self.fold_panes()
            self.run(event.action)

    @on(NavigationPane.AccountOpened)
    def _switch_account(self, event: NavigationPane.AccountOpened) -> None:
        self.spawn(app_of(self).accounts.switch(event.file), "switch accounts")

    @on(PeoplePane.Opened)
    def _talk_to(self, event: PeoplePane.Opened) -> None:
        self.go(event.narrow)

    @on(NavigationPane.TopicsWanted)
    def _fetch_topics(self, event: NavigationPane.TopicsWanted) -> None:
        if not self.session.state.topics.is_loaded(event.channel_id):
            self.spawn(self.session.loader.topics(event.channel_id), "list the topics")

    # requests of the messages pane

    @cached_property
    def _requests(self) -> PaneRequests:
        return PaneRequests(self)

    @on(requests.NarrowRequested)
    def _open_narrow(self, event: requests.NarrowRequested) -> None:
        self.go(event.narrow, event.message_id)

    @on(requests.ReplyRequested)
    def _reply(self, event: requests.ReplyRequested) -> None:
        self.writing.begin.reply(event.destination, event.quote)

    @on(requests.ForwardRequested)
    def _forward(self, event: requests.ForwardRequested) -> None:
        self._requests.forward(event.messages)

    @on(requests.MoveRequested)
    def _move(self, event: requests.MoveRequested) -> None:
        self._requests.move(event.messages)

    @on(requests.QuoteRequested)
    def _quote(self, event: requests.QuoteRequested) -> None:
        self._requests.quote(event.messages)

    @on(requests.EditRequested)
    def _edit(self, event: requests.EditRequested) -> None:
        self._requests.edit(event.message_id)

    @on(requests.LinkRequested)
    def _follow_link(self, event: requests.LinkRequested) -> None:
        self._requests.follow_link(event.url, event.label)

    @on(requests.PersonRequested)
    def _show_person(self, event: requests.PersonRequested) -> None:
        self._requests.show_person(event.user_id)

    @on(Editor.ModeChanged)
    @on(requests.HintChanged)
    def _tell_hint(self) -> None:
        self.lines.update()

    # requests of compose

    def on_paste(self, event: events.Paste) -> None:
        """Text pasted outside of a field goes to compose."""
        event.stop()
        self.writing.begin.paste(event.text)

    @on(ComposePane.Left)
    def _leave_compose(self) -> None:
        app_of(self).field_left()
        self.focus_messages()

    @on(ComposePane.Sent)
    def _sent(self, event: ComposePane.Sent) -> None:
        self._requests.show_sent(event.destination)

    @on(ComposePane.EditOutdated)
    def _compare_edit(self, event: ComposePane.EditOutdated) -> None:
        self._requests.compare_edit(event.message_id)

    @on(ComposePane.EditDone)
    def _save_edit(self, event: ComposePane.EditDone) -> None:
        self._requests.save(event.edit)
        if event.was_reading:
            self.focus_messages()

    @on(ComposePane.EditorWanted)
    def _external_editor(self) -> None:
        self._requests.open_external_editor()

    @on(ComposePane.AttachWanted)
    def _choose_file(self) -> None:
        self._requests.attach()

    @on(UploadRows.Done)
    def _uploaded(self, event: UploadRows.Done) -> None:
        self._requests.use_upload(event.upload)
