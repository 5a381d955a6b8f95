"""Copying from a message, choosing an emoji for it, and what is known about it: reactions, readers, versions."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from narrowcast.content.blocks import Blocks, CodeBlock, ListBlock, Quote, Spoiler
from narrowcast.content.inlines import SpotKind
from narrowcast.content.parse import parse
from narrowcast.panes.messages.commands import MessageActs
from narrowcast.panes.messages.rows import reaction_text
from narrowcast.text.safe_text import without_controls
from narrowcast_api.model.messages import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from narrowcast.panes.messages.names import StateNames
    from narrowcast.screens.dialogs.picker import Choice
    from narrowcast_api.model.messages import Message
    from narrowcast_api.state.state import State
    from narrowcast_api.wire.messages import HistoryEntry

__all__ = ["MessageDetails"]

"""What is offered is an address to open, not a text to copy."""

ROWS_WITH_CODE = 600
"""So many rows of a message are looked through for code to offer."""

MAX_COPY = 100_000
"""Characters that one copy puts into the clipboard; terminals drop longer sequences."""

USUAL = ("1f44d", "2764", "1f389", "1f602", "1f642", "1f440", "2705", "1f64f", "1f680", "1f914")
"""Emoji that people react with most: they stand first, before anything is typed."""


class MessageDetails(MessageActs):
    """Handlers of actions that ask for more than one key."""

    # Copying.

    def copy(self, text: str, what: str) -> None:
        """Puts text into the terminal's clipboard. Only ever called for an act of the user."""
        text = without_controls(text)
        if len(text) > MAX_COPY:
            text = text[:MAX_COPY]
            what += f" (the first {MAX_COPY:,} characters)"
        self.app.copy_to_clipboard(text)
        self.say(f"Copied {what}.")

    def action_message_copy(self) -> None:
        """Copies the selected text; without one asks what of the message."""
        selected = self.screen.get_selected_text()
        if selected:
            self.copy(selected, "selected text")
            self.screen.clear_selection()
            return
        message = self.message_or_say()
        if message is None:
            return
        from narrowcast.screens.dialogs.picker import Picker

        offers = dict(enumerate(self._copies(message)))
        choices = [choice for choice, _, _ in offers.values()]

        def chosen(number: int | None) -> None:
            if number is None:
                return
            _, text, what = offers[number]
            if text is None:
                self.work(self._copy_source(message.id), "copy the source")
            else:
                self.copy(text or self.text_of(message), what)

        self.app.push_screen(Picker("Copy", choices), chosen)

    def _copies(self, message: Message) -> Iterator[tuple[Choice[int], str | None, str]]:
        from narrowcast.screens.dialogs.picker import Choice

        number = 0

        def offer(title: str, text: str | None, what: str) -> tuple[Choice[int], str | None, str]:
            nonlocal number
            number += 1
            return Choice(number - 1, title, " ".join((text or "")[:60].split())), text, what

        # Made when it is chosen: laying out all of a long message takes a while.
        yield offer("Text of the message", "", "the message")
        yield offer("Source (Markdown)", None, "the source")
        yield offer("Link to the message", self.link_of(message), "the link")
        for block in _code_blocks(parse(message.content, ROWS_WITH_CODE).blocks):
            yield offer(f"Code {block.language}".strip(), block.source, "the code")
        for spot in self.list.spots_of(message.id):
            if spot.kind in (SpotKind.LINK, SpotKind.MEDIA):
                yield offer("Address", spot.value, "the address")

    def action_message_playground(self) -> None:
        """Opens code of the message in a playground; asks which, if there are several pieces or sites."""
        from narrowcast.screens.dialogs.picker import Choice, Picker

        message = self.message_or_say()
        if message is None:
            return
        choices = [
            Choice(address, f"View in {name}", " ".join(block.source.split())[:60])
            for block in _code_blocks(parse(message.content, ROWS_WITH_CODE).blocks)
            for name, address in self._playgrounds(block)
        ]

        def chosen(address: str | None) -> None:
            if address is not None:
                self.post_message(self.LinkRequested(address, "playground"))

        if not choices:
            self.say("This message has no code for which the organization has a playground.")
        elif len(choices) == 1:
            chosen(choices[0].value)
        else:
            self.app.push_screen(Picker("View in playground", choices), chosen)

    def _playgrounds(self, block: CodeBlock) -> Iterator[tuple[str, str]]:
        """Names and addresses of the sites that can open a piece of code."""
        from narrowcast_api.errors import InvalidInput
        from narrowcast_api.url_templates import expand

        for playground in self.session.state.playgrounds:
            if playground.language.casefold() == block.language.casefold() and block.language:
                with suppress(InvalidInput):
                    yield playground.name, expand(playground.url_template, {"code": block.source})

    def text_of(self, message: Message) -> str:
        """The whole message, what is folded or closed too."""
        return self.list.text_of(message)

    async def _copy_source(self, message_id: int) -> None:
        self.copy(await self.source_of(message_id), "the source")

    def action_message_link(self) -> None:
        """Copies the address of the message."""
        if (message := self.message_or_say()) is not None:
            self.copy(self.link_of(message), "the link to the message")

    # Reactions.

    def action_message_react(self) -> None:
        """Asks for an emoji and reacts with it."""
        message = self.message_or_say()
        if message is None:
            return
        from narrowcast.screens.dialogs.picker import Choice, Picker
        from narrowcast_assets.emoji import character_of, emoji_names

        own = {one.key for one in message.reactions if one.user_id == self.session.state.me}
        choices: list[Choice[tuple[str, str, str]]] = []
        for group in grouped(message.reactions):
            key = (group.reaction_type, group.emoji_code)
            shown = reaction_text(*key, group.emoji_name)
            detail = "take back" if key in own else f"{len(group.user_ids)} so far"
            choices.append(Choice((*key, group.emoji_name), group.emoji_name, detail, shown))
        known = emoji_names().code_to_names
        unicode = {
            code: Choice(
                ("unicode_emoji", code, names[0]), names[0], "", character_of(code) or "", " ".join(names[1:])
            )
            for code, names in known.items()
        }
        choices.extend(unicode.pop(code) for code in USUAL if code in unicode)
        choices.extend(
            Choice(("realm_emoji", custom.code, custom.name), custom.name, "of this server")
            for custom in self.session.state.custom_emoji
            if not custom.deactivated
        )
        choices.extend(unicode.values())
        message_id = message.id

        def chosen(value: tuple[str, str, str] | None) -> None:
            now = self.session.state.messages.get(message_id)
            if value is not None and now is not None:
                self.toggle_reaction(now, *value)

        self.app.push_screen(Picker("React with", choices), chosen)

    # What is known about a message.

    def action_message_info(self) -> None:
        """Who reacted, when it was written and changed; from there readers, versions and source."""
        message = self.message_or_say()
        if message is None or self.list.feed is None:
            return
        from narrowcast.screens.dialogs.picker import Choice, Picker

        names, state = self.list.feed.names, self.session.state
        choices: list[Choice[str]] = [
            Choice("sender", state.users.name(message.sender_id), "wrote it"),
            Choice("", names.moment(message.timestamp), message.client and f"with {message.client}"),
        ]
        if message.edited_at is not None:
            choices.append(Choice("history", names.moment(message.edited_at), "edited: view edit history"))
        if message.moved_at is not None:
            choices.append(Choice("history", names.moment(message.moved_at), "moved: view edit history"))
        for group in grouped(message.reactions):
            shown = reaction_text(group.reaction_type, group.emoji_code, group.emoji_name)
            people = ", ".join(state.users.name(user_id) for user_id in group.user_ids)
            choices.append(Choice("", people, group.emoji_name, shown))
        choices += [
            Choice("receipts", "View read receipts", "V"),
            Choice("link", "Copy link to message", "L"),
            Choice("source", "Copy message source", f"message {message.id}"),
        ]
        message_id = message.id

        def chosen(value: str | None) -> None:
            self.list.select(message_id)
            match value:
                case "sender":
                    self.action_message_sender()
                case "history":
                    self.action_message_history()
                case "receipts":
                    self.action_message_receipts()
                case "link":
                    self.action_message_link()
                case "source":
                    self.work(self._copy_source(message_id), "copy the source")

        self.app.push_screen(Picker("Message information", choices), chosen)

    def action_message_receipts(self) -> None:
        """Who has read the message."""
        if (message := self.message_or_say()) is not None:
            self.work(self._show_receipts(message.id), "load read receipts")

    async def _show_receipts(self, message_id: int) -> None:
        from narrowcast.screens.dialogs.picker import Choice, Picker

        request = self.session.client.messages.read_receipts(message_id=message_id)
        answer = await self.waiting(request, "Loading read receipts…")
        users = self.session.state.users
        readers = sorted(answer.user_ids, key=lambda user_id: users.name(user_id).casefold())
        choices = [Choice(user_id, users.name(user_id)) for user_id in readers]
        if not choices:
            self.say("No one has read this message yet, or shares read receipts.")
            return
        self.app.push_screen(Picker(f"Read by {len(choices)}", choices), self._show_person)

    def _show_person(self, user_id: int | None) -> None:

        if user_id is not None:
            self.post_message(self.PersonRequested(user_id))

    def action_message_history(self) -> None:
        """The versions of the message."""
        if (message := self.message_or_say()) is not None:
            self.work(self._show_history(message.id), "load the edit history")

    async def _show_history(self, message_id: int) -> None:
        from narrowcast.screens.messages.versions import Version, VersionsScreen

        request = self.session.client.messages.history(message_id=message_id)
        answer = await self.waiting(request, "Loading edit history…")
        feed = self.list.feed
        if feed is None:
            return
        entries = answer.message_history
        versions = [
            Version(_about(entry, self.session.state, feed.names), entry.content) for entry in entries
        ]

        def chosen(number: int | None) -> None:
            if number is not None:
                self.copy(versions[number].content, "this version")

        self.app.push_screen(VersionsScreen(versions), chosen)


def _about(entry: HistoryEntry, state: State, names: StateNames) -> str:
    """Who made a version and when, and whether it was moved."""
    who = state.users.name(entry.user_id) if entry.user_id is not None else "somebody"
    about = f"{names.moment(entry.timestamp)}, {who}"
    if entry.prev_stream is not None:
        about += f" · moved from #{state.channels.name(entry.prev_stream) or entry.prev_stream}"
    if entry.prev_topic is not None:
        about += f" · topic was {entry.prev_topic or state.limits.empty_topic_name}"
    return about


def _code_blocks(blocks: Blocks) -> Iterator[CodeBlock]:
    for block in blocks:
        if isinstance(block, CodeBlock):
            yield block
        elif isinstance(block, Quote | Spoiler):
            yield from _code_blocks(block.blocks)
        elif isinstance(block, ListBlock):
            for item in block.items:
                yield from _code_blocks(item)
