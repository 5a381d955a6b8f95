"""Finding and loading extensions: files of the configuration's folder, and entry points of installed packages.

Importing them takes time and runs their code, so each is loaded in its own thread: if it hangs, it holds up neither
the app nor its exit. Their code runs as the user, so nobody else may be able to write the files.
"""

from __future__ import annotations

import logging
import os
import queue
import stat
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from msgspec import Struct

from narrowcast.extend.declare import Extension
from narrowcast.extensions.search import GROUP, named
from narrowcast_api.regular_files import regular

__all__ = ["LOAD_SECONDS", "FoundExtension", "UnsafeFile", "load_all", "run_file"]

log = logging.getLogger(__name__)

LOAD_SECONDS = 10.0
"""How many seconds importing one extension may take."""
_MODULE = "narrowcast_extension_"
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


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
        for path in _files(folder):
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


class UnsafeFile(Exception):
    """Another user could have written this code. The text says who, and what to do."""


def _files(folder: Path) -> Iterator[Path]:
    """The files of extensions, sorted by name; none if the folder does not exist. Raises UnsafeFile for a folder
    that others can write, and OSError.
    """
    try:
        names = sorted(path.name for path in folder.iterdir() if path.suffix == ".py")
    except FileNotFoundError:
        return
    names = [name for name in names if not name.startswith((".", "_"))]
    if names:
        _check(folder, folder.stat())
    yield from (folder / name for name in names)


def run_file(path: Path) -> ModuleType:
    """Runs a file and returns it as a module. The file is opened once, so what is checked is what is run.
    Raises UnsafeFile, OSError, and whatever the file raises.
    """
    real = path.resolve()
    _check(real.parent, real.parent.stat())
    with regular(real).open("rb") as file:
        _check(path, os.fstat(file.fileno()))
        source = file.read()
    module = ModuleType(_MODULE + path.stem.replace("-", "_"))
    module.__file__ = str(path)
    code = compile(source, str(path), "exec", dont_inherit=True)
    sys.modules[module.__name__] = module  # dataclasses look their module up there
    try:
        exec(code, module.__dict__)  # noqa: S102 - an extension is code that its user chose to run
    except BaseException:  # also `sys.exit`: half a module must not be found
        del sys.modules[module.__name__]
        raise
    return module


def _check(path: Path, status: os.stat_result) -> None:
    """Raises UnsafeFile unless the file or folder belongs to the user and nobody else can write it."""
    if not hasattr(os, "geteuid"):
        return
    if status.st_uid != os.geteuid():
        raise UnsafeFile(f"{path} belongs to another user; extensions are code, so they must be yours")
    if status.st_mode & _OTHERS_WRITE:
        raise UnsafeFile(f"{path} can be written by other users; run: chmod go-w {path}")
