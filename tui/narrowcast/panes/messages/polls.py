"""Voting in the poll, or ticking the tasks, in a message."""

from __future__ import annotations

from narrowcast.content.inlines import Target, TargetKind
from narrowcast.content.polls import Poll, read_widget
from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.feed import Key
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.messages.poll_choice import add_choice
from narrowcast.text.formats import counted

__all__ = ["Polls"]


class Polls:
    """Sends the user's choice; the event that follows shows it."""

    def __init__(self, pane: PaneContext) -> None:
        self._pane = pane

    def vote(self, key: Key, target: Target) -> None:
        message = self._pane.still_there_or_notify(key) if isinstance(key, int) else None
        widget = read_widget(message.submessages) if message is not None else None
        if message is None or widget is None or not self._pane.may_act_or_notify(message):
            return
        send = self._pane.session.client.submessages.send
        if isinstance(widget, Poll):
            content: dict[str, object] = widget.vote(target.value, self._pane.session.state.me)
        else:
            content = widget.strike(target.value)
        self._pane.work(send(message_id=message.id, content=content), "vote")

    def choose(self) -> None:
        """Votes in a poll, ticks a task, or adds one."""
        message = self._pane.message_or_notify()
        if message is None:
            return
        widget = read_widget(message.submessages)
        if widget is None:
            self._pane.refuse("This message is not a poll or to-do list.")
            return
        if not self._pane.may_act_or_notify(message):
            return

        choices: list[Choice[str]] = []
        if isinstance(widget, Poll):
            me = self._pane.session.state.me
            for option in widget.options:
                votes = counted(len(option.voters), "vote")
                choices.append(Choice(option.key, option.text, votes, _box(me in option.voters)))
        else:
            choices += [Choice(one.key, one.text, one.description, _box(one.done)) for one in widget.tasks]
        choices.append(Choice("", "Add option…" if isinstance(widget, Poll) else "Add task…", "", " + "))

        def chosen(key: str | None) -> None:
            kind = TargetKind.VOTE if isinstance(widget, Poll) else TargetKind.TASK
            if key:
                self.vote(message.id, Target(kind, key))
            elif key is not None:
                add_choice(self._pane, message, widget)

        self._pane.ask(Picker("Vote" if isinstance(widget, Poll) else "To do", choices), chosen)


def _box(ticked: bool) -> str:
    return "[x]" if ticked else "[ ]"
