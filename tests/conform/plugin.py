"""Checks each answer of the embedded server in a run of tests against an OpenAPI description: `make conform`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from conform.description import Description
from narrowcast_api.wire.vocabulary import API_PREFIX
from support.server import WATCHERS

_SHOWN = 200


class Watcher:
    """Collects the differences, and which operations were seen."""

    def __init__(self, description: Description) -> None:
        self._description = description
        self.faults: Counter[str] = Counter()
        self.seen: set[tuple[str, str, int]] = set()
        self.unknown: set[tuple[str, str]] = set()

    def __call__(self, response: httpx2.Response) -> None:
        method, path = response.request.method, urlsplit(str(response.request.url)).path
        if not path.startswith(API_PREFIX) or "json" not in response.headers.get("content-type", ""):
            return
        path, status = path.removeprefix(API_PREFIX), response.status_code
        shape = "/".join("{}" if part.isdecimal() else part for part in path.split("/"))
        schema = self._description.schema_of(method, path, status)
        if schema is None:
            self.unknown.add((method, shape))
            return
        self.seen.add((method, shape, status))
        for fault in set(self._description.faults(schema, response.json())):
            self.faults[f"{method} {shape} {status}: {fault}"] += 1


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--description", type=Path, required=True, help="the OpenAPI description of the service")


def pytest_configure(config: pytest.Config) -> None:
    watcher = Watcher(Description.read(config.getoption("--description")))
    config.stash[_KEY] = watcher
    WATCHERS.append(watcher)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    watcher = config.stash[_KEY]
    terminalreporter.section("answers and events against the description")
    for fault, number in watcher.faults.most_common(_SHOWN):
        terminalreporter.line(f"{number:6}  {fault}")
    terminalreporter.line(
        f"{len(watcher.seen)} kinds of answers checked, {len(watcher.faults)} differences,"
        f" {len(watcher.unknown)} operations not described"
    )


_KEY = pytest.StashKey[Watcher]()
