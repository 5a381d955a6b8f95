"""Authentication: keys, passwords, limits."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import httpx2
import pytest

from narrowcast_server.app import routes_of
from narrowcast_server.organization import passwords
from narrowcast_server.organization.config import RateLimit, ServerConfig
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.rate_limits import RateLimiter
from support import world
from support.clock import VirtualClock
from support.ledger import proves
from support.request_parts import basic
from support.server import TestServer, running_server


@proves("AUTH-01")
async def test_every_operation_except_the_public_ones_requires_credentials(server: TestServer) -> None:
    public = {"/server_settings", "/fetch_api_key"}
    for endpoint in routes_of():
        if endpoint.path in public or endpoint.public or endpoint.absolute:
            continue
        path = endpoint.path
        for name in ("stream_id", "message_id", "user_id", "filter_id", "id"):
            path = path.replace("{" + name + "}", "1")
        response = await server.raw(None, endpoint.method, path)
        assert response.status_code == 401, endpoint
    assert {endpoint.path for endpoint in routes_of() if endpoint.public} >= public


@proves("AUTH-01", "AUTH-05")
@pytest.mark.parametrize(
    ("address", "key", "message"),
    [
        ("ada@demo.example", "x" * 32, "Invalid API key"),
        ("ada@demo.example", "short", "Malformed API key"),
        ("ada@demo.example", "", "Malformed API key"),
        ("nobody@demo.example", "x" * 32, "Invalid API key"),
    ],
)
async def test_wrong_credentials_are_unauthorized(
    server: TestServer, address: str, key: str, message: str
) -> None:
    async with httpx2.AsyncClient(trust_env=False, auth=(address, key)) as client:
        response = await client.get(f"{server.url}/api/v1/users/me")
    assert response.status_code == 401
    assert response.json() == {"result": "error", "msg": message, "code": "UNAUTHORIZED"}


@proves("AUTH-05")
@pytest.mark.parametrize("header", ["Bearer xyz", "Basic", "Basic !!!", "Basic YWRh"])
async def test_a_malformed_header_is_unauthorized(server: TestServer, header: str) -> None:
    response = await server.raw(None, "GET", "/users/me", headers={"Authorization": header})
    assert response.status_code == 401
    assert response.json()["code"] == "UNAUTHORIZED"


@proves("AUTH-05")
async def test_a_deactivated_account_gets_its_own_error(server: TestServer) -> None:
    await server.call("ada", "DELETE", f"/users/{server.id('greta')}")
    refusal = await server.refusal("greta", "GET", "/users/me", status=401)
    assert refusal["msg"] == "Account is deactivated"


@pytest.mark.parametrize("scheme", ["Basic", "basic", "BASIC"])
async def test_the_authentication_scheme_is_case_insensitive(server: TestServer, scheme: str) -> None:
    user = server.user("ada")
    value = basic(user.delivery_email, user.api_key).replace("Basic", scheme)
    response = await server.raw(None, "GET", "/users/me", headers={"Authorization": value})
    assert response.status_code == 200


async def test_login_emails_are_case_insensitive(server: TestServer) -> None:
    user = server.user("ada")
    async with httpx2.AsyncClient(trust_env=False, auth=("ADA@Demo.Example", user.api_key)) as client:
        response = await client.get(f"{server.url}/api/v1/users/me")
    assert response.status_code == 200


async def test_the_api_email_of_a_user_with_a_hidden_email_works_for_login(server: TestServer) -> None:
    await server.call("dario", "PATCH", "/settings", {"email_address_visibility": 4})
    user = server.user("dario")
    async with httpx2.AsyncClient(
        trust_env=False, auth=(f"user{user.id}@demo.example", user.api_key)
    ) as client:
        response = await client.get(f"{server.url}/api/v1/users/me")
    assert response.json()["user_id"] == user.id


@proves("AUTH-04")
async def test_the_key_is_returned_for_the_password(server: TestServer) -> None:
    fields = {"username": "ada@demo.example", "password": world.PASSWORD}
    response = await server.call(None, "POST", "/fetch_api_key", fields)
    assert response["api_key"] == server.user("ada").api_key
    assert response["user_id"] == server.id("ada")


async def test_five_wrong_passwords_lock_an_account_for_half_an_hour(
    server: TestServer, clock: VirtualClock
) -> None:
    wrong = {"username": "ada@demo.example", "password": "guess"}
    right = {**wrong, "password": world.PASSWORD}
    for _ in range(5):
        refusal = await server.refusal(None, "POST", "/fetch_api_key", wrong, status=401)
        assert refusal["code"] == "AUTHENTICATION_FAILED"
    refusal = await server.refusal(None, "POST", "/fetch_api_key", right, status=429)
    assert refusal["code"] == "RATE_LIMIT_HIT"
    await clock.advance(1801)
    await server.call(None, "POST", "/fetch_api_key", right)


async def test_passwords_are_not_stored(server: TestServer) -> None:
    row = server.organization.store.one("SELECT password_hash FROM users WHERE id = ?", server.id("ada"))
    assert row is not None
    assert row["password_hash"].startswith("$argon2id$")


def test_password_hashes_use_argon2id_with_64_mib() -> None:
    program = "from narrowcast_server.organization.passwords import hash_password as h; print(h('x'))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.startswith("$argon2id$v=19$m=65536,t=3,p=4$")  # tests use cheaper hashes


@proves("LIM-01")
async def test_there_is_no_rate_limit_unless_one_is_configured(server: TestServer) -> None:
    for _ in range(250):
        await server.call("ada", "GET", "/users/me")


@proves("LIM-01")
async def test_a_rate_limit_counts_per_user_and_returns_how_long_to_wait(tmp_path: Path) -> None:
    clock = VirtualClock()
    config = ServerConfig(rate_limits=(RateLimit(60, 3),))
    async with running_server(tmp_path, config=config, clock=clock) as server:
        for _ in range(3):
            await server.call("ada", "GET", "/users/me")
        response = await server.raw("ada", "GET", "/users/me")
        assert response.status_code == 429
        assert response.json()["code"] == "RATE_LIMIT_HIT"
        assert isinstance(response.json()["retry-after"], float)
        assert float(response.headers["retry-after"]) == response.json()["retry-after"]
        await server.call("bruno", "GET", "/users/me")
        await clock.advance(61)
        await server.call("ada", "GET", "/users/me")


@proves("AUTH-02")
async def test_resumable_uploads_require_the_authorization_header(server: TestServer) -> None:
    headers = {"Tus-Resumable": "1.0.0", "Upload-Length": "5", "Upload-Metadata": "filename YS50eHQ="}
    response = await server.raw(None, "POST", "/tus/", headers=headers)
    assert response.status_code == 401
    response = await server.raw("ada", "POST", "/tus/", headers=headers)
    assert response.status_code == 201


@proves("AUTH-06")
async def test_personal_data_are_private_and_administration_requires_an_administrator(
    server: TestServer,
) -> None:
    response = await server.call("ada", "POST", "/saved_snippets", {"title": "t", "content": "c"})
    path = f"/saved_snippets/{response['saved_snippet_id']}"
    await server.refusal("bruno", "PATCH", path, {"title": "mine"})
    fields = {"pattern": "#(?P<id>[0-9]+)", "url_template": "https://x.example/{id}"}
    await server.refusal("dario", "POST", "/realm/filters", fields)
    await server.call("bruno", "POST", "/realm/filters", fields)


async def test_others_are_served_while_passwords_are_checked(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = threading.Event()

    def slow(password_hash: str | None, password: str) -> bool:
        return done.wait(60) and password_hash is not None

    monkeypatch.setattr(passwords, "password_fits", slow)
    tries = [
        asyncio.create_task(
            server.raw(None, "POST", "/fetch_api_key", {"username": f"{n}@x.example", "password": "x"})
        )
        for n in range(60)
    ]
    refused, waiting = await asyncio.wait(tries, return_when=asyncio.FIRST_COMPLETED)
    while len(refused) < 10:
        more, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        refused |= more
    await server.call("ada", "GET", "/users/me")
    assert len(waiting) == 50
    done.set()
    responses = [(await one).json()["code"] for one in waiting]
    assert set(responses) == {"AUTHENTICATION_FAILED"}
    for response in (one.result() for one in refused):
        assert (response.status_code, response.json()["code"]) == (429, "RATE_LIMIT_HIT")


def test_the_memory_of_rate_limits_is_bounded_for_any_number_of_callers() -> None:
    clock = VirtualClock()
    limiter = RateLimiter(clock, (RateLimit(60, 1),))
    for number in range(50_000):
        limiter.hit(number)
    with pytest.raises(ServiceError):
        limiter.hit(49_999)
    assert limiter.size <= 20_001
    asyncio.run(clock.advance(61))
    for number in range(20_001):
        limiter.hit(-number - 1)
    limiter.hit("one more")
    limiter.hit(49_999)


async def test_changing_a_password_requires_the_old_one(server: TestServer) -> None:
    new = "a longer battery staple"
    change = {"old_password": world.PASSWORD, "new_password": new}
    for wrong in ({"old_password": "x"}, {"new_password": "short"}, {"new_password": "x" * 101}):
        await server.refusal("ada", "PATCH", "/settings", {**change, **wrong, "enable_sounds": False})
    assert (await server.listen("ada")).snapshot["user_settings"]["enable_sounds"] is True
    await server.call("ada", "PATCH", "/settings", change)
    signed_in = {"username": "ada@demo.example", "password": new}
    assert (await server.call(None, "POST", "/fetch_api_key", signed_in))["user_id"] == server.id("ada")
    old = {**signed_in, "password": world.PASSWORD}
    await server.refusal(None, "POST", "/fetch_api_key", old, status=401)


async def test_a_user_without_a_password_can_set_one(server: TestServer) -> None:
    await server.call("elif", "PATCH", "/settings", {"new_password": "a longer battery staple"})
    signed_in = {"username": "elif@demo.example", "password": "a longer battery staple"}
    assert (await server.call(None, "POST", "/fetch_api_key", signed_in))["user_id"] == server.id("elif")
