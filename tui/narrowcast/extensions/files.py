"""Files of extensions. They contain code that runs as the user, so nobody else may be able to write them."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from narrowcast_api.regular_files import regular

__all__ = ["UnsafeFile", "files", "run_file"]

_MODULE = "narrowcast_extension_"
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class UnsafeFile(Exception):
    """Another user could have written this code. The text says who, and what to do."""


def files(folder: Path) -> Iterator[Path]:
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
