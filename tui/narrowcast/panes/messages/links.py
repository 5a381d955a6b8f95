"""Links, code and other targets in messages: following them, and a key for each that is in view."""

from __future__ import annotations

from collections.abc import Set

from textual import events

from narrowcast.content.addresses import External, InApp, resolve
from narrowcast.content.bounds import MAX_ROWS
from narrowcast.content.inlines import Target, TargetKind, is_picture
from narrowcast.panes.messages.clipboard import Clipboard
from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.items import Key
from narrowcast.panes.messages.navigation import Navigation
from narrowcast.panes.messages.painting import Hints, hint_labels
from narrowcast.panes.messages.reactions import Polls, Reactions
from narrowcast.panes.messages.requests import HintChanged, LinkRequested, PersonRequested
from narrowcast.panes.messages.row_values import Rows
from narrowcast.screens.messages import picture
from narrowcast.text.safe_text import safe_line
from narrowcast_assets.installing import with_extra

__all__ = ["LinkHints", "Links", "hints_for"]

MORE_FACTOR = 10

TOO_LONG = "This message is too long to show all of it. Press <message.copy> to copy its source."


class Links:
    """Performs the action of a target in a message."""

    def __init__(
        self,
        pane: PaneContext,
        navigation: Navigation,
        clipboard: Clipboard,
        reactions: Reactions,
        polls: Polls,
    ) -> None:
        self._pane = pane
        self._navigation = navigation
        self._clipboard = clipboard
        self._reactions = reactions
        self._polls = polls
        self.selected_hints: tuple[tuple[str, str], ...] = ()
        """The commands for the content of the selected message (a poll, an image, a spoiler): id and what each does."""

    def tell_hints(self) -> None:
        """Updates the command hints for the selected message if they changed."""
        key = self._pane.list.selected
        rows = self._pane.list.rows.of(key) if key is not None else None
        hints: tuple[tuple[str, str], ...] = ()
        if rows is not None and key is not None:
            has_playgrounds = bool(list(self._pane.session.state.playgrounds))
            hints = hints_for(
                rows, self._pane.list.rows.shape_of(key).opened, has_playgrounds=has_playgrounds
            )
        if hints != self.selected_hints:
            self.selected_hints = hints
            self._pane.post(HintChanged())

    def follow(self, key: Key, target: Target) -> None:
        """Performs the action of a target."""
        match target.kind:
            case TargetKind.LINK:
                self._open_link(target)
            case TargetKind.MEDIA:
                self.open_media(target, key)
            case TargetKind.USER:
                if target.value.isdecimal():
                    self._pane.post(PersonRequested(int(target.value)))
            case TargetKind.SPOILER:
                self._toggle_spoiler(key, int(target.value))
            case TargetKind.MORE:
                self._show_more(key, target)
            case TargetKind.VOTE | TargetKind.TASK:
                self._polls.vote(key, target)
            case TargetKind.REACTION:
                self._react(key, target)
            case TargetKind.CODE:
                self._clipboard.copy_code(key, target.value)

    def _open_link(self, target: Target) -> None:
        place = resolve(target.value, self._pane.session.state)
        if isinstance(place, InApp):
            self._navigation.go_to(place)
        elif isinstance(place, External):
            self._pane.post(LinkRequested(place.url, target.label))
        elif target.value.lower().startswith("mailto:"):
            self._clipboard.copy(target.value[7:], f"the address {safe_line(target.value[7:], 60)}")
        else:
            self._pane.refuse("This link cannot be opened.")

    def open_media(self, target: Target, key: Key | None = None) -> None:
        """Shows an image in full if the terminal and the installed extra allow it, else opens the file.

        With the `key` of a message, its other images can be viewed from there.
        """
        available = picture.images.available()
        if self._can_be_shown(target) and available:
            beside = self._pane.list.rows.targets_of(key) if key is not None else ()
            pictures = [one for one in beside if self._can_be_shown(one)] or [target]
            index = pictures.index(target) if target in pictures else 0
            self._pane.ask(picture.PictureScreen(self._pane.session, pictures, index), self._save_picture)
        else:
            if is_picture(target) and not available:
                self._pane.say(f"To view images here, install the extra 'images'; {with_extra('images')}")
            self._open_link(target)

    def _can_be_shown(self, target: Target) -> bool:
        source = resolve(target.src, self._pane.session.state) if is_picture(target) else None
        return isinstance(source, External) and source.own

    def _save_picture(self, target: Target | None) -> None:
        if target is not None:
            self._open_link(target)

    def _toggle_spoiler(self, key: Key, index: int) -> None:
        opened = self._pane.list.rows.shape_of(key).opened
        self._pane.list.reshape(key, opened=opened ^ {index})

    def _show_more(self, key: Key, target: Target) -> None:
        if target.value == "reveal":
            self._pane.list.reshape(key, revealed=True)
            return
        rows = self._pane.list.rows.shape_of(key).rows
        if rows >= MAX_ROWS:
            self._pane.say(self._pane.with_keys(TOO_LONG))
        else:
            self._pane.list.reshape(key, rows=min(MAX_ROWS, rows * MORE_FACTOR))

    def _react(self, key: Key, target: Target) -> None:
        message = self._pane.session.state.messages.get(key) if isinstance(key, int) else None
        reaction_type, code, name = target.value.split(":", 2)
        if message is not None:
            self._reactions.toggle(message, reaction_type, code, name)

    def spoilers(self) -> None:
        """Opens or closes all spoilers of the message."""
        key = self._pane.list.selected
        if key is None:
            return
        every = {
            int(target.value)
            for target in self._pane.list.rows.targets_of(key)
            if target.kind is TargetKind.SPOILER
        }
        opened = self._pane.list.rows.shape_of(key).opened
        self._pane.list.reshape(key, opened=frozenset() if every <= opened else frozenset(every))

    def image(self) -> None:
        """Shows the first image or file of the message."""
        key = self._pane.list.selected
        targets = self._pane.list.rows.targets_of(key) if key is not None else ()
        target = next((target for target in targets if target.kind is TargetKind.MEDIA), None)
        file = next((target for target in targets if self._is_file(target)), None)
        if target is not None:
            self.open_media(target, key)
        elif file is not None:
            self._open_link(file)
        else:
            self._pane.refuse("This message has no images or files.")

    def _is_file(self, target: Target) -> bool:
        """Whether a link leads to an uploaded file."""
        if target.kind is not TargetKind.LINK:
            return False
        place = resolve(target.value, self._pane.session.state)
        return isinstance(place, External) and place.own and "/user_uploads/" in place.url

    def pan(self, delta: int) -> None:
        key = self._pane.list.selected
        rows = self._pane.list.rows.of(key) if key is not None else None
        if key is not None and rows is not None and (delta < 0 or rows.hidden_columns):
            self._pane.list.reshape(key, pan=max(0, self._pane.list.rows.shape_of(key).pan + delta))

    def open_closed(self) -> bool:
        """Opens the first closed part of the selected message; returns whether there was one."""
        key = self._pane.list.selected
        if key is None:
            return False
        opened = self._pane.list.rows.shape_of(key).opened
        for target in self._pane.list.rows.targets_of(key):
            closed = target.kind is TargetKind.SPOILER and int(target.value) not in opened
            if closed or target.kind is TargetKind.MORE:
                self.follow(key, target)
                return True
        return False


