"""Modules that libraries import although most runs of the program do not use them: each is loaded on first use.

Together they take 5 MB, most of it OpenSSL. `importlib.util.LazyLoader` would load them as soon as they are imported a
second time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.abc import Loader  # imports what is late

LATE = {
    "argparse",  # for arguments beyond the choice of an account
    "asyncio.sslproto",  # for asyncio: TLS
    "bz2",  # for shutil: archives
    "certifi",  # for httpx: certificate authorities of TLS connections
    "email.header",  # for http.client: header values that are not ASCII
    "email.parser",  # for http.client: parsing headers, as urllib reads them
    "hashlib",  # for httpx: digest authentication
    "hmac",  # for secrets: comparing them
    "httpcore._ssl",  # for httpcore: TLS
    "idna",  # for httpx: host names that are not ASCII
    "importlib.metadata",  # for websockets: its version in an unreleased copy
    "ipaddress",  # for urllib and httpx: hosts that are numbers
    "locale",  # for subprocess: the encoding of text
    "lzma",  # for shutil: archives
    "mimetypes",  # for textual: files served to a browser
    "msgspec.inspect",  # for msgspec: descriptions of types
    "msgspec.toml",  # for msgspec: another format
    "msgspec.yaml",  # for msgspec: another format
    "ntpath",  # for pathlib: paths of Windows
    "secrets",  # for accounts: file names
    "shlex",  # for accounts: the advice about a file that others can read
    "shutil",  # for tempfile: removing folders
    "ssl",  # for asyncio, httpx and httpcore: TLS
    "tokenize",  # for inspect and linecache: source lines in tracebacks
}
FUNCTIONS = {"hashlib": {"md5", "sha1", "sha256", "sha512"}, "httpcore._ssl": {"default_ssl_context"}}
"""Functions that libraries take from a module when they are imported: each loads the module when it is called."""
NOT_YET = {"ssl": {"SSLSocket"}}
"""Classes for which libraries ask whether an object is an instance: none is before the module is loaded."""
NEEDS = {
    "bz2": "_bz2",
    "lzma": "_lzma",
    "ssl": "_ssl",
    "httpcore._async.http2": "h2",
    "httpcore._async.socks_proxy": "socksio",
    "httpcore._sync.http2": "h2",
    "httpcore._sync.socks_proxy": "socksio",
}
"""What a module imports that is not always installed: without it, importing the module fails at once."""

_locks: dict[str, RLock] = {}
_running: set[str] = set()


class LateModule(ModuleType):
    """A module whose code has not run yet."""

    def __getattr__(self, name: str) -> object:
        own = self.__name__
        if name in {"__path__", "__file__", "__cached__"}:  # set by the import if they exist
            raise AttributeError(f"module {own!r} has no attribute {name!r}")
        if name in FUNCTIONS.get(own, ()):
            return _calling(self, name)
        if name in NOT_YET.get(own, ()):
            return _Instances(name, (), {"module": self})
        _load(self, name)
        return getattr(self, name)

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("__"):  # running the code would replace the value
            _load(self, name)
        ModuleType.__setattr__(self, name, value)  # its class may be another now


class _Instances(type):
    """The type of classes that stand for a class of a late module in `isinstance`."""

    module: ModuleType

    def __instancecheck__(cls, value: object) -> bool:
        return type(cls.module) is not LateModule and isinstance(value, vars(cls.module)[cls.__name__])


def _calling(module: ModuleType, name: str) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> Any:
        _load(module, name)
        return vars(module)[name](*args, **named)

    call.__name__ = call.__qualname__ = name
    return call


def _load(module: ModuleType, name: str) -> None:
    """Runs the code of a module, unless it has run. Raises AttributeError if it is running."""
    own = module.__name__
    with _locks[own]:  # other threads wait until the module is loaded
        if type(module) is not LateModule:
            return
        if own in _running or module.__spec__ is None or module.__spec__.loader is None:
            raise AttributeError(f"module {own!r} has no attribute {name!r}")
        _running.add(own)
        try:
            module.__spec__.loader.exec_module(module)
            module.__class__ = ModuleType  # type: ignore[assignment]
        finally:
            _running.discard(own)


class _LateLoader:
    """Creates a module whose code `loader` runs on first use; methods as in `importlib.abc.Loader`."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        _locks[spec.name] = RLock()
        return LateModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader


class _Finder:
    """Finds the modules in `LATE` as the other finders do."""

    def __init__(self) -> None:
        self._finding: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As in `importlib.abc.MetaPathFinder`."""
        if name in NEEDS and find_spec(NEEDS[name]) is None:
            raise ModuleNotFoundError(f"No module named {NEEDS[name]!r}", name=NEEDS[name])
        if name not in LATE or name in self._finding:
            return None
        self._finding.add(name)
        try:
            spec = find_spec(name)
        finally:
            self._finding.discard(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _LateLoader(spec.loader)  # type: ignore[assignment]
        return spec


_finder = _Finder()


def install() -> None:
    """Makes the modules lazy that are imported from now on."""
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
