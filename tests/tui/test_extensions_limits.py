"""One extension on the app's event loop: what it may do wrong, and the consequences for it."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
import time
from collections.abc import Awaitable, Callable

import pytest

from narrowcast.extend import Extension, NarrowcastError, Refused
from narrowcast.extensions import limits
from narrowcast.extensions import running as running_module
from narrowcast.extensions.limits import TooLong, call, uninterrupted, watch_tasks
from narrowcast.extensions.running import RunningExtension

Told = list[tuple[str, str]]


@pytest.fixture
def told() -> Told:
    return []


@pytest.fixture
def running(told: Told, monkeypatch: pytest.MonkeyPatch) -> RunningExtension:
    """An extension whose steps may take 0.2 s, and whose async functions 0.4 s."""
    monkeypatch.setattr(running_module, "STEP_SECONDS", 0.2)
    monkeypatch.setattr(limits, "STEP_SECONDS", 0.2)
    extension = Extension("one", "The first", seconds=0.4)
    return RunningExtension(
        extension, None, lambda text, severity: told.append((severity, text)), lambda: None
    )


async def sleeps() -> None:
    time.sleep(30)


async def hangs_in_a_pattern() -> None:
    re.match("(a+)+$", "a" * 60 + "b")


async def swallows_everything() -> None:
    while True:
        with contextlib.suppress(Exception):
            time.sleep(30)


async def works_without_end_after_a_while() -> None:
    await asyncio.sleep(0)
    while True:
        pass


async def waits_too_long() -> None:
    await asyncio.sleep(30)


async def fails() -> None:
    raise KeyError("salt")


async def times_out_by_itself() -> None:
    raise TimeoutError("mine")


async def exits() -> None:
    raise SystemExit(3)


async def interrupts() -> None:
    raise KeyboardInterrupt


async def cancels_itself() -> None:
    raise asyncio.CancelledError


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (sleeps, "it held up the app for 0.2 s"),
        (hangs_in_a_pattern, "it held up the app for 0.2 s"),
        (swallows_everything, "it held up the app for 0.2 s"),
        (works_without_end_after_a_while, "it held up the app for 0.2 s"),
        (waits_too_long, "it took longer than 0.4 s"),
        (fails, "it failed (KeyError: 'salt')"),
        (times_out_by_itself, "it failed (TimeoutError: mine)"),
        (exits, "it failed (SystemExit: 3)"),
        (interrupts, "it failed (KeyboardInterrupt: )"),
        (cancels_itself, "it was cancelled"),
    ],
)
async def test_an_async_function_that_fails_turns_the_extension_off(
    running: RunningExtension, told: Told, function: Callable[[], Awaitable[None]], why: str
) -> None:
    await running.call_hook("it", function)
    assert running.why_off == why
    assert told == [
        ("error", f"The extension one is turned off until the next start: {why}. See the log for details.")
    ]
    calls: list[int] = []
    await running.call_hook("it", calls.append, 1)
    assert running.call_now("it", calls.append, 1) is None
    assert calls == []


def test_a_function_that_takes_too_long_is_interrupted(running: RunningExtension) -> None:
    assert running.call_now("it", time.sleep, 30) is None
    assert running.why_off == "it took longer than 0.2 s"


async def test_refusals_and_errors_of_the_service_are_told_and_nothing_is_turned_off(
    running: RunningExtension, told: Told
) -> None:
    async def refuses() -> None:
        raise Refused("Not today.")

    async def meets_an_error() -> None:
        raise NarrowcastError("gone")

    await running.call_hook("it", refuses)
    await running.call_hook("it", meets_an_error)
    assert [severity for severity, _ in told] == ["warning", "warning"]
    assert told[0][1] == "Not today."
    assert running.is_on


async def test_work_that_is_cancelled_with_the_account_turns_nothing_off(running: RunningExtension) -> None:
    task = asyncio.ensure_future(running.call_hook("it", waits_too_long))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()
    assert running.is_on


async def test_a_task_that_nobody_waits_for_has_the_limit_too(running: RunningExtension) -> None:
    begun: list[asyncio.Task[None]] = []

    async def begins() -> None:
        begun.append(asyncio.create_task(sleeps()))

    unwatch = watch_tasks(asyncio.get_running_loop())
    try:
        await running.call_hook("it", begins)
        await asyncio.wait(begun)
    finally:
        unwatch()
    assert running.why_off == "a task of it held up the app for 0.2 s"
    assert isinstance(begun[0].exception(), TooLong)


async def test_an_async_function_may_use_timeouts_and_gather_and_return_a_value(
    running: RunningExtension,
) -> None:
    async def adds(one: int, other: int) -> int:
        async with asyncio.timeout(5):
            await asyncio.gather(asyncio.sleep(0), asyncio.sleep(0))
        try:
            async with asyncio.timeout(0):
                await asyncio.sleep(5)
        except TimeoutError:
            pass
        return one + other

    assert await running.call_async("it", adds, 2, 3) == 5
    assert await running.call_async("it", int, "7") == 7


def test_the_extension_is_interrupted_only_after_code_of_the_app_has_returned() -> None:
    done: list[bool] = []

    def function() -> None:
        with uninterrupted():
            until = time.monotonic() + 0.2
            while time.monotonic() < until:
                pass
            done.append(True)
        time.sleep(30)

    with pytest.raises(TooLong):
        call(function, seconds=0.05)
    assert done == [True]


def test_the_timer_of_the_process_is_as_it_was() -> None:
    before = signal.getsignal(signal.SIGALRM)
    assert call(lambda: call(int, "3")) == 3
    with pytest.raises(ValueError, match="x"):
        call(int, "x")
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
