"""Email addresses that cannot get an account: outside the organization's domains, or disposable."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from narrowcast_server.operator.server_file import NAME, read
from narrowcast_server.organization.config import ServerConfig
from support.server import TestServer, running_server

LIST = """\
# from a list that somebody keeps
Thrown.example

away.example
"""


@pytest.fixture
async def listing(tmp_path: Path) -> AsyncIterator[TestServer]:
    """A server with an operator's list of disposable domains, in an organization that rejects them."""
    (tmp_path / "thrown.txt").write_text(LIST)
    (tmp_path / NAME).write_text('[accounts]\ndisposable_domains = "thrown.txt"\n')
    config = read(tmp_path).configure(ServerConfig())
    async with running_server(tmp_path / "data", config=config) as server:
        await server.call("ada", "PATCH", "/realm", {"disallow_disposable_email_addresses": True})
        yield server


def person(address: str) -> dict[str, object]:
    return {"email": address, "full_name": "Nadia Osei", "password": "a long password"}


async def invited(server: TestServer, address: str) -> object:
    """None, or the error about the address that the inviter receives."""
    params = {"invitee_emails": address, "stream_ids": []}
    response = (await server.raw("ada", "POST", "/invites", params)).json()
    if response["result"] == "success":
        return None
    assert response["code"] == "INVITATION_FAILED"
    ((named, problem, _),) = response["errors"]
    assert named == address
    return problem


async def test_listed_disposable_addresses_are_rejected(listing: TestServer) -> None:
    join = await listing.create_link("ada")
    for address in ("n@thrown.example", "n@mail.AWAY.example"):
        assert await invited(listing, address) == "Please use your real email address."
        for refusal in (
            await listing.refusal("ada", "POST", "/users", person(address)),
            await listing.refusal(None, "POST", join, person(address)),
        ):
            assert refusal["msg"] == "Disposable email addresses are not allowed in this organization"
    assert await invited(listing, "n@notthrown.example") is None
    await listing.call(None, "POST", join, person("o@kept.example"))


async def test_disposable_addresses_are_accepted_if_the_organization_allows_them(listing: TestServer) -> None:
    await listing.call("ada", "PATCH", "/realm", {"disallow_disposable_email_addresses": False})
    await listing.call("ada", "POST", "/users", person("n@thrown.example"))
    assert listing.user("nadia").delivery_email == "n@thrown.example"


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("n@demo.example", None),
        ("n@DEMO.example", None),
        ("n@sub.wide.example", None),
        ("n@sub.demo.example", "Outside your domain."),
        ("n@notwide.example", "Outside your domain."),
        ("n+1@demo.example", "Email addresses containing + are not allowed."),
    ],
)
async def test_only_domains_of_the_organization_are_accepted_if_configured(
    server: TestServer, address: str, problem: str | None
) -> None:
    for domain, below in (("demo.example", False), ("wide.example", True)):
        await server.call("ada", "POST", "/realm/domains", {"domain": domain, "allow_subdomains": below})
    await server.call("ada", "PATCH", "/realm", {"emails_restricted_to_domains": True})
    assert await invited(server, address) == problem
    response = await server.raw("ada", "POST", "/users", person(address))
    assert response.status_code == (400 if problem else 200)


async def test_removing_the_last_domain_ends_the_restriction(server: TestServer) -> None:
    await server.call("ada", "POST", "/realm/domains", {"domain": "x.example", "allow_subdomains": False})
    await server.call("ada", "PATCH", "/realm", {"emails_restricted_to_domains": True})
    listener = await server.listen("ada")
    assert listener.snapshot["realm_emails_restricted_to_domains"] is True
    await server.call("ada", "DELETE", "/realm/domains/x.example")
    assert [event["type"] for event in await listener.events()] == ["realm_domains", "realm"]
    assert (await server.listen("ada")).snapshot["realm_emails_restricted_to_domains"] is False
