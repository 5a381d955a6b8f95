"""The files that the team server's documentation gives users: units, containers, proxies, settings."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
import websockets

from narrowcast.cli.grammar import build_parser
from narrowcast_server.operator.commands import COMMANDS
from narrowcast_server.operator.server_file import NAME, read
from narrowcast_server.organization.config import Quotas, RateLimit, ServerConfig
from support.server import TestServer, running_server
from support.sessions import until
from support.sockets import Certificates, make_certificates
from support.terminal import home

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "team-server.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """The only example in that language on the page."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


# --- the page ---------------------------------------------------------------------------------------------------


def test_every_command_on_the_page_is_valid() -> None:
    lines = re.findall(r"^(?:podman exec chat )?narrowcast (serve .*)$", PAGE, re.MULTILINE)
    assert len(lines) > 5
    for line in lines:
        build_parser().parse_args(shlex.split(line.partition("#")[0]))


def test_the_table_has_every_command_of_the_operator() -> None:
    rows = re.findall(r"^\| (`.*?) \|", PAGE[PAGE.index("## Administration") :], re.MULTILINE)
    named = {name.split()[0] for row in rows for name in re.findall(r"`([^`]+)`", row)}
    assert named == set(COMMANDS)


def test_the_example_of_server_toml_shows_the_defaults(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text(block("toml"))
    found = read(tmp_path)
    assert found.quotas == Quotas()
    assert found.mail is not None
    assert len(tomllib.loads(block("toml"))["limits"]) > 3


# --- systemd ----------------------------------------------------------------------------------------------------


def test_the_systemd_unit_uses_existing_options() -> None:
    (command,) = re.findall(r"^ExecStart=(.*)$", block("ini"), re.MULTILINE)
    args = build_parser().parse_args(shlex.split(command)[1:])
    assert (args.command, args.url) == ("serve", "https://chat.example")
    assert f"ReadWritePaths={args.data}" in block("ini")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd on this machine")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "narrowcast.service"
    unit.write_text(block("ini").replace("/opt/narrowcast/bin/narrowcast", sys.executable))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False, timeout=60
    )
    if "Failed to" in done.stderr and str(unit.name) not in done.stderr:
        pytest.skip(f"systemd-analyze does not work here: {done.stderr.strip()[:200]}")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("abstract", [False, True])
async def test_systemd_is_notified_when_the_server_is_ready_and_when_it_stops(
    tmp_path: Path, abstract: bool
) -> None:
    name = f"@{tmp_path}" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(name.replace("@", "\0"))
        heard.setblocking(False)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "narrowcast", "serve", "--port", "0", "--data", str(tmp_path / "data")),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env={"PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": name, **home(tmp_path)},
        )
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(60):
                assert await loop.sock_recv(heard, 100) == b"READY=1"
                process.terminate()
                assert await loop.sock_recv(heard, 100) == b"STOPPING=1"
                assert await process.wait() == 0
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


# --- a container ------------------------------------------------------------------------------------------------


def instructions() -> dict[str, list[str]]:
    """The Containerfile's lines, by instruction."""
    text = re.sub(r"\\\n\s*", " ", (ROOT / "Containerfile").read_text())
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, rest = line.partition(" ")
            found.setdefault(name, []).append(rest)
    return found


def test_the_container_runs_an_installed_server_without_root() -> None:
    said = instructions()
    (entry,) = said["ENTRYPOINT"]
    args = build_parser().parse_args(json.loads(entry)[1:])
    assert (args.command, args.host, args.data) == ("serve", "0.0.0.0", "/data")
    assert said["USER"] == ["narrowcast"]
    assert said["EXPOSE"] == [str(args.port)]
    assert said["VOLUME"] == ["/data"]
    assert all("/" not in line.split()[0] for line in said["FROM"])


async def test_the_container_reports_the_health_of_the_server(tmp_path: Path) -> None:
    (check,) = instructions()["HEALTHCHECK"]
    command = json.loads(check[check.index("[") :])
    assert command[0] == "python"

    async def healthy(port: int) -> bool:
        words = [word.replace(":9911", f":{port}") for word in command[1:]]
        process = await asyncio.create_subprocess_exec(
            sys.executable, *words, stderr=asyncio.subprocess.DEVNULL
        )
        return await process.wait() == 0

    async with running_server(tmp_path / "data") as server:
        port = httpx2.URL(server.url).port
        assert port is not None
        assert await healthy(port)
    assert not await healthy(port)


# --- proxies ----------------------------------------------------------------------------------------------------


@asynccontextmanager
async def proxy(folder: Path, command: list[str], port: int, env: dict[str, str]) -> AsyncIterator[None]:
    """A proxy process that listens on a port."""
    with (folder / "proxy.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *command, stdout=log, stderr=log, env={"PATH": "/usr/bin:/bin:/usr/sbin", **env}
        )
        try:
            await until(lambda: _listens(process, port), 60, what="the proxy listens")
            yield
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


async def _listens(process: asyncio.subprocess.Process, port: int) -> bool:
    """Whether the process accepts connections yet; fails if it has ended."""
    assert process.returncode is None, "the proxy ended"
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    await writer.wait_closed()
    return True


