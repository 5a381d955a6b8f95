"""Modules that libraries import although most runs of the program do not use them: each is loaded on first use.

Together they take 1.3 MB. `importlib.util.LazyLoader` would load them as soon as they are imported a second time.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec
from threading import RLock
from types import ModuleType

LATE = (
    "argparse",  # for arguments beyond the choice of an account
    "bz2",  # for shutil: archives
    "certifi",  # for httpx: certificate authorities of TLS connections
    "email.header",  # for http.client: header values that are not ASCII
    "email.parser",  # for http.client: parsing headers, as urllib reads them
    "idna",  # for httpx: host names that are not ASCII
    "importlib.metadata",  # for websockets: its version in an unreleased copy
    "ipaddress",  # for urllib and httpx: hosts that are numbers
    "locale",  # for subprocess: the encoding of text
    "lzma",  # for shutil: archives
    "mimetypes",  # for textual: files served to a browser
    "ntpath",  # for pathlib: paths of Windows
    "secrets",  # for accounts: file names
    "shlex",  # for accounts: the advice about a file that others can read
    "shutil",  # for tempfile: removing folders
    "tokenize",  # for inspect and linecache: source lines in tracebacks
)
_MADE_WITH = {"bz2": "_bz2", "lzma": "_lzma"}
"""C modules that some builds of Python lack: without them, importing the module must fail at once."""

_locks: dict[str, RLock] = {}
_running: set[str] = set()


class _LateModule(ModuleType):
    """A module whose code has not run yet."""

    def __getattr__(self, name: str) -> object:
        own = self.__name__
        with _locks[own]:  # other threads wait until the module is loaded
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
    """Installs the lazy modules; to be called before anything imports them."""
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
