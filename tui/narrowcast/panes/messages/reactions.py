"""What a user puts on a message: reactions, votes, stars, read marks, and whether it is collapsed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.content.inlines import Target, TargetKind
from narrowcast.content.polls import Poll, read_widget
from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.items import Key
from narrowcast.panes.messages.rows import reaction_text
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.messages.poll_choice import add_choice
from narrowcast.text import names
from narrowcast.text.formats import counted
from narrowcast_api import permissions
from narrowcast_api.model.messages import Reaction, grouped
from narrowcast_api.wire.vocabulary import MessageFlag
from narrowcast_assets.emoji import emoji_names
from narrowcast_assets.emoji_categories import category_of, emoji_place

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.message_view import MessageView


__all__ = ["UNTIL_ANOTHER_VIEW", "Flags", "Polls", "Reactions", "stay_read"]

UNICODE = "unicode_emoji"
THUMBS_UP = (UNICODE, "1f44d", "+1")
Emoji = tuple[str, str, str]
"""Type, code and name of an emoji, as the service defines them."""

USUAL = ("1f44d", "2764", "1f389", "1f602", "1f642", "1f440", "2705", "1f64f", "1f680", "1f914")
"""The emoji that are most used in reactions: offered first, before anything is typed."""
LAST_USED = 10
SEARCHED_MESSAGES = 2_000
"""Number of messages, newest first, that are searched for reactions of the user's own."""


class Reactions:
    """Adds and removes reactions, and asks for an emoji."""

    def __init__(self, pane: PaneContext) -> None:
        self._pane = pane

    def thumbs_up(self) -> None:
        """Adds or removes a thumbs-up reaction."""
        if (message := self._pane.message_or_notify()) is not None:
            self.toggle(message, *THUMBS_UP)

    def join_first(self) -> None:
        """Adds the first reaction of the message for the user too, or removes it."""
        message = self._pane.message_or_notify()
        if message is None:
            return
        if not message.reactions:
            self._pane.refuse(self._pane.with_keys("No reactions yet. Press <message.react> to add one."))
            return
        first: Reaction = message.reactions[0]
        self.toggle(message, first.reaction_type, first.emoji_code, first.emoji_name)

    def toggle(self, message: Message, reaction_type: str, code: str, name: str) -> None:
        """Adds or removes an own reaction."""
        session = self._pane.session
        if not self._pane.may_act_or_notify(message):
            return
        reaction = Reaction(name, code, reaction_type, session.state.me)
        own = any((one.key, one.user_id) == (reaction.key, reaction.user_id) for one in message.reactions)
        self._pane.work(
            session.message_actions.reaction(message.id, reaction, not own), "change the reaction"
        )

    def choose(self) -> None:
        """Asks for an emoji and reacts with it."""
        message = self._pane.message_or_notify()
        if message is None or not self._pane.may_act_or_notify(message):
            return
        choices = _choices(message, self._pane.session.state)
        message_id = message.id

        def chosen(value: Emoji | None) -> None:
            if value is not None and (now := self._pane.still_there_or_notify(message_id)) is not None:
                self.toggle(now, *value)

        self._pane.ask(Picker("React with", choices), chosen)


def _last_used(state: State) -> list[Emoji]:
    """The emoji of the user's own reactions, as far as the state has them, those on the newest messages first."""
    newest = sorted((message.id for message in state.messages), reverse=True)[:SEARCHED_MESSAGES]
    own = (
        (one.reaction_type, one.emoji_code, one.emoji_name)
        for message in state.messages.known(newest)
        for one in message.reactions
        if one.user_id == state.me
    )
    return [*dict.fromkeys(own)][:LAST_USED]


def _choices(message: Message, state: State) -> list[Choice[Emoji]]:
    """Each emoji once: those on the message, those last used, the popular ones, the organization's own, all others by
    category.
    """
    own = {one.key for one in message.reactions if one.user_id == state.me}
    names_by_code = emoji_names().code_to_names
    choices: dict[tuple[str, str], Choice[Emoji]] = {}

    def add(kind: str, code: str, name: str, *, detail: str = "") -> None:
        is_unicode = kind == UNICODE
        shown = reaction_text(kind, code, name) if is_unicode else ""
        names = names_by_code.get(code, ()) if is_unicode else ()
        category = category_of(code).value if is_unicode and code in names_by_code else "custom emoji"
        also = " ".join([*(other for other in names if other != name), category])
        choices.setdefault((kind, code), Choice((kind, code, name), name, detail or category, shown, also))

    for group in grouped(message.reactions):
        key = (group.reaction_type, group.emoji_code)
        detail = "remove yours" if key in own else counted(len(group.user_ids), "reaction")
        add(*key, group.emoji_name, detail=detail)
    custom = {one.code for one in state.custom_emoji if not one.deactivated}
    for kind, code, name in _last_used(state):
        if kind == UNICODE or code in custom:
            add(kind, code, name, detail="last used")
    for code in USUAL:
        add(UNICODE, code, names_by_code[code][0])
    for one in state.custom_emoji:
        if not one.deactivated:
            add("realm_emoji", one.code, one.name)
    for code in sorted(names_by_code, key=emoji_place):
        add(UNICODE, code, names_by_code[code][0])
    return [*choices.values()]


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


UNTIL_ANOTHER_VIEW = "Messages are not marked as read until you open another view."


def stay_read(channels: str) -> str:
    """The notice that the server does not mark messages in these channels as unread."""
    return f"Messages in {channels} stay read: you are not subscribed."


class Flags:
    """Changes the user's own flags of messages."""

    def __init__(self, pane: PaneContext) -> None:
        self._pane = pane

    def star(self) -> None:
        """Stars or unstars the message."""
        if (message := self._pane.message_or_notify()) is not None:
            self._flag(message, "starred", not message.is_starred)

    def collapse(self) -> None:
        """Collapses the message to one line, or expands it."""
        if (message := self._pane.message_or_notify()) is not None:
            self._flag(message, "collapsed", "collapsed" not in message.flags)

    def link_previews(self) -> None:
        """Hides the previews of the message's links, or shows them again."""
        if (message := self._pane.message_or_notify()) is not None:
            flag = MessageFlag.HIDE_LINK_PREVIEWS
            self._flag(message, flag, flag not in message.flags)

    def _flag(self, message: Message, flag: str, on: bool) -> None:
        session = self._pane.session
        if not self._pane.refuse(permissions.flag_refusal(session.state, message.channel_id)):
            self._pane.work(session.message_actions.flag(message.id, flag, on), f"change the flag {flag}")

    def unread(self) -> None:
        """Marks this message and all later ones as unread."""
        view, message = self._pane.view, self._pane.message_or_notify()
        if view is None or message is None:
            return
        ids = [one for one in view.ids if one >= message.id]
        self._pane.work(self._mark_unread(view, ids), "mark as unread")

    async def _mark_unread(self, view: MessageView, ids: list[int]) -> None:
        session = self._pane.session
        async with session.read_marks.suspended():
            response = await session.client.flags.change(message_ids=ids, op="remove", flag="read")
        skipped = set(response.ignored_because_not_subscribed_channels or ())
        changed = [one.id for one in session.state.messages.known(ids) if one.channel_id not in skipped]
        if changed:
            session.kept_unread.add(view.narrow)
            session.show_unread(changed)
            view.move_unread_line(changed[0])
            self._pane.say(f"Marked as unread from here. {UNTIL_ANOTHER_VIEW}")
        if skipped:
            where = ", ".join(f"#{names.channel(session.state, one)}" for one in sorted(skipped))
            self._pane.refuse(stay_read(where))
