"""Copying from a message: its text, source, link or code; and opening its code in a playground."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from narrowcast.content.addresses import message_address
from narrowcast.content.blocks import Blocks, CodeBlock, ListBlock, Quote, Spoiler
from narrowcast.content.inlines import TargetKind
from narrowcast.content.reader import parse
from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.items import Key
from narrowcast.panes.messages.requests import LinkRequested
from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.text.safe_text import without_controls
from narrowcast_api.errors import InvalidInput, NarrowcastError
from narrowcast_api.url_templates import expand

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message

__all__ = ["Clipboard"]

ROWS_WITH_CODE = 600
"""Number of rows of a message that are searched for code to offer."""

CODE = "the code"
TAB_STOPS = 4
"""Columns between the stops of tabs in Markdown."""
_MAY_BE_TABS = re.compile(rf"(?m)^(?:.{{{TAB_STOPS}}})*.{{{TAB_STOPS - 1}}} ")
"""A blank right before a stop."""

MAX_COPY = 100_000
"""Maximum characters of one copy; terminals drop longer sequences."""


class Clipboard:
    """Copies texts to the terminal's clipboard. Used only on a command of the user."""

    def __init__(self, pane: PaneContext) -> None:
        self._pane = pane

    def copy(self, text: str, what: str) -> None:
        """Puts text into the terminal's clipboard. Called only on a command of the user."""
        text = without_controls(text)
        if len(text) > MAX_COPY:
            text = text[:MAX_COPY]
            what += f" (the first {MAX_COPY:,} characters)"
        app_of(self._pane).copy(text, lambda: self._pane.say(f"Copied {what}."))

    def copy_message(self) -> None:
        """Copies the selected text; without a selection, asks what to copy of the message."""
        if selected := self._pane.take_selected_text():
            self.copy(selected, "selected text")
            return
        message = self._pane.message_or_notify()
        if message is None:
            return

        copies = list(self._copies(message))
        choices = [
            Choice(number, title, " ".join((text or "")[:60].split()))
            for number, (title, text, _) in enumerate(copies)
        ]

        def chosen(number: int | None) -> None:
            if number is None:
                return
            _, text, what = copies[number]
            if text is None:
                self._pane.work(self.copy_source(message.id), "copy the source")
            elif what == CODE:
                self.copy_code(message.id, text)
            else:
                self.copy(text or self._pane.list.rows.text_of(message), what)

        self._pane.ask(Picker("Copy", choices), chosen)

    def _copies(self, message: Message) -> Iterator[tuple[str, str | None, str]]:
        """What can be copied of a message: a title, the text, and its name in the notice after copying.

        The text is empty for that of the whole message, which is produced when it is chosen (laying out a
        long message takes a while), and None for the source, which is fetched.
        """
        yield "Text of the message", "", "the message"
        yield "Source (Markdown)", None, "the source"
        yield "Link to the message", self.link_of(message), "the link"
        for block in _code_blocks(parse(message.content, ROWS_WITH_CODE).blocks):
            yield f"Code {block.language}".strip(), block.source, CODE
        for target in self._pane.list.rows.targets_of(message.id):
            if target.kind in (TargetKind.LINK, TargetKind.MEDIA):
                yield "Address", target.value, "the address"

    def copy_code(self, key: Key, code: str) -> None:
        """Copies code of a message as it was written: servers render tabs as blanks."""
        if isinstance(key, int) and _MAY_BE_TABS.search(code) and self._pane.session.is_live:
            self._pane.work(self._copy_code(key, code), "copy the code")
        else:
            self.copy(code, CODE)

    async def _copy_code(self, message_id: int, code: str) -> None:
        with suppress(NarrowcastError):
            code = as_written(code, await self.source_of(message_id))
        self.copy(code, CODE)

    async def copy_source(self, message_id: int) -> None:
        self.copy(await self.source_of(message_id), "the source")

    async def source_of(self, message_id: int) -> str:
        """The Markdown source of a message, fetched from the server."""
        request = self._pane.session.client.messages.get(message_id=message_id, apply_markdown=False)
        response = await self._pane.waiting(request, "Loading message…")
        message = response.message
        return str(response.raw_content or (message.content if message is not None else ""))

    def link_of(self, message: Message) -> str:
        """The address of a message."""

        return message_address(message, self._pane.session.state)

    def copy_link(self) -> None:
        """Copies the address of the message."""
        if (message := self._pane.message_or_notify()) is not None:
            self.copy(self.link_of(message), "the link to the message")

    def playground(self) -> None:
        """Opens code of the message in a playground; asks which if there are several code blocks or playgrounds."""
        message = self._pane.message_or_notify()
        if message is None:
            return
        choices = [
            Choice(address, f"View in {name}", " ".join(block.source.split())[:60])
            for block in _code_blocks(parse(message.content, ROWS_WITH_CODE).blocks)
            for name, address in self._playgrounds(block)
        ]

        def chosen(address: str | None) -> None:
            if address is not None:
                self._pane.post(LinkRequested(address, "playground"))

        if not choices:
            self._pane.refuse("This message has no code for which the organization has a playground.")
        elif len(choices) == 1:
            chosen(choices[0].value)
        else:
            self._pane.ask(Picker("View in playground", choices), chosen)

    def _playgrounds(self, block: CodeBlock) -> Iterator[tuple[str, str]]:
        """Names and addresses of the playgrounds that can open a code block."""
        for playground in self._pane.session.state.playgrounds:
            if playground.language.casefold() == block.language.casefold() and block.language:
                with suppress(InvalidInput):
                    yield playground.name, expand(playground.url_template, {"code": block.source})


def as_written(code: str, source: str) -> str:
    """The lines of a Markdown source that are shown as ``code``; ``code`` if there are none with tabs."""
    lines, written = code.split("\n"), source.split("\n")
    shown = [line.expandtabs(TAB_STOPS).rstrip() for line in written]
    wanted = [line.rstrip() for line in lines]
    for start in range(len(written) - len(lines) + 1 if "\t" in source else 0):
        if shown[start] == wanted[0] and shown[start : start + len(lines)] == wanted:
            return "\n".join(written[start : start + len(lines)])
    return code


def _code_blocks(blocks: Blocks) -> Iterator[CodeBlock]:
    for block in blocks:
        if isinstance(block, CodeBlock):
            yield block
        elif isinstance(block, Quote | Spoiler):
            yield from _code_blocks(block.blocks)
        elif isinstance(block, ListBlock):
            for item in block.items:
                yield from _code_blocks(item)
