"""Running the server: in the foreground for `narrowcast serve`, inside another program for the demo and tests."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import signal
import socket
import ssl
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import uvicorn

from narrowcast_api.wire.levels import SERVED_LEVEL
from narrowcast_server import first_run
from narrowcast_server.app import build
from narrowcast_server.background import guarded
from narrowcast_server.checking import row_faults
from narrowcast_server.http.connections import Connections
from narrowcast_server.http.log_limit import LogLimit
from narrowcast_server.http.protocol import Socket
from narrowcast_server.http.web_server import WebServer, descriptors, listening, raise_descriptors
from narrowcast_server.operator import server_file
from narrowcast_server.operator.control import controlled
from narrowcast_server.organization.addresses import is_local
from narrowcast_server.organization.clock import ServerClock
from narrowcast_server.organization.config import RateLimit, ServedDialect, ServerConfig
from narrowcast_server.organization.organization import Organization
from narrowcast_server.routes.browser_sign_in import METHOD
from narrowcast_server.storage.store import UNUSABLE, StoreError
from narrowcast_server.uploads.files import Folder

_log = logging.getLogger("narrowcast.server")


RATE_LIMITS: Final = (RateLimit(60, 1000),)
_EVERYWHERE: Final = ("", "0.0.0.0", "::")  # noqa: S104
EVENT_RATE_LIMITS: Final = (RateLimit(60, 2000),)
ANONYMOUS_RATE_LIMITS: Final = (RateLimit(60, 300),)


class ServeError(Exception):
    """Why the server cannot start; shown to the operator."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `narrowcast serve`."""

    host: str = "127.0.0.1"
    port: int = 9911
    data: Path = Path("narrowcast-data")
    demo: bool = False
    alive: bool = True
    """With `demo`: whether the demo people read, answer and talk while the server runs."""
    feature_level: int = SERVED_LEVEL
    dialect: str = ServedDialect.SERVICE.value
    tls_cert: Path | None = None
    tls_key: Path | None = None
    rate_limits: tuple[tuple[int, int], ...] | None = None
    """(requests, seconds) per user; None: `RATE_LIMITS`, or none at all with `demo`."""
    url: str = ""
    """The address that clients use, if it differs from host and port."""


