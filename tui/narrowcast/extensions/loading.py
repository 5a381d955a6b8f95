"""Finding and loading extensions: files of the configuration's folder, and entry points of installed packages.

Importing them takes time and runs their code, so each is loaded in its own thread: if it hangs, it holds up neither
the app nor its exit.
"""

from __future__ import annotations

import logging
import queue
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from msgspec import Struct

from narrowcast.extend.declare import Extension
from narrowcast.extensions.files import UnsafeFile, files, run_file
from narrowcast.extensions.search import GROUP, named

__all__ = ["LOAD_SECONDS", "FoundExtension", "load_all"]

log = logging.getLogger(__name__)

LOAD_SECONDS = 10.0
"""How many seconds importing one extension may take."""


class FoundExtension(Struct, frozen=True):
    """An extension that was found: loaded, or with the problem. ``source``: its file, or its package."""

    source: str
    extension: Extension[Any] | None = None
    settings: object = None
    problem: str = ""
    enabled: bool = True

    @property
    def name(self) -> str:
        """The extension's name, or the name of its file if it could not be loaded."""
        return self.extension.name if self.extension is not None else Path(self.source).stem


def load_all(
    folder: Path, tables: Mapping[str, Mapping[str, object]], seconds: float = LOAD_SECONDS
) -> list[FoundExtension]:
    """Finds and loads all extensions: files, then packages. ``tables``: settings by extension name. Never
    raises; to be called in a thread.
    """
    found: list[FoundExtension] = []
    names: set[str] = set()
    for source, load in _sources(folder):
        one = _loaded(source, load, tables, seconds)
        if one.extension is not None and one.name in names:
            one = FoundExtension(source, problem=f"there is another extension named {one.name}")
        names.add(one.name)
        found.append(one)
    return found


def _sources(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    try:
        for path in files(folder):
            yield str(path), _of_file(path)
    except (UnsafeFile, OSError) as error:
        yield str(folder), _failing(error)
    if any(True for _ in named(sys.path)):
        for point in entry_points(group=GROUP):
            package = f" ({point.dist.name} {point.dist.version})" if point.dist is not None else ""
            yield f"{point.value}{package}", point.load


def _of_file(path: Path) -> Callable[[], object]:
    def load() -> object:
        module = run_file(path)
        if not hasattr(module, "extension"):
            raise ValueError("the file does not define 'extension'")
        return module.extension

    return load


def _failing(error: Exception) -> Callable[[], object]:
    def load() -> object:
        raise error

    return load


def _loaded(
    source: str, load: Callable[[], object], tables: Mapping[str, Mapping[str, object]], seconds: float
) -> FoundExtension:
    results: queue.SimpleQueue[object] = queue.SimpleQueue()

    def work() -> None:
        try:
            results.put(load())
        except BaseException as error:  # also `sys.exit` at the top of a file: the app is not its to end
            log.warning("the extension in %s cannot be loaded", source, exc_info=error)
            results.put(error)

    threading.Thread(target=work, daemon=True, name="load an extension").start()
    try:
        result = results.get(timeout=seconds)
    except queue.Empty:
        return FoundExtension(source, problem=f"loading it took longer than {seconds:g} s")
    if isinstance(result, UnsafeFile | OSError):
        return FoundExtension(source, problem=str(result))
    if isinstance(result, BaseException):
        return FoundExtension(source, problem=f"{type(result).__name__}: {result}"[:500])
    if not isinstance(result, Extension):
        return FoundExtension(source, problem="'extension' is not an Extension of narrowcast.extend")
    return _with_settings(source, result, tables)


def _with_settings(
    source: str, extension: Extension[Any], tables: Mapping[str, Mapping[str, object]]
) -> FoundExtension:
    table = dict(tables.get(extension.name, {}))
    enabled = table.pop("enabled", True)
    if enabled is False:
        return FoundExtension(source, extension, enabled=False)
    try:
        if enabled is not True:
            raise ValueError("enabled: must be true or false")
        return FoundExtension(source, extension, extension.checked_settings(table))
    except Exception as error:
        return FoundExtension(source, extension, problem=f"extensions.{extension.name}.{error}"[:500])
