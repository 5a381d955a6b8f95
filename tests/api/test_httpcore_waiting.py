"""httpcore waits with plain asyncio where the app asks for it, and works unchanged otherwise."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib.metadata import version

import pytest
from httpcore import _synchronization as original

from narrowcast_api.http import httpcore_waiting

PROGRAM = """
import asyncio, sys
from narrowcast_api.http import httpcore_waiting
httpcore_waiting.install()
import httpx
from narrowcast_api.http.network import install

async def respond(reader, writer):
    request = await reader.readuntil(b"\\r\\n\\r\\n")
    if b"/slow" in request:
        await slow.wait()
    writer.write(b"HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\nconnection: close\\r\\n\\r\\nok")
    await writer.drain()
    writer.close()

async def main():
    global slow
    slow = asyncio.Event()
    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    limits = httpx.Limits(max_connections=1)
    async with httpx.AsyncClient(limits=limits, timeout=httpx.Timeout(30, pool=0.05), trust_env=False) as client:
        install(client)
        print((await client.get(url)).text)
        first = asyncio.create_task(client.get(url + "/slow"))
        await asyncio.sleep(0)
        try:
            await client.get(url)
        except httpx.PoolTimeout:
            print("late")
        waiting = asyncio.create_task(client.get(url, timeout=None))
        await asyncio.sleep(0)
        slow.set()
        print((await first).text, (await waiting).text, "anyio" in sys.modules)
    async with httpx.AsyncClient(trust_env=False) as client:
        print((await client.get(url)).text, "anyio" in sys.modules)
    def ask():
        with httpx.Client(trust_env=False) as client:
            return client.get(url).text
    print(await asyncio.to_thread(ask))
    server.close()

asyncio.run(main())
"""


def test_requests_wait_for_a_connection_without_anyio_and_other_clients_have_it() -> None:
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert result.stdout.splitlines() == ["ok", "late", "ok ok False", "ok True", "ok"], result.stderr


NAMES = [
    name for name, value in vars(original).items() if getattr(value, "__module__", "") == original.__name__
]


@pytest.mark.parametrize("name", NAMES)
def test_the_replacement_has_every_primitive_that_httpcore_uses(name: str) -> None:
    theirs, ours = getattr(original, name), getattr(httpcore_waiting, name)
    if not isinstance(theirs, type):
        assert inspect.signature(ours) == inspect.signature(theirs)
        return
    made = ours(1) if "Semaphore" in name else ours()
    for method in ("acquire", "release", "set", "wait", "__enter__", "__exit__", "__aenter__", "__aexit__"):
        if hasattr(theirs, method):
            is_async = inspect.iscoroutinefunction(getattr(theirs, method))
            assert inspect.iscoroutinefunction(getattr(made, method)) == is_async, method


def test_the_copied_code_is_from_the_installed_version_of_httpcore() -> None:
    """After an update compare httpcore's source with the copied code again, then change the version here."""
    assert version("httpcore") == httpcore_waiting.READ_FROM


def test_another_version_is_left_as_it_is() -> None:
    program = """
import sys
from narrowcast_api.http import httpcore_waiting
httpcore_waiting.READ_FROM = "1.0.0"
httpcore_waiting.install()
import httpx, httpcore._synchronization
print(httpcore._synchronization is httpcore_waiting)
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.stdout.strip() == "False", result.stderr
