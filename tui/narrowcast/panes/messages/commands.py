"""What one does with the selected message by a key: move, reply, react, star, edit, delete, copy."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from narrowcast.panes.messages.requests import PaneBase
from narrowcast_api import permissions
from narrowcast_api.model.messages import Reaction
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message

__all__ = ["MessageActs"]

THUMBS_UP = ("unicode_emoji", "1f44d", "+1")


class MessageActs(PaneBase):
    """Handlers of the actions of the messages context."""

    # Moving.

    def action_message_down(self) -> None:
        """To the next message."""
        self.list.step(1)

    def action_message_up(self) -> None:
        """To the message before."""
        self.list.step(-1)

    def action_message_page_down(self) -> None:
        """A screen down."""
        self.list.page(1)

    def action_message_page_up(self) -> None:
        """A screen up."""
        self.list.page(-1)

    def action_message_select_down(self) -> None:
        """Selects text, a row further down."""
        self.list.extend_selection(1)

    def action_message_select_up(self) -> None:
        """Selects text, a row further up."""
        self.list.extend_selection(-1)

    def action_message_oldest(self) -> None:
        """To the oldest message of the view."""
        if self.view is not None and not self.view.found_oldest:
            self._reopen("oldest")
        self.list.to_oldest()

    def action_message_newest(self) -> None:
        """To the newest message of the view."""
        if self.view is not None and not self.view.found_newest:
            self._reopen("newest")
            return
        self.list.to_newest()

    def show_sent(self) -> None:
        """What was just written comes into view; but nothing unread is passed over for that."""
        if self.list.following:
            return
        if self.view is None or not self.view.found_newest or self.list.has_unread_below():
            self.say("Message sent. G goes to the newest message.")
        else:
            self.list.to_newest()

    def action_message_first_unread(self) -> None:
        """To the first unread message."""
        view = self.view
        if view is None:
            return
        get = self.session.state.messages.get
        unread = (one for one in view.ids if (message := get(one)) is not None and not message.is_read)
        first = next(unread, None)
        if first is not None:
            self.list.jump(first)
        elif view.first_unread is not None and view.first_unread in view.ids:
            self.list.jump(view.first_unread)
        else:
            self._reopen("first_unread")

    def action_message_reload(self) -> None:
        """Fetches the view again."""
        if self.view is not None:
            self._reopen(self.list.selected if isinstance(self.list.selected, int) else "newest")

    @abstractmethod
    def _reopen(self, anchor: int | str) -> None:
        """Opens the view again at a message or at one of its ends."""

    # Writing.

    def action_message_reply(self) -> None:
        """Writes to the conversation of the message."""
        where = self.selected_destination
        if where is None and self.view is not None:
            where = self.view.narrow.destination  # an empty conversation is answered too
        if where is not None:
            self.post_message(self.ReplyRequested(where))
        else:
            self.message_or_say()

    def action_message_reply_sender(self) -> None:
        """Writes to the sender alone."""
        if (message := self.message_or_say()) is not None:
            others = frozenset({message.sender_id}) - {self.session.state.me}
            self.post_message(self.ReplyRequested(DirectDestination(others)))

    def action_message_mention(self) -> None:
        """Replies, beginning with the sender's name."""
        if (message := self.message_or_say()) is not None:
            name = self.session.state.users.name(message.sender_id)
            mention = f"@**{name}|{message.sender_id}** "
            self.post_message(self.ReplyRequested(message.destination(self.session.state.me), mention))

    def action_message_quote(self) -> None:
        """Replies, beginning with the message's source as a quote."""
        if (message := self.message_or_say()) is not None:
            self.work(self._quote(message), "quote the message")

    async def _quote(self, message: Message) -> None:
        source = await self.source_of(message.id)
        fence = "```"
        while fence in source:
            fence += "`"
        name = self.session.state.users.name(message.sender_id)
        link = self.link_of(message)
        quote = f"@_**{name}|{message.sender_id}** [said]({link}):\n{fence}quote\n{source}\n{fence}\n"
        self.post_message(self.ReplyRequested(message.destination(self.session.state.me), quote))

    async def source_of(self, message_id: int) -> str:
        """The Markdown that a message was written in."""
        request = self.session.client.messages.get(message_id=message_id, apply_markdown=False)
        answer = await self.waiting(request, "Loading message…")
        message = answer.message
        return str(answer.raw_content or (message.content if message is not None else ""))

    def link_of(self, message: Message) -> str:
        """The address of a message."""
        from narrowcast.content.addresses import message_address

        return message_address(message, self.session.state)

    def action_message_edit(self) -> None:
        """Edits one's own message."""
        message = self.message_or_say()
        if message is None:
            return
        if refused := permissions.edit_refusal(self.session.state, message, self.session.clock.now()):
            self.refuse(refused)
        else:
            self.post_message(self.EditRequested(message.id))

    def action_message_delete(self) -> None:
        """Deletes the message, after asking."""
        from narrowcast.screens.dialogs.confirm import ask_first

        message = self.message_or_say()
        if message is None:
            return
        if refused := permissions.delete_refusal(self.session.state, message, self.session.clock.now()):
            self.refuse(refused)
            return
        message_id = message.id

        def delete() -> None:
            self.work(self.session.client.messages.delete(message_id=message_id), "delete the message")

        ask_first(self.screen, "Delete this message?", "Delete message", delete)

    # Flags and reactions.

    def action_message_star(self) -> None:
        """Puts a star on the message, or takes it off."""
        if (message := self.message_or_say()) is not None:
            self._flag(message, "starred", not message.is_starred)

    def action_message_collapse(self) -> None:
        """Folds the message to one line, or unfolds it."""
        if (message := self.message_or_say()) is not None:
            self._flag(message, "collapsed", "collapsed" not in message.flags)

    def _flag(self, message: Message, flag: str, on: bool) -> None:
        self.work(self.session.acts.flag(message.id, flag, on), f"change the flag {flag}")

    def action_message_unread(self) -> None:
        """Marks this message and all below it as unread."""
        view, message = self.view, self.message_or_say()
        if view is None or message is None:
            return
        ids = [one for one in view.ids if one >= message.id]
        self.session.read_marks.suspend()
        change = self.session.client.flags.change
        self.work(change(message_ids=ids, op="remove", flag="read"), "mark as unread")
        self.say("Marked as unread from here. Reading marks no messages as read until you open another view.")

    def action_message_thumbs_up(self) -> None:
        """Reacts with a thumb, or takes it back."""
        if (message := self.message_or_say()) is not None:
            self.toggle_reaction(message, *THUMBS_UP)

    def action_message_react_first(self) -> None:
        """Joins the first reaction, or leaves it."""
        message = self.message_or_say()
        if message is None:
            return
        if not message.reactions:
            self.refuse("No reactions yet. Press : to add one.")
            return
        first: Reaction = message.reactions[0]
        self.toggle_reaction(message, first.reaction_type, first.emoji_code, first.emoji_name)

    def toggle_reaction(self, message: Message, reaction_type: str, code: str, name: str) -> None:
        """Adds a reaction of one's own, or removes it."""
        reaction = Reaction(name, code, reaction_type, self.session.state.me)
        own = any((one.key, one.user_id) == (reaction.key, reaction.user_id) for one in message.reactions)
        self.work(self.session.acts.reaction(message.id, reaction, not own), "change the reaction")

    # Going elsewhere.

    def action_message_channel(self) -> None:
        """Goes to the whole channel of the message, or all direct messages."""
        if (message := self.message_or_say()) is not None:
            is_direct = message.channel_id is None
            narrow = Narrow.directs() if is_direct else Narrow.channel(message.channel_id or 0)
            self.post_message(self.NarrowRequested(narrow, message.id))

    def action_message_topic(self) -> None:
        """Goes to the conversation of the message."""
        if (message := self.message_or_say()) is not None:
            where = message.destination(self.session.state.me)
            if isinstance(where, ChannelDestination):
                narrow = Narrow.topic(where.channel_id, where.topic)
            else:
                narrow = Narrow.direct(where.user_ids)
            self.post_message(self.NarrowRequested(narrow, message.id))

    def action_message_sender(self) -> None:
        """Shows who wrote the message."""
        if (message := self.message_or_say()) is not None:
            self.post_message(self.PersonRequested(message.sender_id))
