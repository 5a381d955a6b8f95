"""Following what a message leads to: links, spoilers, votes, reactions, pictures; by click, Enter or hint."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING

from textual import events

from narrowcast.content.addresses import InApp, Outside, resolve
from narrowcast.content.inlines import Spot, SpotKind, is_picture
from narrowcast.content.parse import MAX_ROWS
from narrowcast.content.polls import Poll, TodoList, read_widget
from narrowcast.panes.messages.key_modes import TypedKeys
from narrowcast.panes.messages.message_list import MessageList
from narrowcast.panes.messages.overlays import Hints, hint_labels
from narrowcast.panes.messages.rows import Rows
from narrowcast.text.safe_text import safe_line

if TYPE_CHECKING:
    from narrowcast.panes.messages.feed import Key

__all__ = ["SpotActs"]

MORE_FACTOR = 10


class SpotActs(TypedKeys):
    """Handlers for spots."""

    def on_message_list_spot_chosen(self, event: MessageList.SpotChosen) -> None:
        """Something was clicked."""
        event.stop()
        self.follow(event.key, event.spot)

    def tell_hints(self) -> None:
        """Names the actions that suit the selected message, where those are others than before."""
        key = self.list.selected
        rows = self.list.rows_of(key) if key is not None else None
        hints: tuple[tuple[str, str], ...] = ()
        if rows is not None and key is not None:
            has_playgrounds = bool(list(self.session.state.playgrounds))
            hints = hints_for(rows, self.list.shape_of(key).opened, has_playgrounds=has_playgrounds)
        if hints != self.selected_hints:
            self.selected_hints = hints
            self.post_message(self.HintChanged())

    def follow(self, key: Key, spot: Spot) -> None:
        """Does what a spot is for."""
        match spot.kind:
            case SpotKind.LINK:
                self._open_link(spot)
            case SpotKind.MEDIA:
                self.open_media(spot, key)
            case SpotKind.USER:
                if spot.value.isdecimal():
                    self.post_message(self.PersonRequested(int(spot.value)))
            case SpotKind.SPOILER:
                self._toggle_spoiler(key, int(spot.value))
            case SpotKind.MORE:
                self._show_more(key, spot)
            case SpotKind.VOTE | SpotKind.TASK:
                self._vote(key, spot)
            case SpotKind.REACTION:
                self._react(key, spot)

    def _open_link(self, spot: Spot) -> None:
        target = resolve(spot.value, self.session.state)
        if isinstance(target, InApp):
            self.go_to(target)
        elif isinstance(target, Outside):
            self.post_message(self.LinkRequested(target.url, spot.label))
        elif spot.value.lower().startswith("mailto:"):
            self.copy(spot.value[7:], f"the address {safe_line(spot.value[7:], 60)}")
        else:
            self.refuse("This link cannot be opened.")

    def open_media(self, spot: Spot, key: Key | None = None) -> None:
        """Shows a picture large where the terminal and the extra allow, else opens the file.

        With the `key` of a message its other pictures can be seen from there.
        """
        from narrowcast.terminal import images

        if self._can_be_shown(spot) and images.available():
            from narrowcast.screens.messages.picture import PictureScreen

            beside = self.list.spots_of(key) if key is not None else ()
            pictures = [one for one in beside if self._can_be_shown(one)] or [spot]
            index = pictures.index(spot) if spot in pictures else 0
            self.app.push_screen(PictureScreen(self.session, pictures, index), self._save_picture)
        else:
            if is_picture(spot) and not images.available():
                self.say("To view images here, install the extra: pip install 'narrowcast[images]'")
            self._open_link(spot)

    def _can_be_shown(self, spot: Spot) -> bool:
        source = resolve(spot.src, self.session.state) if is_picture(spot) else None
        return isinstance(source, Outside) and source.own

    def _save_picture(self, spot: Spot | None) -> None:
        if spot is not None:
            self._open_link(spot)

    def _toggle_spoiler(self, key: Key, index: int) -> None:
        opened = self.list.shape_of(key).opened
        self.list.reshape(key, opened=opened ^ {index})

    def _show_more(self, key: Key, spot: Spot) -> None:
        if spot.value == "reveal":
            self.list.reshape(key, revealed=True)
            return
        rows = self.list.shape_of(key).rows
        if rows >= MAX_ROWS:
            self.say("That is all that is shown here. Press y to copy the source of the message.")
        else:
            self.list.reshape(key, rows=min(MAX_ROWS, rows * MORE_FACTOR))

    def _vote(self, key: Key, spot: Spot) -> None:
        message = self.session.state.messages.get(key) if isinstance(key, int) else None
        widget = read_widget(message.submessages) if message is not None else None
        if message is None or widget is None:
            return
        send = self.session.client.submessages.send
        if isinstance(widget, Poll):
            content: dict[str, object] = widget.vote(spot.value, self.session.state.me)
        else:
            content = widget.strike(spot.value)
        self.work(send(message_id=message.id, content=content), "vote")

    def _react(self, key: Key, spot: Spot) -> None:
        message = self.session.state.messages.get(key) if isinstance(key, int) else None
        reaction_type, code, name = spot.value.split(":", 2)
        if message is not None:
            self.toggle_reaction(message, reaction_type, code, name)

    # Keys.

    def action_message_enter(self) -> None:
        """Opens what is closed in the selected message; replies where nothing is."""
        key = self.list.selected
        if key is None:
            return
        feed = self.list.feed
        if feed is not None and isinstance(key, int) and feed.lead(feed.index(key)).gap:
            self.action_message_reload()
            return
        opened = self.list.shape_of(key).opened
        for spot in self.list.spots_of(key):
            closed = spot.kind is SpotKind.SPOILER and int(spot.value) not in opened
            if closed or spot.kind is SpotKind.MORE:
                self.follow(key, spot)
                return
        if (where := self.selected_destination) is not None:
            self.post_message(self.ReplyRequested(where))
        else:
            self.message_or_say()

    def action_message_spoiler(self) -> None:
        """Opens or closes all spoilers of the message."""
        key = self.list.selected
        if key is None:
            return
        every = {int(spot.value) for spot in self.list.spots_of(key) if spot.kind is SpotKind.SPOILER}
        opened = self.list.shape_of(key).opened
        self.list.reshape(key, opened=frozenset() if every <= opened else frozenset(every))

    def action_message_image(self) -> None:
        """Shows the first picture or file of the message."""
        key = self.list.selected
        spots = self.list.spots_of(key) if key is not None else ()
        spot = next((spot for spot in spots if spot.kind is SpotKind.MEDIA), None)
        if spot is None:
            self.refuse("This message has no images, video or audio.")
        else:
            self.open_media(spot, key)

    def action_message_pan_left(self) -> None:
        """Wide tables: a column to the left."""
        self._pan(-1)

    def action_message_pan_right(self) -> None:
        """Wide tables: a column to the right."""
        self._pan(1)

    def _pan(self, delta: int) -> None:
        key = self.list.selected
        rows = self.list.rows_of(key) if key is not None else None
        if key is not None and rows is not None and (delta < 0 or rows.hidden_columns):
            self.list.reshape(key, pan=max(0, self.list.shape_of(key).pan + delta))

    def action_message_vote(self) -> None:
        """Votes in a poll, ticks a task, or adds one."""
        message = self.message_or_say()
        widget = read_widget(message.submessages) if message is not None else None
        if message is None or widget is None:
            self.refuse("This message is not a poll or to-do list.")
            return
        from narrowcast.screens.dialogs.picker import Choice, Picker

        choices: list[Choice[str]] = []
        if isinstance(widget, Poll):
            me = self.session.state.me
            for option in widget.options:
                votes = _votes(len(option.voters))
                choices.append(Choice(option.key, option.text, votes, _box(me in option.voters)))
        else:
            choices += [Choice(one.key, one.text, one.description, _box(one.done)) for one in widget.tasks]
        choices.append(Choice("", "Add option…", "", " + "))
        message_id = message.id

        def chosen(key: str | None) -> None:
            kind = SpotKind.VOTE if isinstance(widget, Poll) else SpotKind.TASK
            if key:
                self._vote(message_id, Spot(kind, key))
            elif key is not None:
                self._add_choice(message_id, widget)

        self.app.push_screen(Picker("Vote" if isinstance(widget, Poll) else "To do", choices), chosen)

    def _add_choice(self, message_id: int, widget: Poll | TodoList) -> None:
        from narrowcast.screens.dialogs.ask import AskScreen

        def answered(text: str | None) -> None:
            if text:
                content = widget.new_option(text) if isinstance(widget, Poll) else widget.new_task(text)
                send = self.session.client.submessages.send
                self.work(send(message_id=message_id, content=content), "add this")

        self.app.push_screen(AskScreen("New option" if isinstance(widget, Poll) else "New task"), answered)

    # Hints.

    def action_message_hints(self) -> None:
        """Puts a key on everything in view that can be followed."""
        spots = self.list.spots_in_view()
        if not spots:
            self.refuse("No links in view.")
            return
        labels = hint_labels(len(spots))
        self.list.overlay = Hints(dict(zip(spots, labels, strict=False)))
        self.say_mode("Esc cancels · letters open · Shift-letters copy the link")
        self.list.changed()

    def _take(self, key: Key, spot: Spot, *, copies: bool) -> None:
        """Follows what a hint stands for, or says and copies where it leads."""
        if copies and spot.kind in (SpotKind.LINK, SpotKind.MEDIA):
            target = resolve(spot.value, self.session.state)
            address = target.url if isinstance(target, Outside) else spot.value
            self.copy(address, safe_line(address, 300))
        else:
            self.follow(key, spot)

    def _hint_key(self, hints: Hints, event: events.Key) -> None:
        typed = hints.typed + (event.character or "").lower()
        chosen = [place for place, label in hints.labels.items() if label == typed]
        if chosen:
            self._leave_modes()
            _, key, number = chosen[0]
            spots = self.list.spots_of(key)
            if number < len(spots):
                self._take(key, spots[number], copies=(event.character or "").isupper())
        elif event.character and any(label.startswith(typed) for label in hints.labels.values()):
            hints.typed = typed
            self.list.changed()
        else:
            self._leave_modes()


def hints_for(rows: Rows, opened: Set[int], *, has_playgrounds: bool = False) -> tuple[tuple[str, str], ...]:
    """Actions for what a message holds, the rarest kind of content first; `opened` spoilers can be closed."""
    spots = rows.spots
    kinds = {spot.kind for spot in spots}
    spoilers = {int(spot.value) for spot in spots if spot.kind is SpotKind.SPOILER}
    media = next((spot for spot in spots if spot.kind is SpotKind.MEDIA), None)
    picture = "picture" if media is not None and is_picture(media) else "open file"
    offers = (
        ("message.vote", "vote", SpotKind.VOTE in kinds),
        ("message.vote", "tick", SpotKind.TASK in kinds),
        ("message.enter", "open", bool(spoilers - opened) or SpotKind.MORE in kinds),
        ("message.spoiler", "close", bool(spoilers) and spoilers <= opened),
        ("message.image", picture, media is not None),
        ("message.pan-right", "more columns", rows.hidden_columns > 0),
        ("message.playground", "playground", rows.has_code and has_playgrounds),
        ("message.copy", "copy code", rows.has_code),
        ("message.hints", "follow", SpotKind.LINK in kinds),
    )
    return tuple((action_id, does) for action_id, does, fits in offers if fits)


def _box(ticked: bool) -> str:
    return "[x]" if ticked else "[ ]"


def _votes(count: int) -> str:
    return "1 vote" if count == 1 else f"{count} votes"