def hints_for(rows: Rows, opened: Set[int], *, has_playgrounds: bool = False) -> tuple[tuple[str, str], ...]:
    """Commands for the content of a message, the rarest kind first; `opened` spoilers can be closed."""
    targets = rows.targets
    kinds = {target.kind for target in targets}
    spoilers = {int(target.value) for target in targets if target.kind is TargetKind.SPOILER}
    media = next((target for target in targets if target.kind is TargetKind.MEDIA), None)
    picture = "picture" if media is not None and is_picture(media) else "open file"
    offers = (
        ("message.vote", "vote", TargetKind.VOTE in kinds),
        ("message.vote", "tick", TargetKind.TASK in kinds),
        ("message.enter", "open", bool(spoilers - opened) or TargetKind.MORE in kinds),
        ("message.spoiler", "close", bool(spoilers) and spoilers <= opened),
        ("message.image", picture, media is not None),
        ("message.pan-right", "more columns", rows.hidden_columns > 0),
        ("message.playground", "playground", rows.has_code and has_playgrounds),
        ("message.copy", "copy code", rows.has_code),
        ("message.hints", "open link", TargetKind.LINK in kinds),
    )
    return tuple((action_id, does) for action_id, does, fits in offers if fits)


class LinkHints:
    """The mode in which the keys are the labels of targets."""

    def __init__(self, pane: PaneContext, links: Links, clipboard: Clipboard) -> None:
        self._pane = pane
        self._links = links
        self._clipboard = clipboard

    def begin(self) -> None:
        """Labels all targets in view with keys."""
        messages = self._pane.list
        targets = messages.targets_in_view()
        if not targets:
            self._pane.refuse("No links or code in view.")
            return
        labels = hint_labels(len(targets))
        messages.overlay = Hints(dict(zip(targets, labels, strict=False)), messages.targets_beginning)
        self._pane.say_mode("Esc cancels · type a label to open · Shift copies the link")
        messages.changed()

    def key(self, hints: Hints, event: events.Key) -> None:
        typed = hints.typed + (event.character or "").lower()
        chosen = [place for place, label in hints.labels.items() if label == typed]
        if chosen:
            self._pane.leave_modes()
            key, number = chosen[0]
            targets = self._pane.list.rows.targets_of(key)
            if number < len(targets):
                self._take(key, targets[number], copies=(event.character or "").isupper())
        elif event.character and any(label.startswith(typed) for label in hints.labels.values()):
            hints.typed = typed
            self._pane.list.changed()
        else:
            self._pane.leave_modes()

    def _take(self, key: Key, target: Target, *, copies: bool) -> None:
        """Follows the target of a hint, or shows and copies its address."""
        if copies and target.kind in (TargetKind.LINK, TargetKind.MEDIA):
            place = resolve(target.value, self._pane.session.state)
            address = place.url if isinstance(place, External) else target.value
            self._clipboard.copy(address, safe_line(address, 300))
        else:
            self._links.follow(key, target)
