"""Extensions for tests: written into the configuration folder of the app before it starts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from narrowcast.config.config import Config
from narrowcast.config.config_load import parse
from narrowcast.panes.messages.message_list import MessageList
from narrowcast.widgets.strips import plain_text
from support.server import TestServer
from support.sessions import until
from support.stage import Stage, on_stage

EXAMPLES = Path(__file__).parents[2] / "examples" / "extensions"

HEAD = """
import asyncio, re, time
from dataclasses import dataclass
from narrowcast.extend import *

extension = Extension("one", "The first")
"""


def write(folder: Path, **files: str) -> Path:
    """Creates a folder of extensions with the permissions that the app requires: their sources by name."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    for name, source in files.items():
        file = folder / f"{name}.py"
        file.write_text(source, encoding="utf-8")
        file.chmod(0o600)
    return folder


def example(name: str) -> str:
    """Returns the source of an example of the documentation."""
    return (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")


@asynccontextmanager
async def extended(
    folder: Path,
    files: Mapping[str, str],
    settings: str = "",
    *,
    server: TestServer | None = None,
    size: tuple[int, int] = (120, 40),
    stored: Sequence[str] = (),
) -> AsyncIterator[Stage]:
    """Opens Ada's app with extensions, and waits until they are loaded. ``settings``: TOML. The accounts of
    ``stored`` users are open as well.
    """
    write(folder / "home-ada" / "config" / "extensions", **files)
    config = parse(settings, "config.toml") if settings else Config()
    async with on_stage(folder, config=config, server=server, size=size, stored=stored) as stage:
        await until(lambda: stage.app.extensions.host is not None)
        await stage.pilot.pause()
        yield stage


def messages_text(stage: Stage) -> str:
    """Returns the text of the messages pane."""
    return text_of(stage.screen.messages.list)


def text_of(view: MessageList) -> str:
    """Returns the text of a message list."""
    return plain_text(view.compose_row(y) for y in range(view.content_size.height))


async def sees(stage: Stage, text: str) -> None:
    """Waits until the messages pane shows a text."""
    await until(lambda: text in messages_text(stage))


async def compose(stage: Stage, text: str) -> None:
    """Pastes a text into compose."""
    stage.screen.writing.text.text = ""
    stage.screen.writing.begin.insert(text)
    await stage.pilot.pause()


async def submit(stage: Stage, text: str) -> None:
    """Pastes a text into compose and presses Enter."""
    await compose(stage, text)
    await stage.press("enter")


def offered(stage: Stage) -> list[str]:
    """Returns the completions that are shown now."""
    offers = stage.screen.writing.completion
    return [choice.text for choice in offers.list.items] if offers.field is not None else []
