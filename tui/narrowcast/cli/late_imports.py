"""Modules that libraries import and hardly any run of the program uses: each is loaded when something of it is used.

Together they take 1.3 MB. `importlib.util.LazyLoader` would load them as soon as they are imported once more.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec
from threading import RLock
from types import ModuleType

LATE = (
    "argparse",  # for arguments that say more than which account to open
    "bz2",  # for shutil: archives
    "certifi",  # for httpx: the authorities of connections with TLS
    "email.header",  # for http.client: words in headers that are not ASCII
    "email.parser",  # for http.client: headers, as urllib reads them
    "idna",  # for httpx: addresses that are not ASCII
    "importlib.metadata",  # for websockets: its version where that is no release
    "lzma",  # for shutil: archives
    "secrets",  # for accounts: names of files
    "shlex",  # for accounts: what to do about a file that others can read
    "shutil",  # for tempfile: folders
    "mimetypes",  # for textual: files that a browser gets
    "tokenize",  # for inspect and linecache: the source of what failed
)
_MADE_WITH = {"bz2": "_bz2", "lzma": "_lzma"}
"""Parts that not every Python has: who imports the module is to learn of it at once."""

_locks: dict[str, RLock] = {}
_running: set[str] = set()


class _LateModule(ModuleType):
    """A module that was not run yet."""

    def __getattr__(self, name: str) -> object:
        own = self.__name__
        with _locks[own]:  # other threads wait until it is there
            if type(self) is _LateModule:
                if own in _running or self.__spec__ is None or self.__spec__.loader is None:
                    raise AttributeError(f"module {own!r} has no attribute {name!r}")
                _running.add(own)
                try:
                    self.__spec__.loader.exec_module(self)
                    self.__class__ = ModuleType  # type: ignore[assignment]
                finally:
                    _running.discard(own)
        return getattr(self, name)


def install() -> None:
    """To be called before anything imports them."""
    for name in LATE:
        if name in sys.modules or (name in _MADE_WITH and find_spec(_MADE_WITH[name]) is None):
            continue
        if (spec := find_spec(name)) is None:
            continue
        _locks[name] = RLock()
        module = module_from_spec(spec)
        module.__class__ = _LateModule
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
