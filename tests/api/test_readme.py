"""The Python examples of the library's guide and README, run unchanged against a server."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

from narrowcast_api.client import Client
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.records import OutboxMessage
from support.server import running_server

ROOT = Path(__file__).parents[2]
EXAMPLES = [
    pytest.param(code, id=f"{page.stem}-{number}")
    for page in (ROOT / "docs" / "api" / "index.md", ROOT / "api" / "README.md")
    for number, code in enumerate(
        re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    )
]


@pytest.mark.parametrize("code", EXAMPLES)
async def test_an_example_of_the_readme_does_what_it_says(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    async with running_server(tmp_path / "server") as server:
        server.account("ada").write_zuliprc(tmp_path / "zuliprc")
        work = eval(compile(code, "README", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), {})  # our own
        if inspect.iscoroutine(work):
            await work
        async with Client.open(server.account("ada")) as client:
            page = await client.messages.list(num_before=10, apply_markdown=False)
        sent = {message.content for message in page.messages}
        kept = {record.content for record in _journal(tmp_path / "data")}
    written = {words for words in ("Soup today", "Soup is on") if f'"{words}"' in code}
    assert written
    assert written <= sent | kept


def _journal(folder: Path) -> list[OutboxMessage]:
    """Unsent messages of the session in the example."""
    found: list[OutboxMessage] = []
    for file in folder.glob("**/journal.db"):
        journal = Journal.open(file, executor=inline)
        found += journal.load_outbox()
        journal.close()
    return found