def run(options: Options) -> int:
    """Serves until SIGTERM or SIGINT; returns the exit code. Prints `listening on URL` once it accepts requests."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.WARNING)  # `--debug` makes more records
    handler.addFilter(LogLimit())
    os.umask(0o077)
    logging.basicConfig(
        handlers=[handler], level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s"
    )
    raise_descriptors()
    try:
        asyncio.run(_run(options))
    except (ServeError, StoreError) as error:
        print(f"narrowcast: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


async def _run(options: Options) -> None:
    for warning in warnings_of(options):
        await asyncio.to_thread(print, f"narrowcast: {warning}", file=sys.stderr, flush=True)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    async with running(options) as server:
        # Forms with files are kept there while they arrive: other folders may be in memory, or small.
        tempfile.tempdir = str(Folder(server.organization).arriving())
        for number in (signal.SIGTERM, signal.SIGINT):  # before the server is announced
            loop.add_signal_handler(number, stop.set)
        await asyncio.to_thread(print, f"listening on {server.url}", flush=True)
        hint = first_run.how_to_open(
            options.data,
            server.organization.url,
            demo=options.demo,
            speaks_zulip=ServedDialect(options.dialect) is ServedDialect.ZULIP,
        )
        await asyncio.to_thread(print, hint, file=sys.stderr, flush=True)
        notify_systemd("READY=1")
        failed = asyncio.ensure_future(server.ended())
        stopping = asyncio.ensure_future(stop.wait())
        await asyncio.wait({failed, stopping}, return_when=asyncio.FIRST_COMPLETED)
        for task in (failed, stopping):
            task.cancel()
        notify_systemd("STOPPING=1")


def warnings_of(options: Options) -> list[str]:
    """Warnings for the operator about the options and the data folder."""
    warnings = []
    if options.feature_level > SERVED_LEVEL:
        warnings.append(
            f"feature level {options.feature_level} is unknown to this server: it runs at level {SERVED_LEVEL},"
            " the newest that it can emulate"
        )
    if options.tls_cert is None and not is_local(options.host) and options.host != "localhost":
        warnings.append(
            "passwords, keys and messages travel unencrypted; give --tls-cert and --tls-key, or listen on 127.0.0.1"
            " behind a proxy that does"
        )
    if options.data.is_dir() and options.data.stat().st_mode & 0o077:
        warnings.append(
            f"others on this machine can list {options.data}; the server's files in it are private nevertheless"
        )
    secret = options.data / server_file.NAME
    if secret.is_file() and secret.stat().st_mode & 0o077:
        warnings.append(f"others on this machine can read {secret} and any passwords in it: chmod 600")
    return warnings


class RunningServer:
    """A running server; `url` is its address."""

    def __init__(
        self,
        organization: Organization,
        url: str,
        connections: Connections,
        server: WebServer,
        task: asyncio.Task[None],
    ) -> None:
        self.organization = organization
        self.url = url
        self.connections = connections
        self._server = server
        self._task = task

    async def ended(self) -> None:
        """Returns when the server has stopped by itself."""
        await asyncio.shield(self._task)

    async def stop(self) -> None:
        """Finishes pending requests and stops the server."""
        self._server.end()
        self.organization.hub.close()
        await self._task


@asynccontextmanager
async def running(
    options: Options,
    *,
    config: ServerConfig | None = None,
    clock: ServerClock | None = None,
    prepare: Callable[[Organization], None] | None = None,
) -> AsyncIterator[RunningServer]:
    """Runs a server on the current event loop.

    `config` replaces the configuration made from the options; `prepare` creates the organization in an empty
    folder.
    """
    _check_certificate(options)
    with closing(_bind(options.host, options.port)) as bound:
        scheme = "https" if options.tls_cert else "http"
        url = options.url.rstrip("/") or f"{scheme}://{_authority(options.host, bound.getsockname()[1])}"
        with closing(open_organization(options, url, config=config, clock=clock)) as organization:
            _prepare(organization, options, prepare)
            async with _serving(organization, options, url, bound) as server:
                yield server


def _prepare(
    organization: Organization, options: Options, populate: Callable[[Organization], None] | None
) -> None:
    """Prepares the data folder; raises ServeError if it is damaged, before any request is served."""
    try:
        faults = list(row_faults(organization.store.connection))
        if not faults:
            Folder(organization).sweep()
            first_run.prepare(organization, options.data, demo=options.demo, populate=populate)
    except (*UNUSABLE, OSError) as error:
        faults = [str(error)]
    if faults:
        raise ServeError(
            f"the data in {options.data} is damaged: {faults[0]} (all faults: narrowcast serve --check"
            f" --data {options.data}; restore a backup with: narrowcast serve --restore BACKUP --data NEW_FOLDER)"
        )


@asynccontextmanager
async def _serving(
    organization: Organization, options: Options, url: str, bound: socket.socket
) -> AsyncIterator[RunningServer]:
    server = WebServer(_uvicorn_config(organization, options))
    task = asyncio.create_task(server.run_here())
    connections = Connections(organization.config.connections, descriptors())
    running_server = RunningServer(organization, url, connections, server, task)
    people = asyncio.create_task(_live(organization)) if options.demo and options.alive else None
    try:
        await _started(server, task)
        async with controlled(organization), listening(server, connections, bound):
            yield running_server
    finally:
        if people is not None:
            people.cancel()
            await asyncio.gather(people, return_exceptions=True)
        await running_server.stop()


async def _live(organization: Organization) -> None:
    # Imported here because the demo world is larger than the server and only needed for a demo.
    from narrowcast_server.demo import alive

    await guarded(organization, alive)


def open_organization(
    options: Options, url: str, *, config: ServerConfig | None = None, clock: ServerClock | None = None
) -> Organization:
    """Opens the organization of a data folder; raises ServeError if the folder cannot be used."""
    if config is None:
        # Demo data need not survive a machine crash.
        file = _server_file(options.data)
        config = file.configure(
            ServerConfig(
                dialect=ServedDialect(options.dialect), durable=not options.demo, external_logins=(METHOD,)
            )
        )
        config = _with_rate_limits(config.at_level(options.feature_level), options)
    try:
        if not options.url and options.host in _EVERYWHERE:
            # Links that people share, such as invitations, must work from other machines.
            named = replace(config, url=address_for_others(options.host, url), local_url=url, any_name=True)
        else:
            named = replace(config, url=url)
        return Organization(options.data, named, clock)
    except StoreError as error:
        raise ServeError(str(error)) from error
    except OSError as error:
        raise ServeError(f"cannot use the folder {options.data}: {error.strerror or error}") from error


def _server_file(folder: Path) -> server_file.ServerFile:
    try:
        return server_file.read(folder)
    except server_file.ServerFileError as error:
        raise ServeError(str(error)) from error


def _with_rate_limits(config: ServerConfig, options: Options) -> ServerConfig:
    """A demo has no limits unless given: programs are tried out on it, and there are no other users to protect."""
    own: tuple[RateLimit, ...] = RATE_LIMITS
    if options.rate_limits is not None:
        own = tuple(RateLimit(seconds, requests) for requests, seconds in options.rate_limits)
    elif options.demo:
        return config
    return replace(
        config,
        rate_limits=own,
        event_rate_limits=EVENT_RATE_LIMITS,
        anonymous_rate_limits=ANONYMOUS_RATE_LIMITS,
    )


def _check_certificate(options: Options) -> None:
    """Raises ServeError if the files are not a certificate and its key, before anything is created."""
    if options.tls_cert is None:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(options.tls_cert, options.tls_key)
    except ssl.SSLError as error:
        raise ServeError(
            f"{options.tls_cert} and {options.tls_key} are not a certificate and its key (both PEM): {error.reason}"
        ) from error
    except OSError as error:
        raise ServeError(f"cannot read {options.tls_cert} or {options.tls_key}: {error.strerror}") from error


def _bind(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except UnicodeError as error:
        raise ServeError(f"cannot listen on {host} port {port}: this is not a host name") from error
    except OSError as error:
        more = "; choose another port with --port" if error.errno == errno.EADDRINUSE else ""
        raise ServeError(f"cannot listen on {host} port {port}: {error.strerror or error}{more}") from error
    return bound


def address_for_others(host: str, url: str) -> str:
    """The address at which other machines reach a server that listens on all addresses of this machine."""
    if host not in _EVERYWHERE:
        return url
    parts = urlsplit(url)
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing, only selects a route
        own: str = probe.getsockname()[0]
        return parts._replace(netloc=f"{own}:{parts.port}").geturl()
    return url


def _authority(host: str, port: int) -> str:
    shown = "127.0.0.1" if host in ("", "0.0.0.0") else f"[{host}]" if ":" in host else host  # noqa: S104
    return f"{shown}:{port}"


def _uvicorn_config(organization: Organization, options: Options) -> uvicorn.Config:
    return uvicorn.Config(
        build(organization),
        log_config=None,
        access_log=False,
        lifespan="on",
        ws=Socket,
        ws_max_size=64 * 1024,
        # Compressing each frame for each reader would cost more than all other work together.
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=3,
        # Longer than clients keep idle connections, so that none is closed while a request is being sent.
        timeout_keep_alive=75,
        server_header=False,
        date_header=False,
        # Without a proxy any process of this machine could name another address for each request.
        proxy_headers=bool(options.url) or "FORWARDED_ALLOW_IPS" in os.environ,
        ssl_certfile=None if options.tls_cert is None else str(options.tls_cert),
        ssl_keyfile=None if options.tls_key is None else str(options.tls_key),
    )


async def _started(server: WebServer, task: asyncio.Task[None]) -> None:
    while not server.started:
        if task.done():
            task.result()
            raise ServeError("the server did not start")
        await asyncio.sleep(0.005)


def notify_systemd(state: str) -> None:
    """Reports a state to systemd (`Type=notify`), at the socket that it names in the environment, if it does."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    if address.startswith("@"):
        address = f"\0{address[1:]}"
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sending:
        sending.sendto(state.encode(), address)
