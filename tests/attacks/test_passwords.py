"""Passwords cannot be guessed by brute force, and others' attempts lock nobody out."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from narrowcast_server.organization import passwords
from narrowcast_server.organization.addresses import place_of
from narrowcast_server.organization.config import RateLimit
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.login_limits import LoginLimits
from support import world
from support.clock import VirtualClock
from support.server import TestServer, running_server

ELSEWHERE = "203.0.113.7"


@pytest.fixture(autouse=True)
def behind_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1")


async def attempt(server: TestServer, name: str, password: str = "guess", address: str = ELSEWHERE) -> int:
    """The status of logging in from an address, as the proxy on this machine reports it."""
    response = await server.raw(
        None,
        "POST",
        "/fetch_api_key",
        {"username": name, "password": password},
        headers={"X-Forwarded-For": address},
    )
    return response.status_code


ADA = "ada@demo.example"


async def test_wrong_guesses_from_elsewhere_do_not_lock_out_the_user(tmp_path: Path) -> None:
    async with running_server(tmp_path, clock=VirtualClock()) as server:
        assert [await attempt(server, ADA) for _ in range(7)] == [401] * 5 + [429] * 2
        assert await attempt(server, ADA, world.PASSWORD, "198.51.100.1") == 200


async def test_many_attackers_do_not_lock_out_an_address_from_which_the_user_has_signed_in(
    tmp_path: Path,
) -> None:
    async with running_server(tmp_path, clock=VirtualClock()) as server:
        assert await attempt(server, ADA, world.PASSWORD, "198.51.100.1") == 200
        limits = server.organization.login_limits
        for number in range(99):
            limits.hit(server.id("ada"), ADA, f"203.0.113.{number}")
        assert await attempt(server, ADA, world.PASSWORD, "192.0.2.99") == 429
        assert await attempt(server, ADA, world.PASSWORD, "198.51.100.1") == 200


@pytest.mark.parametrize("alias", ["user{id}@demo.example", "ADA@Demo.Example", " ada@demo.example "])
async def test_aliases_of_an_account_share_its_attempts(tmp_path: Path, alias: str) -> None:
    async with running_server(tmp_path, clock=VirtualClock()) as server:
        for _ in range(5):
            assert await attempt(server, ADA) == 401
        assert await attempt(server, alias.format(id=server.id("ada"))) == 429


async def test_changing_the_password_is_an_attempt_as_well(tmp_path: Path) -> None:
    async with running_server(tmp_path, clock=VirtualClock()) as server:
        fields = {"old_password": "guess", "new_password": "a new, long one"}
        for _ in range(5):
            await server.refusal("ada", "PATCH", "/settings", fields)
        await server.refusal("ada", "PATCH", "/settings", fields, status=429)


def limits(clock: VirtualClock | None = None) -> LoginLimits:
    return LoginLimits(clock or VirtualClock(), RateLimit(1800, 5))


def test_invented_names_do_not_displace_attempts_on_an_account() -> None:
    known = limits()
    for _ in range(5):
        known.hit(1, ADA, ELSEWHERE)
    for number in range(50_000):
        known.hit(None, f"name {number}", "127.0.0.1")
    with pytest.raises(ServiceError) as caught:
        known.hit(1, ADA, ELSEWHERE)
    assert caught.value.status == 429


@pytest.mark.parametrize("account", [None, 1])
def test_an_unknown_user_name_gets_the_same_error_as_a_known_one(account: int | None) -> None:
    tried = limits()
    for _ in range(5):
        tried.hit(account, ADA, ELSEWHERE)
    with pytest.raises(ServiceError):
        tried.hit(account, ADA, ELSEWHERE)


def test_one_ip_address_cannot_try_a_password_on_every_account() -> None:
    tried = limits()
    for account in range(30):
        tried.hit(account, f"{account}", ELSEWHERE)
    with pytest.raises(ServiceError):
        tried.hit(30, "30", ELSEWHERE)


def test_clients_behind_the_local_proxy_are_not_treated_as_one_address() -> None:
    tried = limits()
    for account in range(1_000):
        tried.hit(account, f"{account}", "127.0.0.1")


async def test_attempts_are_forgotten_in_time() -> None:
    clock = VirtualClock()
    tried = limits(clock)
    for _ in range(5):
        tried.hit(1, ADA, ELSEWHERE)
    await clock.advance(1801)
    tried.hit(1, ADA, ELSEWHERE)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("192.0.2.1", "192.0.2.2", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("", "", True),
        ("x", "y", False),
    ],
)
def test_an_ipv4_address_or_an_ipv6_network_counts_as_one(one: str, other: str, same: bool) -> None:
    assert (place_of(one) == place_of(other)) is same


def test_the_number_of_remembered_ip_addresses_is_limited() -> None:
    tried = limits()
    for number in range(30_000):
        tried.succeeded(number, ELSEWHERE)
    assert tried.familiar == 10_000


async def test_attempts_from_one_address_do_not_block_those_of_others(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = threading.Event()

    def slow(password_hash: str | None, password: str) -> bool:
        return done.wait(60) and password == world.PASSWORD

    monkeypatch.setattr(passwords, "password_fits", slow)
    tries = [asyncio.create_task(attempt(server, f"{number}@x.example")) for number in range(20)]
    refused, _ = await asyncio.wait(tries, return_when=asyncio.FIRST_COMPLETED)
    while len(refused) < 15:
        refused |= (await asyncio.wait(set(tries) - refused, return_when=asyncio.FIRST_COMPLETED))[0]
    mine = asyncio.create_task(attempt(server, ADA, world.PASSWORD, "198.51.100.1"))
    done.set()
    assert await mine == 200
    assert sorted(await asyncio.gather(*tries)) == [401] * 5 + [429] * 15


class SlowCheck:
    """Lets a password be checked, and keeps the result until `finish` is set."""

    def __init__(self, server: TestServer, monkeypatch: pytest.MonkeyPatch) -> None:
        self.checked, self.finish = asyncio.Event(), asyncio.Event()
        fits = server.organization.passwords.fits

        async def slow(*arguments: str) -> bool:
            found = await fits(*arguments)
            if not self.checked.is_set():
                self.checked.set()
                await self.finish.wait()
            return found

        monkeypatch.setattr(server.organization.passwords, "fits", slow)


async def test_a_login_with_a_password_that_is_replaced_meanwhile_gets_no_key(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = SlowCheck(server, monkeypatch)
    login = asyncio.create_task(attempt(server, ADA, world.PASSWORD))
    await check.checked.wait()
    change = {"old_password": world.PASSWORD, "new_password": "a completely new one"}
    await server.call("ada", "PATCH", "/settings", change)
    check.finish.set()
    assert await login == 401


async def test_a_slower_change_of_the_password_does_not_undo_a_later_one(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = SlowCheck(server, monkeypatch)

    def change(password: str) -> dict[str, object]:
        return {"old_password": world.PASSWORD, "new_password": password}

    slower = asyncio.create_task(server.raw("ada", "PATCH", "/settings", change("of the thief")))
    await check.checked.wait()
    await server.call("ada", "PATCH", "/settings", change("of the owner"))
    check.finish.set()
    assert (await slower).json()["result"] == "error"
    assert await attempt(server, ADA, "of the thief") == 401
    assert await attempt(server, ADA, "of the owner") == 200


async def test_without_a_proxy_no_request_names_its_own_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORWARDED_ALLOW_IPS")
    async with running_server(tmp_path, clock=VirtualClock()) as server:
        tried = [await attempt(server, ADA, address=f"203.0.113.{number}") for number in range(7)]
        assert tried == [401] * 5 + [429] * 2
