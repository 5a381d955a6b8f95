"""Logging in with a code of an authenticator app in addition to the password."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from narrowcast_server.operator.arguments import Fault
from narrowcast_server.operator.control import ask
from narrowcast_server.organization.totp import STEP_SECONDS, code_at, matching_step, new_secret
from support.clock import VirtualClock
from support.server import JsonObject, TestServer, running_server
from support.world import PASSWORD

PATH = "/server/second_factor"


class Ada:
    """Ada, an owner with a password, and the clock."""

    def __init__(self, server: TestServer, clock: VirtualClock) -> None:
        self.server = server
        self.clock = clock
        self.url = PATH
        self.secret = ""

    def code(self, steps: int = 0) -> str:
        """The code that the authenticator app shows now, or some steps later."""
        return code_at(self.secret, int(self.clock.now()) // STEP_SECONDS + steps)

    async def begin(self) -> None:
        self.secret = (await self.server.call("ada", "POST", self.url, {"password": PASSWORD}))["secret"]

    async def enrol(self) -> list[str]:
        await self.begin()
        response = await self.server.call("ada", "POST", f"{self.url}/confirm", {"code": self.code()})
        self.clock.jump(2 * STEP_SECONDS)
        codes: list[str] = response["recovery_codes"]
        return codes

    async def sign_in(self, code: str | None = None, password: str = PASSWORD) -> JsonObject:
        fields = {"username": "ada@demo.example", "password": password}
        given = fields if code is None else {**fields, "second_factor": code}
        response: JsonObject = (await self.server.raw(None, "POST", "/fetch_api_key", given)).json()
        return response


@pytest.fixture
async def ada(tmp_path: Path) -> AsyncIterator[Ada]:
    clock = VirtualClock()
    async with running_server(tmp_path / "data", clock=clock) as server:
        yield Ada(server, clock)


@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        (59, "287082"),
        (1111111109, "081804"),
        (1111111111, "050471"),
        (1234567890, "005924"),
        (2000000000, "279037"),
        (20000000000, "353130"),
    ],
)
def test_codes_equal_the_examples_of_the_standard(seconds: int, code: str) -> None:
    secret = base64.b32encode(b"12345678901234567890").decode()
    assert code_at(secret, seconds // STEP_SECONDS) == code
    assert matching_step(secret, code, seconds, after=0) == seconds // STEP_SECONDS


@pytest.mark.parametrize(("drift", "fits"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_a_clock_may_be_off_by_one_step(drift: int, fits: bool) -> None:
    secret = new_secret()
    code = code_at(secret, 1000 + drift)
    assert (matching_step(secret, code, 1000 * STEP_SECONDS, after=0) is not None) is fits
    assert matching_step(secret, code, 1000 * STEP_SECONDS, after=1000 + drift) is None


async def test_with_two_factor_authentication_the_password_alone_is_not_enough(ada: Ada) -> None:
    assert (await ada.sign_in())["result"] == "success"
    await ada.begin()
    assert (await ada.sign_in())["result"] == "success"
    codes = (await ada.server.call("ada", "POST", f"{ada.url}/confirm", {"code": ada.code()}))[
        "recovery_codes"
    ]
    assert len(set(codes)) == 10
    ada.clock.jump(2 * STEP_SECONDS)
    refusal = await ada.sign_in()
    assert (refusal["result"], refusal["code"]) == ("error", "SECOND_FACTOR_NEEDED")
    assert "api_key" not in refusal
    assert (await ada.sign_in(ada.code()))["api_key"] == ada.server.user("ada").api_key
    shown = await ada.server.call("ada", "GET", ada.url)
    assert (shown["is_on"], shown["recovery_codes_left"]) == (True, 10)


async def test_without_the_password_it_is_not_revealed_that_a_code_is_required(ada: Ada) -> None:
    await ada.enrol()
    refusal = await ada.sign_in(password="a guess of mine")
    assert refusal["code"] == "AUTHENTICATION_FAILED"
    assert refusal["msg"] == "Your username or password is incorrect"


async def test_no_code_can_be_used_twice(ada: Ada) -> None:
    codes = await ada.enrol()
    code = ada.code()
    assert (await ada.sign_in(code))["result"] == "success"
    assert (await ada.sign_in(code))["code"] == "AUTHENTICATION_FAILED"
    assert (await ada.sign_in(ada.code(-1)))["code"] == "AUTHENTICATION_FAILED"
    spelled = codes[3].upper().replace("-", " ")
    assert (await ada.sign_in(spelled))["result"] == "success"
    assert (await ada.sign_in(codes[3]))["code"] == "AUTHENTICATION_FAILED"
    assert (await ada.server.call("ada", "GET", ada.url))["recovery_codes_left"] == 9


async def test_the_code_used_for_setup_cannot_be_used_to_sign_in(ada: Ada) -> None:
    await ada.begin()
    code = ada.code()
    await ada.server.call("ada", "POST", f"{ada.url}/confirm", {"code": code})
    assert (await ada.sign_in(code))["code"] == "AUTHENTICATION_FAILED"


async def test_attempts_to_guess_codes_are_limited(ada: Ada) -> None:
    await ada.enrol()
    await ada.sign_in(ada.code())
    responses = [await ada.sign_in(f"{number:06}") for number in range(12)]
    assert {response["code"] for response in responses} == {"AUTHENTICATION_FAILED", "RATE_LIMIT_HIT"}
    ada.clock.jump(3 * STEP_SECONDS)
    assert (await ada.sign_in(ada.code()))["code"] == "RATE_LIMIT_HIT"


@pytest.mark.parametrize(
    "code", ["", "12345", "1234567", "abcdef", "-" * 16, " ", "١٢٣٤٥٦", "\0", "9" * 5000]
)
async def test_an_invalid_code_is_rejected(ada: Ada, code: str) -> None:
    await ada.enrol()
    assert (await ada.sign_in(code))["result"] == "error"


async def test_turning_two_factor_authentication_on_and_off_requires_the_password(ada: Ada) -> None:
    server = ada.server
    await server.refusal("ada", "POST", ada.url, {"password": "a guess of mine"})
    await server.refusal("ada", "POST", f"{ada.url}/confirm", {"code": "123456"})
    await ada.enrol()
    await server.refusal("ada", "POST", ada.url, {"password": PASSWORD})
    await server.refusal("ada", "POST", f"{ada.url}/confirm", {"code": ada.code()})
    await server.refusal("ada", "DELETE", ada.url, {"password": "a guess", "code": ada.code()})
    await server.refusal("ada", "DELETE", ada.url, {"password": PASSWORD, "code": "123456"}, 401)
    assert server.organization.second_factors.is_on(server.id("ada"))
    await server.call("ada", "DELETE", ada.url, {"password": PASSWORD, "code": ada.code()})
    assert (await ada.sign_in())["result"] == "success"


async def test_new_recovery_codes_replace_the_old_ones(ada: Ada) -> None:
    server, url = ada.server, f"{PATH}/recovery_codes"
    both = {"password": PASSWORD, "code": "123456"}
    await server.refusal("ada", "POST", url, both)
    old = await ada.enrol()
    await server.refusal("ada", "POST", url, {**both, "password": "a guess", "code": ada.code()})
    await server.refusal("ada", "POST", url, both, 401)
    assert (await ada.sign_in(old[0]))["result"] == "success"
    new = (await server.call("ada", "POST", url, {**both, "code": ada.code()}))["recovery_codes"]
    assert len(set(new) - set(old)) == 10
    assert (await ada.sign_in(old[1]))["code"] == "AUTHENTICATION_FAILED"
    assert (await ada.sign_in(new[0]))["result"] == "success"
    assert (await server.call("ada", "GET", ada.url))["recovery_codes_left"] == 9


async def test_bots_and_additional_keys_require_no_code(ada: Ada) -> None:
    server = ada.server
    await server.refusal("iris", "POST", ada.url, {"password": PASSWORD})
    made = await server.call("ada", "POST", f"{server.url}/server/keys", {"name": "script"})
    response = await server.client.get(
        f"{server.url}/api/v1{PATH}", auth=("ada@demo.example", made["api_key"])
    )
    assert response.status_code == 401


async def test_resetting_the_password_requires_the_code_too(ada: Ada) -> None:
    await ada.enrol()
    (_, line) = await ask(ada.server.organization.folder, "link", {"who": "ada@demo.example"})
    path = "/reset/" + line.rstrip("/").rpartition("/")[2]
    fields = {"password": "another good one"}
    refusal = await ada.server.refusal(None, "POST", path, fields, 401)
    assert refusal["code"] == "SECOND_FACTOR_NEEDED"
    assert (await ada.sign_in(ada.code()))["result"] == "success"
    ada.clock.jump(STEP_SECONDS * 2)
    await ada.server.call(None, "POST", path, {**fields, "second_factor": ada.code()})


async def test_the_operator_can_turn_codes_on_and_off_for_a_user(ada: Ada) -> None:
    folder, who = ada.server.organization.folder, {"who": "ada@demo.example"}
    lines = await ask(folder, "second-factor", who)
    assert lines[1].startswith("otpauth://totp/Demo:ada@demo.example?secret=")
    ada.secret = lines[1].partition("secret=")[2].partition("&")[0]
    assert (await ada.sign_in())["code"] == "SECOND_FACTOR_NEEDED"
    assert (await ada.sign_in(ada.code()))["result"] == "success"
    assert (await ada.sign_in(lines[-1]))["result"] == "success"
    with pytest.raises(Fault, match="already"):
        await ask(folder, "second-factor", who)
    await ask(folder, "no-second-factor", who)
    assert (await ada.sign_in())["result"] == "success"
    with pytest.raises(Fault, match="is a bot"):
        await ask(folder, "second-factor", {"who": "iris-bot@demo.example"})
    acts = (await ada.server.call("ada", "GET", f"{ada.server.url}/server/acts"))["acts"]
    assert [act["act"] for act in acts[:2]] == ["no-second-factor", "second-factor"]


async def test_the_secret_and_the_recovery_codes_are_not_stored_in_plain_text(ada: Ada) -> None:
    codes = await ada.enrol()
    ada.server.organization.store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = ada.server.organization.store.path.read_bytes()
    assert ada.secret.encode() not in content
    assert not any(code.encode() in content or code.replace("-", "").encode() in content for code in codes)


async def test_starting_setup_again_during_confirmation_does_not_turn_it_off(
    server: TestServer, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = Ada(server, clock)
    await ada.begin()
    fits = server.organization.passwords.fits

    async def confirmed_meanwhile(*arguments: str) -> bool:
        found = await fits(*arguments)
        await server.call("ada", "POST", f"{PATH}/confirm", {"code": ada.code()})
        return found

    monkeypatch.setattr(server.organization.passwords, "fits", confirmed_meanwhile)
    await server.refusal("ada", "POST", PATH, {"password": PASSWORD})
    assert (await server.call("ada", "GET", PATH))["is_on"]
