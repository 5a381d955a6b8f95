"""Highlighted code for rendering: from a cache, filled by child processes.

Rendering is synchronous code inside a transaction and cannot wait. So it is attempted: if code is missing in
the cache, `HighlightsMissing` is raised, which rolls the transaction back; the code is highlighted in a child
process, and the work is repeated. Code that could not be highlighted in time stays plain.
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
"""Processor time for all code of one rendering."""
_MAX_BLOCKS: Final = 100
"""In one rendering; further ones stay plain."""
_MAX_CHARACTERS: Final = 8 * 1024 * 1024


class HighlightsMissing(BaseException):
    """Code that a rendering needs highlighted. Only `Highlights.with_highlights` catches it."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        super().__init__(f"{len(blocks)} blocks of code")
        self.blocks = blocks


class _Mode(Enum):
    INLINE = "highlight at once: for what the server itself writes"
    ASK = "raise HighlightsMissing"
    PLAIN = "leave what is not there"


class Highlights:
    """A cache of highlighted code. For a single event loop."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._highlighted: OrderedDict[Block, str | None] = OrderedDict()
        self._characters = 0
        self._mode = _Mode.INLINE
        self._wanted: list[Block] = []

    def get(self, language: str, source: str) -> str | None:
        """The content of a code block; None if it stays plain. Call `check` after the last call of a rendering."""
        if self._mode is _Mode.INLINE:
            return highlighted(language, source)
        block = (language, source)
        if block in self._highlighted:
            self._highlighted.move_to_end(block)
            return self._highlighted[block]
        if self._mode is _Mode.ASK and len(self._wanted) < _MAX_BLOCKS:
            self._wanted.append(block)
        return None

    def check(self) -> None:
        """Raises HighlightsMissing if highlighted code is missing."""
        if self._wanted:
            wanted, self._wanted = self._wanted, []
            raise HighlightsMissing(wanted)

    async def with_highlights(self, work: Callable[[], T]) -> T:
        """The result of `work`, which renders user-written text; `work` may be called twice."""
        try:
            with self._in_mode(_Mode.ASK):
                return work()
        except HighlightsMissing as wanted:
            blocks = list(dict.fromkeys(wanted.blocks))
        fresh = dict(zip(blocks, await self._workers.compute("highlight", blocks, _SECONDS), strict=True))
        self._keep(fresh)
        with self._in_mode(_Mode.PLAIN):
            return work()

    @contextmanager
    def _in_mode(self, mode: _Mode) -> Iterator[None]:
        # `work` does not await, so no other code runs in this mode.
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
        while self._characters > _MAX_CHARACTERS:
            self._drop(next(iter(self._highlighted)))

    def _drop(self, block: Block) -> None:
        if block in self._highlighted:
            self._characters -= _size(block, self._highlighted.pop(block))


def _size(block: Block, html: str | None) -> int:
    return len(block[1]) + len(html or "")
