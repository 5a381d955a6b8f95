"""Keyboard hints: a key for each link or other target in view."""

from __future__ import annotations

from textual import events

from narrowcast.content.addresses import External, resolve
from narrowcast.content.inlines import Target, TargetKind
from narrowcast.panes.messages.clipboard import Clipboard
from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.feed import Key
from narrowcast.panes.messages.links import Links
from narrowcast.panes.messages.overlays import Hints, hint_labels
from narrowcast.text.safe_text import safe_line

__all__ = ["LinkHints"]


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
            self._pane.refuse("No links in view.")
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
