"""The demo's server: a process of its own (`cli/demo_process.py`), which the app starts and stops."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sys
import tempfile
from pathlib import Path

from narrowcast.terminal.programs import kill
from narrowcast_api.errors import NarrowcastError

START_SECONDS = 60.0
"""Seconds that a slow machine may take to create the demo data."""


class DemoFailed(NarrowcastError):
    """The demo's server did not start."""


class DemoServer:
    """``start`` returns the account file of the demo's main user."""

    def __init__(self, data: Path | None = None) -> None:
        self._keep = data is not None
        self.folder = data if data is not None else Path(tempfile.mkdtemp(prefix="narrowcast-demo-"))
        self._process: asyncio.subprocess.Process | None = None

    async def start(self, person: str = "ada") -> Path:
        """Starts the server and waits until it responds. Raises DemoFailed."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        log = self.folder / "server.log"
        errors = log.open("wb")
        try:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "narrowcast.cli.demo_process",
                str(self.folder),
                "keep" if self._keep else "drop",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        finally:
            errors.close()
        output = self._process.stdout
        try:
            async with asyncio.timeout(START_SECONDS):
                while output is not None and (line := await output.readline()):
                    if line.startswith(b"listening on "):
                        return self.folder / "accounts" / f"{person}.zuliprc"
        except TimeoutError:
            await self.stop()
            raise DemoFailed(f"The demo's server did not start within {START_SECONDS:.0f} seconds.") from None
        said = await asyncio.to_thread(_last_line, log)
        await self.stop()
        raise DemoFailed(f"The demo's server did not start: {said or 'no output'}")

    async def stop(self) -> None:
        """Stops the server, and deletes its data unless the folder is the user's."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            try:
                async with asyncio.timeout(5):
                    await process.wait()
            except TimeoutError:
                await kill(process)
        if not self._keep:
            await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)


def _last_line(log: Path) -> str:
    return (log.read_text(errors="replace").strip().splitlines() or [""])[-1]
