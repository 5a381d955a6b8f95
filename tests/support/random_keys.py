"""Random keys for the whole app, and what must hold after each: some widget has the focus, no typed word in
compose is lost, no error is logged, and Escape leads back to the main screen.
"""

from __future__ import annotations

import logging
import random
import string
from collections.abc import Iterator
from contextlib import contextmanager

from narrowcast.keys.registry import REGISTRY
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.main.screen import MainScreen
from support.sessions import until
from support.stage import Stage

_APART = frozenset({"app.quit", "app.suspend", "compose.editor"})
_OF_COMMANDS = {key for one in REGISTRY if one.id not in _APART for key in one.keys}
_KEYS = sorted(_OF_COMMANDS - {key for one in REGISTRY if one.id in _APART for key in one.keys})
_SIGNS = [*string.ascii_letters, *string.digits]
_BETWEEN = ("pane.", "account.", "write.", "compose.enter")
_PLACES = [key for one in REGISTRY if one.id.startswith(_BETWEEN) for key in one.keys]
"""Keys that switch conversations or accounts, and enter and leave compose."""
_TAKES_AWAY = frozenset({"ctrl+k", "ctrl+u", "ctrl+w", "alt+backspace", "alt+d", "delete", "backspace"})
"""Keys that are meant to delete words in fields and lists."""
_WORD = "bcdfghklmnprstvwz"
_WAYS_OUT = 12
"""The number of nested dialogs that Escape has to close."""


class RandomKeys:
    """``pressed``: all keys, for the message of a failure."""

    def __init__(self, stage: Stage, seed: int) -> None:
        self._stage = stage
        self._chance = random.Random(seed)
        self._words: list[str] = []
        self.pressed: list[str] = []

    async def press(self, steps: int) -> None:
        """Presses this many keys, or types words where a message is being written."""
        for _ in range(steps):
            keys = self._word() if self._writes() and self._chance.random() < 0.35 else [self._key()]
            self.pressed += keys
            await self._stage.press(*keys)
            await self._is_sound()
        await self._leave()

    def _key(self) -> str:
        key = self._chance.choice(self._chance.choice([_SIGNS, _KEYS, _PLACES, ["enter", "escape", "tab"]]))
        takes_away = key in _TAKES_AWAY or (key == "x" and isinstance(self._stage.app.screen, ManageScreen))
        return "escape" if takes_away else key

    def _word(self) -> list[str]:
        word = "zq" + "".join(self._chance.choices(_WORD, k=7))
        self._words.append(word)
        return [*word, "space"]

    def _writes(self) -> bool:
        app = self._stage.app
        if not isinstance(app.screen, MainScreen):
            return False
        return any(app.focused is one.writing.text for one in app.screen.side.all)

    async def _is_sound(self) -> None:
        app = self._stage.app
        assert app.return_code is None, self.pressed
        try:
            await until(self._has_focus)
        except AssertionError:
            raise AssertionError(f"the focus is at {app.focused} after {self.pressed}") from None

    def _has_focus(self) -> bool:
        """On the main screen: the focus is on a visible widget, and with two conversations in the active one."""
        app = self._stage.app
        if not isinstance(app.screen, MainScreen):
            return True
        focused, other = app.focused, app.screen.side.other
        if (
            focused is None
            or not focused.is_attached
            or not all(node.display for node in focused.ancestors_with_self)
        ):
            return False
        return other is None or not other.has_focus_within

    async def _leave(self) -> None:
        """Closes everything that is open with Escape."""
        app = self._stage.app
        for _ in range(_WAYS_OUT):
            if isinstance(app.screen, MainScreen):
                return
            await self._stage.press("ctrl+l", "escape")  # a second Escape at once would be delayed
        raise AssertionError(f"{app.screen} is not left by Escape after {self.pressed}")

    async def all_words_are_there(self, *people: str) -> None:
        """Every word is in a message of ``people``, a draft, the outbox, or compose; unsaved edits are drafts."""
        self._stage.app.accounts.keep()
        texts = list(self._here())
        for name in people:
            texts += [message["content"] for message in await self._stage.server.newest(name)]
        lost = [word for word in self._words if not any(_has(text, word) for text in texts)]
        assert not lost, f"{lost} lost after {self.pressed}"

    def _here(self) -> Iterator[str]:
        for account in self._stage.app.accounts.live():
            yield from (draft.content for draft in account.session.drafts.all())
            yield from (entry.content for entry in account.session.outbox.entries())
            if account.screen is not None:
                yield from (one.writing.text.text for one in account.screen.side.all)


def _has(text: str, word: str) -> bool:
    """Whether the letters of ``word`` occur in this order, possibly with others between them."""
    letters = iter(text)
    return all(letter in letters for letter in word)


@contextmanager
def no_errors_logged() -> Iterator[None]:
    """Fails if the app, or a library, logs an error during the block."""
    records: list[logging.LogRecord] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record)

    handler = Keep(logging.ERROR)
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
    assert not records, [record.getMessage() for record in records]
