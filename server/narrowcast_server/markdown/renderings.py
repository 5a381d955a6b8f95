"""Renders what people write without blocking the event loop.

Rendering is synchronous code inside a transaction and cannot wait. So work that renders is attempted: if it
needs the rendering of a long text, or highlighted code that is not in the cache, `_Missing` is raised, which
rolls the transaction back; child processes render and highlight, and the work is repeated. What the server
itself writes is rendered at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import msgspec

from narrowcast_server.computing.highlight import highlighted
from narrowcast_server.computing.highlights import Block, Highlights
from narrowcast_server.computing.workers import DONE, Reply, Workers
from narrowcast_server.markdown.context import MarkdownContext, RenderedMarkdown
from narrowcast_server.markdown.process import LongText
from narrowcast_server.markdown.render import render

T = TypeVar("T")
_Key = tuple[str, int | None]

_SHORT: Final = 1000
"""Characters that are rendered at once: the worst take some 20 ms."""
_SECONDS: Final = 5.0
"""Processor time for one long text; the worst of the maximum length take about a second."""
_PATIENCE_SECONDS: Final = 60.0
"""Of real time: a text that is not rendered cannot be sent."""
_MODULE: Final = "narrowcast_server.markdown.process"
_PROCESSES: Final = 4
_MAX_BLOCKS: Final = 100
"""Blocks of code in one rendering; further ones stay plain."""


class RenderingFailed(Exception):
    """A text took too long to render."""


@dataclass(slots=True)
class _Code:
    """The code of a rendering: what is in the cache, and what is not yet."""

    highlights: Highlights
    wanted: list[Block] | None = field(default_factory=list)
    """None: code that is not in the cache stays plain."""

    def get(self, language: str, source: str) -> str | None:
        block = (language, source)
        if self.highlights.has(block):
            return self.highlights.get(block)
        if self.wanted is not None and len(self.wanted) < _MAX_BLOCKS:
            self.wanted.append(block)
        return None

    async def fetch(self) -> bool:
        """Highlights the wanted code; afterwards nothing more is wanted. Whether there was any."""
        wanted, self.wanted = self.wanted, None
        if wanted:
            await self.highlights.fetch(list(dict.fromkeys(wanted)))
        return bool(wanted)


@dataclass(slots=True)
class _Attempt:
    """Work that is attempted: its finished long texts (None: one that failed), and its code."""

    code: _Code
    finished: dict[_Key, RenderedMarkdown | None] = field(default_factory=dict)


class _Missing(BaseException):
    """Code, or a long text, that the work needs; only `with_renderings` catches it."""

    def __init__(self, text: tuple[_Key, MarkdownContext] | None = None) -> None:
        self.text = text


class Renderings:
    """For a single event loop."""

    def __init__(self, workers: Workers) -> None:
        """`workers`: they highlight code."""
        self._highlights = Highlights(workers)
        self._workers = Workers(_MODULE, _PROCESSES, patience_seconds=_PATIENCE_SECONDS)
        self._attempt: _Attempt | None = None
        """The work that is being attempted, if any."""

    def highlighted(self, language: str, source: str) -> str | None:
        """The escaped content of a code block, for a context; None: it stays plain."""
        if self._attempt is None:
            return highlighted(language, source)
        return self._attempt.code.get(language, source)

    def render(self, source: str, context: MarkdownContext, writer: int | None = None) -> RenderedMarkdown:
        """The rendering of a text by a user; `context` has `highlighted` of this object and is the writer's.

        Raises RenderingFailed.
        """
        attempt = self._attempt
        if attempt is None:
            return render(source, context)
        if len(source) <= _SHORT:
            rendering = render(source, context)
            if attempt.code.wanted:
                raise _Missing
            return rendering
        key = (source, writer)
        if key not in attempt.finished:
            raise _Missing((key, context))
        finished = attempt.finished[key]
        if finished is None:
            raise RenderingFailed
        return finished

    async def with_renderings(self, work: Callable[[], T]) -> T:
        """The result of `work`, which renders texts of people; it may be called several times."""
        attempt = _Attempt(_Code(self._highlights))
        while True:
            try:
                with self._attempting(attempt):
                    return work()
            except _Missing as missing:
                text = missing.text
            if text is None:
                await attempt.code.fetch()
            else:
                (source, _), context = key, context = text
                attempt.finished[key] = await self._apart(source, context)

    @contextmanager
    def _attempting(self, attempt: _Attempt) -> Iterator[None]:
        # Work does not await, so nothing else is rendered meanwhile.
        before, self._attempt = self._attempt, attempt
        try:
            yield
        finally:
            self._attempt = before

    async def _apart(self, source: str, context: MarkdownContext) -> RenderedMarkdown | None:
        """A text rendered in a child process, a second time if it has code to highlight; None if it took too
        long.
        """
        code = _Code(self._highlights)
        rendering = await self._converse(source, context, code)
        if await code.fetch():
            rendering = await self._converse(source, context, code)
        return rendering

    async def _converse(self, source: str, context: MarkdownContext, code: _Code) -> RenderedMarkdown | None:
        rendered: list[RenderedMarkdown] = []

        def take(received: Any) -> Reply:
            if "rendered" in received:
                rendered.append(msgspec.convert(received["rendered"], RenderedMarkdown))
                return DONE
            name, arguments = received["name"], received["arguments"]
            look_up = code.get if name == "highlighted" else getattr(context, name)
            return {"found": msgspec.to_builtins(look_up(*arguments))}

        text = LongText(
            _SECONDS,
            source,
            context.realm_url,
            context.level,
            context.empty_topic_name,
            tuple(context.linkifiers),
            context.alert_words,
        )
        await self._workers.run(msgspec.to_builtins(text, str_keys=True), take)
        return rendered[0] if rendered else None

    @property
    def busy(self) -> int:
        """The number of texts that are being rendered in processes."""
        return self._workers.busy

    @property
    def processes(self) -> Sequence[int]:
        """The ids of the idle processes."""
        return self._workers.processes

    async def rest(self) -> None:
        """Ends the idle processes if nothing was rendered since the last call."""
        await self._workers.rest()

    async def stop(self) -> None:
        """Ends the idle processes."""
        await self._workers.stop()
