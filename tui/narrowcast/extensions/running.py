"""One extension at run time: any error turns off only the extension itself."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from textual.notifications import SeverityLevel

from narrowcast.extend.declare import Extension
from narrowcast.extend.values import Refused
from narrowcast.extensions.limits import STEP_SECONDS, Stepped, TooLong, call, on_overrun
from narrowcast_api.errors import NarrowcastError

__all__ = ["RunningExtension"]

log = logging.getLogger(__name__)

_ANYTHING = (Exception, SystemExit, KeyboardInterrupt)
"""Exceptions of an extension that must not end the app."""

T = TypeVar("T")
Tell = Callable[[str, SeverityLevel], None]
"""Shows a notice to the user: a text and its severity."""


class RunningExtension:
    """An extension with its settings. ``why_off``: empty while it is on.

    Errors of the service and `Refused` are shown to the user, since they are not defects of the extension; any
    other error, and exceeding a time limit, turns the extension off until the next start.
    """

    def __init__(
        self, extension: Extension[Any], settings: object, tell: Tell, turned_off: Callable[[], None]
    ) -> None:
        self.extension = extension
        self.settings = settings
        self.why_off = ""
        self._tell = tell
        self._turned_off = turned_off

    @property
    def name(self) -> str:
        return self.extension.name

    @property
    def is_on(self) -> bool:
        return not self.why_off

    def call_now(self, what: str, function: Callable[..., T], *args: Any) -> T | None:
        """The result of a function; None if it fails."""
        if not self.is_on:
            return None
        try:
            return call(function, *args, seconds=STEP_SECONDS)
        except TooLong:
            self.turn_off(f"{what} took longer than {STEP_SECONDS:g} s")
        except _ANYTHING as error:
            self._failed(what, error)
        return None

    async def call_async(
        self, what: str, function: Callable[..., Any], *args: Any, unlimited: bool = False
    ) -> Any:
        """The result of a function, async or not. Raises Refused after a failure, once the user has been notified."""
        if not self.is_on:
            raise Refused
        reporting = on_overrun.set(
            lambda: self.turn_off(f"a task of {what} held up the app for {STEP_SECONDS:g} s")
        )
        try:
            return await self._call_reporting(what, function, args, unlimited)
        finally:
            on_overrun.reset(reporting)

    async def _call_reporting(
        self, what: str, function: Callable[..., Any], args: tuple[Any, ...], unlimited: bool
    ) -> Any:
        try:
            result = call(function, *args, seconds=STEP_SECONDS)
            if inspect.isawaitable(result):
                return await self._within_limit(what, result, unlimited)
            return result
        except TooLong:
            self.turn_off(f"{what} held up the app for {STEP_SECONDS:g} s")
        except asyncio.CancelledError as error:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise  # the account is being closed
            self.turn_off(f"{what} was cancelled", error)
        except _ANYTHING as error:
            self._failed(what, error)
        raise Refused

    async def _within_limit(self, what: str, work: Awaitable[Any], unlimited: bool) -> Any:
        limit = asyncio.timeout(None if unlimited else self.extension.seconds)
        try:
            async with limit:
                return await Stepped(_coroutine(work), STEP_SECONDS)
        except TimeoutError as error:
            if not limit.expired():
                raise  # a timeout of the extension's own
            self.turn_off(f"{what} took longer than {self.extension.seconds:g} s", error)
            raise Refused from error

    async def call_hook(
        self, what: str, function: Callable[..., Any], *args: Any, unlimited: bool = False
    ) -> None:
        """Calls a hook or a command; nothing is raised."""
        with contextlib.suppress(Refused):  # the user has been notified
            await self.call_async(what, function, *args, unlimited=unlimited)

    def _failed(self, what: str, error: BaseException) -> None:
        if not self.is_on:
            return
        if isinstance(error, Refused):
            self._tell(str(error) or f"{self.name}: {what} was refused.", "warning")
        elif isinstance(error, NarrowcastError):
            log.warning("extension %s: %s: %s", self.name, what, error)
            self._tell(f"{self.name}: {error.user_message}", "warning")
        else:
            self.turn_off(f"{what} failed ({type(error).__name__}: {error})"[:300], error)

    def turn_off(self, why: str, error: BaseException | None = None) -> None:
        """Turns the extension off: nothing of it is called any more. Notifies the user and logs the traceback."""
        if not self.is_on:
            return
        self.why_off = why
        log.error("extension %s is turned off: %s", self.name, why, exc_info=error)
        self._tell(
            f"The extension {self.name} is turned off until the next start: {why}. See the log for details.",
            "error",
        )
        self._turned_off()


async def _awaited(work: Awaitable[T]) -> T:
    return await work


def _coroutine(work: Awaitable[T]) -> Coroutine[Any, Any, T]:
    return work if inspect.iscoroutine(work) else _awaited(work)
