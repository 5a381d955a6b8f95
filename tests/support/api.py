"""Clients on a scripted transport, at whatever feature level a test wants, and on the embedded server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from msgspec.structs import replace

from narrowcast_api.account import Account
from narrowcast_api.client import Client
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import Bound
from narrowcast_api.http.rate_limit import RateGate
from narrowcast_api.http.secret import Secret
from narrowcast_api.server_info import RequestLimits, ServerInfo
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import LATEST_LEVEL, Dialect
from support.clock import VirtualClock
from support.scripted import ScriptedTransport
from support.server import TestServer

KEY = "canary-key-4711-do-not-show"
ACCOUNT = Account("https://chat.example.org", "ada@example.org", Secret(KEY))


def boundary_levels() -> list[int]:
    """Level 0, both sides of every gate, and the latest level: the levels at which requests could change."""
    levels = {0, LATEST_LEVEL}
    for gate in Gate:
        levels |= {max(0, gate.level - 1), gate.level}
    return sorted(levels)


def operations(client: Client) -> Iterator[tuple[str, str]]:
    """Returns group and name of every operation."""
    for group_name, group in client.groups().items():
        for name, bound in vars(type(group)).items():
            if isinstance(bound, Bound):
                yield group_name, name


def client_of(server: TestServer, name: str) -> Client:
    """A user's client that fails when the server reports an ignored parameter."""
    client = Client.open(server.account(name))

    def ignored(method: str, path: str, names: tuple[str, ...]) -> None:
        raise AssertionError(f"{method} {path}: the server ignored {names}")

    client.connection.on_ignored = ignored
    return client


def make_connection(
    transport: ScriptedTransport,
    *,
    level: int = LATEST_LEVEL,
    dialect: Dialect = Dialect.SERVICE,
    clock: VirtualClock | None = None,
    limits: RequestLimits | None = None,
    account: Account = ACCOUNT,
    patience: float = 10.0,
) -> Connection:
    """A connection without network that already knows its server's level. Jitter is half a second."""
    clock = clock or VirtualClock()
    connection = Connection(
        account,
        transport=transport,
        clock=clock,
        server=ServerInfo(level=level, version="test", dialect=dialect, known=True),
        patience=patience,
        gate=RateGate(clock, jitter=lambda: 0.5),
    )
    connection.limits = limits or RequestLimits()
    connection.own_user_id = 1
    return connection


@asynccontextmanager
async def scripted_client(
    level: int = LATEST_LEVEL,
    *,
    dialect: Dialect = Dialect.SERVICE,
    limits: RequestLimits | None = None,
    clock: VirtualClock | None = None,
) -> AsyncIterator[tuple[Client, ScriptedTransport]]:
    """A client and its transport; on exit, all prepared responses must have been requested."""
    transport = ScriptedTransport()
    connection = make_connection(transport, level=level, dialect=dialect, limits=limits, clock=clock)
    async with Client(connection) as client:
        yield client, transport
    transport.finish()


def at_levels(client: Client, levels: list[int]) -> Iterator[int]:
    """Sets the client's server to each level in turn, and yields the level."""
    for level in levels:
        client.connection.server = replace(client.connection.server, level=level)
        yield level
