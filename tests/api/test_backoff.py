"""How long to wait before a retry."""

from __future__ import annotations

from narrowcast_api.backoff import Backoff, RetryTime
from narrowcast_api.errors import NotConnected, RateLimited
from support.clock import VirtualClock


def test_pauses_double_up_to_the_longest_and_one_success_resets_them() -> None:
    backoff = Backoff(0.1, 10.0)
    assert [backoff.failed() for _ in range(9)] == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]
    backoff.reset()
    assert backoff.failed() == 0.1


def test_a_share_of_the_pause_is_waited() -> None:
    backoff = Backoff(0.1, 10.0, share=lambda: 0.25)
    assert [backoff.failed(), backoff.failed(), backoff.bound] == [0.025, 0.05, 0.4]


async def test_the_time_of_the_next_try_moves_away_with_failures_and_comes_back_when_cleared() -> None:
    clock = VirtualClock()
    retry = RetryTime(clock, 1.0, 30.0, "tests")
    assert retry.at == 0.0
    begun = clock.monotonic()
    retry.failed(NotConnected("cut"))
    assert retry.at == begun + 1.0
    retry.failed()
    assert retry.at == begun + 2.0
    retry.clear()
    assert retry.at == 0.0
    retry.failed()
    assert retry.at == begun + 1.0, "the failures before are forgotten"


async def test_a_rate_limit_is_waited_out_where_that_is_longer() -> None:
    clock = VirtualClock()
    retry = RetryTime(clock, 1.0, 30.0, "tests")
    retry.failed(RateLimited(7.0))
    assert retry.at == clock.monotonic() + 7.0
    retry.failed(RateLimited(0.5))
    assert retry.at == clock.monotonic() + 2.0
    retry.succeeded()
    retry.failed()
    assert retry.at == clock.monotonic() + 1.0