async def free_port() -> int:
    server = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
    port: int = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    return port


def nginx(folder: Path, made: Certificates, port: int, upstream: int) -> tuple[list[str], dict[str, str]]:
    """The page's example within the smallest configuration that nginx accepts."""
    site = (
        block("nginx")
        .replace("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;")
        .replace("chat.example;", "localhost;")
        .replace("/etc/ssl/chat.example.pem", str(made.certificate))
        .replace("/etc/ssl/chat.example.key", str(made.key))
        .replace("127.0.0.1:9911", f"127.0.0.1:{upstream}")
    )
    places = "".join(
        f"{kind}_temp_path {folder / kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = folder / "nginx.conf"
    file.write_text(
        f"daemon off; master_process off; pid {folder / 'pid'}; error_log stderr;\n"
        f"events {{}}\nhttp {{ access_log off; {places} {site} }}\n"
    )
    return ["nginx", "-e", "stderr", "-c", str(file), "-p", str(folder)], {}


def caddy(folder: Path, made: Certificates, port: int, upstream: int) -> tuple[list[str], dict[str, str]]:
    """The page's example with the test's certificate instead of an automatic one."""
    site = block("caddyfile").replace("127.0.0.1:9911", f"127.0.0.1:{upstream}")
    site = site.replace(
        "chat.example {", f"https://localhost:{port} {{\n    tls {made.certificate} {made.key}"
    )
    file = folder / "Caddyfile"
    file.write_text(f"{{\n    admin off\n    auto_https disable_redirects\n}}\n{site}")
    return ["caddy", "run", "--config", str(file), "--adapter", "caddyfile"], {"HOME": str(folder)}


@pytest.fixture(params=[nginx, caddy], ids=["nginx", "caddy"])
async def proxied(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[TestServer, Path]]:
    """A server behind a proxy, with `server.url` that of the proxy; and the authority to trust."""
    name: str = request.param.__name__
    if shutil.which(name, path="/usr/bin:/bin:/usr/sbin") is None:
        pytest.skip(f"there is no {name} on this machine")
    made, port = make_certificates(tmp_path), await free_port()
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1")  # as with --url
    config = ServerConfig(anonymous_rate_limits=(RateLimit(60, 3),))
    async with running_server(tmp_path / "data", config=config) as server:
        upstream = httpx2.URL(server.url).port
        assert upstream is not None
        command, env = request.param(tmp_path, made, port, upstream)
        server.url = f"https://localhost:{port}"
        server.organization.config = replace(server.organization.config, url=server.url)
        async with proxy(tmp_path, command, port, env):
            yield server, made.authority


async def test_the_app_works_through_the_proxy(proxied: tuple[TestServer, Path]) -> None:
    server, authority = proxied
    context = ssl.create_default_context(cafile=str(authority))
    async with httpx2.AsyncClient(trust_env=False, timeout=30, verify=context) as client:
        server.client = client
        page = await client.get(f"{server.url}/", headers={"Sec-Fetch-Site": "none", "Accept": "text/html"})
        assert f"narrowcast login {server.url}" in page.text
        listener = await server.listen("dario")
        waiting = asyncio.create_task(server.call("dario", "GET", "/events", listener.poll()))
        await server.send("ada", "general", "t", "through the proxy")
        response = await waiting
        assert any(event["type"] == "message" for event in response["events"])
        big = {"file": ("big.bin", b"x" * 3_000_000)}
        upload = (await server.raw("ada", "POST", "/user_uploads", files=big)).json()
        assert upload["result"] == "success"
        fetched = await server.raw("ada", "GET", server.url + upload["url"])
        assert len(fetched.content) == 3_000_000
        await _streams(server, context)


async def _streams(server: TestServer, context: ssl.SSLContext) -> None:
    listener = await server.listen("elif")
    address = f"{server.url.replace('https', 'wss')}/api/v1/events/stream?queue_id={listener.queue_id}&last_event_id=-1"
    account = server.account("elif")
    credentials = httpx2.BasicAuth(account.email, account.key.reveal())
    header = next(credentials.auth_flow(httpx2.Request("GET", server.url))).headers["Authorization"]
    connecting = websockets.connect(
        address, ssl=context, additional_headers={"Authorization": header}, proxy=None
    )
    async with asyncio.timeout(30), connecting as stream:
        await server.send("ada", "general", "t", "by the stream")
        frame = json.loads(await stream.recv())
        assert any(event["type"] == "message" for event in frame["events"])


async def test_clients_cannot_spoof_their_address_behind_the_proxy(proxied: tuple[TestServer, Path]) -> None:
    server, authority = proxied
    context = ssl.create_default_context(cafile=str(authority))
    headers = {"X-Forwarded-For": "203.0.113.9"}
    async with httpx2.AsyncClient(trust_env=False, timeout=30, verify=context, headers=headers) as client:
        responses = [await client.get(f"{server.url}/api/v1/server_settings") for _ in range(6)]
        # Requests of this machine are not limited; those of 203.0.113.9 would be.
        assert {response.status_code for response in responses} == {200}
