"""Highlighted code for renderings: looked up at once, computed beside the event loop.

Rendering is plain code inside a transaction and cannot wait. So it is tried: where code is not highlighted yet it
says so (`Wanted`), the transaction is undone, the code is highlighted elsewhere, and all is done again. What could
not be highlighted in time stays plain.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Final, TypeVar

from narrowcast_server.computing.highlight import highlighted
from narrowcast_server.computing.workers import Workers

T = TypeVar("T")
Block = tuple[str, str]
"""Language and source of a code block."""

_SECONDS: Final = 0.5
"""Of processor time, for all the code of one rendering."""
_MOST_BLOCKS: Final = 100
"""Of one rendering; what is beyond stays plain."""
_MOST_CHARACTERS: Final = 8 * 1024 * 1024


class Wanted(BaseException):
    """Code that a rendering needs highlighted. Nothing but `Highlights.settled` catches it."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        super().__init__(f"{len(blocks)} blocks of code")
        self.blocks = blocks


class _Mode(Enum):
    INLINE = "highlight at once: for what the server itself writes"
    ASK = "raise Wanted"
    PLAIN = "leave what is not there"


class Highlights:
    """What was highlighted lately. Not for several event loops."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._highlighted: OrderedDict[Block, str | None] = OrderedDict()
        self._characters = 0
        self._mode = _Mode.INLINE
        self._wanted: list[Block] = []

    def get(self, language: str, source: str) -> str | None:
        """The inside of a code block, None where it is to be plain. `check` follows the last call of a rendering."""
        if self._mode is _Mode.INLINE:
            return highlighted(language, source)
        block = (language, source)
        if block in self._highlighted:
            self._highlighted.move_to_end(block)
            return self._highlighted[block]
        if self._mode is _Mode.ASK and len(self._wanted) < _MOST_BLOCKS:
            self._wanted.append(block)
        return None

    def check(self) -> None:
        """Raises Wanted when something is missing."""
        if self._wanted:
            wanted, self._wanted = self._wanted, []
            raise Wanted(wanted)

    async def settled(self, work: Callable[[], T]) -> T:
        """The result of `work`, which renders what people wrote; it may be called twice."""
        try:
            with self._in_mode(_Mode.ASK):
                return work()
        except Wanted as wanted:
            blocks = list(dict.fromkeys(wanted.blocks))
        fresh = dict(zip(blocks, await self._workers.compute("highlight", blocks, _SECONDS), strict=True))
        self._keep(fresh)
        with self._in_mode(_Mode.PLAIN):
            return work()

    @contextmanager
    def _in_mode(self, mode: _Mode) -> Iterator[None]:
        # Plain code runs inside, so nobody else sees the mode.
        before, self._mode, self._wanted = self._mode, mode, []
        try:
            yield
        finally:
            self._mode, self._wanted = before, []

    def _keep(self, fresh: dict[Block, str | None]) -> None:
        for block, html in fresh.items():
            self._drop(block)
            self._highlighted[block] = html
            self._characters += _size(block, html)
        while self._characters > _MOST_CHARACTERS:
            self._drop(next(iter(self._highlighted)))

    def _drop(self, block: Block) -> None:
        if block in self._highlighted:
            self._characters -= _size(block, self._highlighted.pop(block))


def _size(block: Block, html: str | None) -> int:
    return len(block[1]) + len(html or "")
