"""A cache of highlighted code, filled by child processes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from narrowcast_server.computing.workers import Workers

Block = tuple[str, str]
"""Language and source of a code block."""

_SECONDS: Final = 0.5
"""Processor time for all code of one rendering."""
_MAX_CHARACTERS: Final = 8 * 1024 * 1024


class Highlights:
    """For a single event loop."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._highlighted: OrderedDict[Block, str | None] = OrderedDict()
        self._characters = 0

    def has(self, block: Block) -> bool:
        """Whether a block was highlighted, or could not be."""
        return block in self._highlighted

    def get(self, block: Block) -> str | None:
        """The escaped content of a block that is there; None: it stays plain."""
        self._highlighted.move_to_end(block)
        return self._highlighted[block]

    async def fetch(self, blocks: Sequence[Block]) -> None:
        """Highlights blocks. Code that is not highlighted in time stays plain."""
        found = await self._workers.compute("highlight", blocks, _SECONDS)
        for block, html in zip(blocks, found, strict=True):
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
