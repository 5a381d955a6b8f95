"""Going from view to view: the ``go.*`` and ``pane.*`` actions of the main screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.widget import Widget

from narrowcast.app.context import focus_now
from narrowcast.panes.navigation.pane import NavigationPane
from narrowcast.panes.navigation.rows import Kind
from narrowcast.panes.people import PeoplePane
from narrowcast.screens.main.live import LiveScreen
from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast.screens.dialogs.picker import Picker
    from narrowcast.screens.main.choices import Target

TOPIC_REQUESTS = 40
"""Channels whose topics the switcher asks for while it is open."""


class TravelScreen(LiveScreen):
    """Where one can go."""

    @on(NavigationPane.Opened)
    def _navigate(self, event: NavigationPane.Opened) -> None:
        if event.narrow is not None:
            self.go(event.narrow)
        elif event.action:
            self._fold_navigation()
            self.call_later(self.run_action, event.action.replace(".", "_").replace("-", "_"))

    @on(PeoplePane.Opened)
    def _talk_to(self, event: PeoplePane.Opened) -> None:
        self.go(event.narrow)

    @on(NavigationPane.TopicsWanted)
    def _fetch_topics(self, event: NavigationPane.TopicsWanted) -> None:
        if not self.session.state.topics.is_loaded(event.channel_id):
            self.spawn(self.session.load_topics(event.channel_id), "list the topics")

    def _pick(self, picker: Picker[Target]) -> None:
        def chosen(target: Target | None) -> None:
            if target is None:
                return
            if target.narrow is not None:
                self.go(target.narrow, target.anchor)
            elif target.action:
                self.call_later(self.run_action, target.action)

        self.app.push_screen(picker, chosen)

    # views

    def action_go_switcher(self) -> None:
        from narrowcast.screens.dialogs.picker import Picker
        from narrowcast.screens.main import choices

        everywhere = choices.everywhere(self.session)
        picker = Picker("Go to", everywhere, placeholder="channel, topic, person, view")
        self._pick(picker)
        self.spawn(self._complete_topics(picker), "list the topics")

    async def _complete_topics(self, picker: Picker[Target]) -> None:
        """Topics are listed channel by channel when somebody looks for them; while they look, here."""
        from narrowcast.screens.main import choices

        state = self.session.state
        missing = [
            channel.channel_id
            for channel in state.channels.subscribed()
            if not state.topics.is_loaded(channel.channel_id)
        ]
        missing.sort(key=lambda channel_id: -state.unreads.count_channel(channel_id))
        for channel_id in missing[:TOPIC_REQUESTS]:
            await self.session.load_topics(channel_id)
            if not picker.is_attached:
                return
            picker.set_choices(choices.everywhere(self.session))

    def action_go_inbox(self) -> None:
        from narrowcast.screens.dialogs.picker import Picker
        from narrowcast.screens.main import choices

        unread = choices.inbox(self.session.state)
        if not unread:
            self.refuse("No unread messages.")
            return
        self._pick(Picker("Inbox", unread))

    def action_go_all(self) -> None:
        self._fold_navigation()
        if self.narrow == Narrow.all():
            self.focus_messages()
        else:
            self.go(Narrow.all())

    def action_go_mentions(self) -> None:
        self.go(Narrow.mentions())

    def action_go_starred(self) -> None:
        self.go(Narrow.starred())

    def action_go_direct(self) -> None:
        self.go(Narrow.directs())

    def action_go_search(self) -> None:
        from narrowcast.screens.dialogs.search import SearchScreen

        def search(text: str | None) -> None:
            if text:
                self.go(Narrow.search(text))

        base = ""
        if self.narrow is not None and self.narrow.terms and self.narrow.destination is None:
            from narrowcast.text import names

            base = names.terms(self.session.state, self.narrow) + " "
        self.app.push_screen(SearchScreen(base), search)

    def action_go_zoom(self) -> None:
        narrow = self.narrow
        if narrow is None:
            return
        if narrow.channel_id is not None and narrow.topic_name is not None:
            self.go(Narrow.channel(narrow.channel_id), self.messages.selected_id)
            return
        message = self._selected()
        if message is not None:
            where = message.destination(self.session.state.me)
            self.go(Narrow.from_destination(where), message.id)

    def _selected(self) -> Message | None:
        selected = self.messages.selected_id
        return self.session.state.messages.get(selected) if selected is not None else None

    def action_go_back(self) -> None:
        self.step_history(-1)

    def action_go_forward(self) -> None:
        self.step_history(1)

    # unread and channels, one after the other

    def action_go_next_unread_topic(self) -> None:
        from narrowcast.screens.main.choices import next_topic

        target = next_topic(self.session.state, self.narrow, self._channel_order())
        if target is None:
            self.refuse("No unread topics.")
        else:
            self.go(target)

    def action_go_next_unread_direct(self) -> None:
        here = self.narrow.direct_user_ids if self.narrow is not None else None
        unread = [others for others, _, _ in self.session.state.unreads.directs() if others != here]
        if not unread:
            self.refuse("No unread direct messages.")
        else:
            self.go(Narrow.direct(unread[0]))

    def _channel_order(self) -> list[int]:
        return [
            row.channel_id
            for row in self.navigation.list.items
            if row.kind is Kind.CHANNEL and row.channel_id is not None
        ]

    def _step_channel(self, step: int) -> None:
        here = self.narrow.channel_id if self.narrow is not None else None
        channel_id = self.navigation.channel_after(here, step)
        if channel_id is not None:
            self.go(Narrow.channel(channel_id))

    def action_go_next_channel(self) -> None:
        self._step_channel(1)

    def action_go_previous_channel(self) -> None:
        self._step_channel(-1)

    # panes

    def _panes(self) -> list[tuple[Widget, Widget]]:
        """The panes that are shown, from left to right, each with the widget that takes its keys."""
        panes: list[tuple[Widget, Widget]] = []
        if self.plan.shows_navigation:
            panes.append((self.navigation, self.navigation.list))
        panes.append((self.messages, self.messages))
        panes.append((self.writing, self.writing.text))
        if self.plan.shows_people:
            panes.append((self.people, self.people.list))
        return panes

    def _go_pane(self, step: int, *, around: bool) -> None:
        panes = self._panes()
        here = next(
            (place for place, (pane, _) in enumerate(panes) if pane.has_focus_within or pane.has_focus), 1
        )
        place = here + step
        if not around and not 0 <= place < len(panes):
            if step < 0 and not self.plan.shows_navigation:
                self.action_pane_navigation()
            return
        pane, target = panes[place % len(panes)]
        if pane is self.messages:
            self.focus_messages()
        else:
            focus_now(target)

    def action_pane_next(self) -> None:
        self._go_pane(1, around=True)

    def action_pane_previous(self) -> None:
        self._go_pane(-1, around=True)

    def action_pane_left(self) -> None:
        self._go_pane(-1, around=False)

    def action_pane_right(self) -> None:
        self._go_pane(1, around=False)

    def action_pane_navigation(self) -> None:
        shown = not self.plan.shows_navigation
        self.show_navigation(shown)
        if shown:
            focus_now(self.navigation.list)
        else:
            self.focus_messages()

    def action_pane_people(self) -> None:
        shown = not self.plan.shows_people
        self.show_people(shown)
        if shown:
            focus_now(self.people.list)
        else:
            self.focus_messages()

    def action_pane_find_channel(self) -> None:
        self.show_navigation(True)
        self.navigation.find()

    def action_pane_find_person(self) -> None:
        self.show_people(True)
        self.people.find()

    def default_channel(self) -> ChannelDestination | None:
        """Where a new channel message goes, as far as the open view says."""
        where = self.narrow.written_to if self.narrow is not None else None
        return where if isinstance(where, ChannelDestination) else None
