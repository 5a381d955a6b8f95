"""What a start loads, from one file: compiled modules and regular expressions, as the start before had them.

For each of its 800 modules Python looks into several folders and reads a file; 200 regular expressions are made anew,
and a thousand pieces of source that dataclasses, named tuples and types are made of: a quarter of the work of a start.
With `use`, modules come out of a file beside the cache as long as their source is what it was (its inode, size and
times, which is more than Python asks), and all of it only for the same interpreter with the same path. What does not
fit is loaded as ever. Only starts that show a kept screen use it: they are not the first.
`narrowcast.cli.code_store` writes the file when the app ends.
"""

from __future__ import annotations

import marshal
import os
import re
import sys
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.machinery import ExtensionFileLoader, ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER
from types import CodeType, ModuleType
from typing import Any, Final, Protocol

from narrowcast.terminal import last_screen

compiler: Any = getattr(re, "_compiler", None)
"""The part of `re` that makes patterns; None in a Python that has it elsewhere, where `use` does nothing."""
MAGIC = b"narrowcast kept code 2\n"
FILE = "start.code"
LARGEST = 64 * 2**20
"""Bytes of a file that is worth reading."""
CODE: Final = "I"
"""How `array` and `memoryview` call the unit that a regular expression is made of."""


class Loads(Protocol):
    """The part of `re._compiler` that makes a pattern of its code."""

    def compile(
        self,
        pattern: str | bytes,
        flags: int,
        code: list[int],
        groups: int,
        index: dict[str, int],
        names: tuple[str | None, ...],
        /,
    ) -> Any: ...


Modules = dict[str, tuple[str, str, bool, tuple[object, ...], int, int]]
"""By name: file, compiled file ("" where none), whether it is a package, state of the file; place and length."""
Patterns = dict[tuple[str | bytes, int], tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]]
"""By what was asked for: what `_sre.compile` takes."""

Sources = dict[tuple[str, str], CodeType]
"""By source and mode: what `compile` makes of it."""
COMPILING = (("dataclasses", "exec"), ("collections", "eval"), ("typing", "compile"))
"""The modules that compile what they put together, and the name of what they do it with."""


class KeptLoader(SourceFileLoader):
    """Loads one module out of the file."""

    def __init__(self, name: str, path: str, kept: KeptCode, place: int, length: int) -> None:
        super().__init__(name, path)
        self._kept = kept
        self._place = place
        self._length = length

    def get_code(self, fullname: str) -> CodeType | None:
        code = self._kept.read(self._place, self._length)
        return code if isinstance(code, CodeType) else super().get_code(fullname)


class KeptCode:
    """What the file has, as Python finds modules; and, until `end`, what was loaded that it does not have."""

    def __init__(
        self,
        modules: Modules,
        patterns: Patterns,
        sources: Sources,
        descriptor: int | None = None,
        start: int = 0,
    ) -> None:
        self.modules = modules
        self.patterns = patterns
        self.new_patterns: Patterns = {}
        self.sources = sources
        self.new_sources: Sources = {}
        self.loaded: list[str] | None = None
        """The names of the modules of the start, once it is over."""
        self._descriptor = descriptor
        """Open as long as the process lives: another thread may be reading."""
        self._start = start
        self._codes: dict[tuple[object, int], tuple[Any, ...]] = {}
        self._compile: Callable[..., Any] = compiler.compile
        self._sre: Loads = compiler._sre

    def begin(self) -> None:
        instead = {"exec": self.exec, "eval": self.eval, "compile": self.compile_source}
        compiling = [(import_module(module), name) for module, name in COMPILING]
        sys.meta_path.insert(0, self)  # from here on nothing fails, and `end` takes back all of it
        compiler.compile = self.compile
        compiler._sre = _Noting(self._sre, self._codes)
        for module, name in compiling:
            setattr(module, name, instead[name])

    def end(self) -> None:
        """The start is over: what is loaded from now on is loaded as ever."""
        if self.loaded is not None:
            return
        self.loaded = list(sys.modules)
        sys.meta_path.remove(self)
        compiler.compile = self._compile
        compiler._sre = self._sre
        self._codes.clear()
        for module, name in COMPILING:
            delattr(import_module(module), name)  # what hid that of Python

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As any finder of modules."""
        found = self.modules.get(name)
        if found is None:
            return None
        file, cached, is_package, state, place, length = found
        if last_screen.state_of(file) != state:
            return None
        loader = KeptLoader(name, file, self, place, length) if cached else ExtensionFileLoader(name, file)
        spec = ModuleSpec(name, loader, origin=file, is_package=is_package)
        spec.has_location = True
        spec.cached = cached or None
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(os.path.dirname(file))  # noqa: PTH120
        return spec

    def read(self, place: int, length: int) -> object:
        """What was marshalled there; None where it cannot be read."""
        if self._descriptor is None:
            return None
        try:
            return marshal.loads(os.pread(self._descriptor, length, self._start + place))  # noqa: S302 - see `use`
        except (OSError, EOFError, ValueError, TypeError):
            return None

    def compile_source(self, source: Any, filename: str, mode: str) -> CodeType:
        """As `compile`, for what is put together from nothing that changes."""
        if not isinstance(source, str) or filename != "<string>":
            made: CodeType = compile(source, filename, mode, dont_inherit=True)
            return made
        code = self.sources.get((source, mode))
        if code is None:
            code = self.sources[source, mode] = compile(source, filename, mode, dont_inherit=True)
            self.new_sources[source, mode] = code
        return code

    def exec(self, source: Any, names: dict[str, Any], own: dict[str, Any] | None = None) -> None:
        """As `exec`, for `dataclasses`."""
        code = self.compile_source(source, "<string>", "exec") if isinstance(source, str) else source
        exec(code, names, names if own is None else own)  # noqa: S102 - as its caller would

    def eval(self, source: Any, names: dict[str, Any], own: dict[str, Any] | None = None) -> Any:
        """As `eval`, for `collections`."""
        code = self.compile_source(source, "<string>", "eval") if isinstance(source, str) else source
        return eval(code, names, names if own is None else own)  # noqa: S307 - as its caller would

    def compile(self, pattern: Any, flags: int = 0) -> Any:
        """As `re._compiler.compile`."""
        kept = self.patterns.get((pattern, flags))
        if kept is not None:
            its_flags, code, groups, index, names = kept
            return self._sre.compile(
                pattern, its_flags, memoryview(code).cast(CODE).tolist(), groups, index, names
            )
        made = self._compile(pattern, flags)
        noted = self._codes.pop((made.pattern, made.flags), None)
        if noted is not None and type(pattern) in (str, bytes):
            its_flags, code, *others = noted
            # Flags may be of a class of their own, which cannot be written.
            self.new_patterns[pattern, int(flags)] = int(its_flags), array(CODE, code).tobytes(), *others
        return made


class _Noting:
    """Stands in for `_sre` and notes the code of what is made."""

    def __init__(self, real: Loads, codes: dict[tuple[object, int], tuple[Any, ...]]) -> None:
        self._real = real
        self._codes = codes

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)

    def compile(self, pattern: Any, flags: int, code: list[int], *others: Any) -> Any:
        made = self._real.compile(pattern, flags, code, *others)
        self._codes[pattern, made.flags] = (flags, code, *others)
        return made


_kept: KeptCode | None = None


def use() -> None:
    """Take what was kept from now on, and note what else is loaded, until `end`. Never raises.

    Who can write the file can run code as this user: like Python's own compiled files, it is nobody else's.
    """
    global _kept
    if sys.dont_write_bytecode or _kept is not None:
        return
    try:
        kept = _opened(path())
    except Exception:  # nonsense: a start without it is only slower
        kept = None
    with suppress(Exception):  # another Python may have its parts elsewhere
        kept = kept or KeptCode({}, {}, {})
        kept.begin()
        _kept = kept


def end() -> None:
    """The start is over: load as ever from now on."""
    if _kept is not None:
        _kept.end()


def of_this_start() -> KeptCode | None:
    """What `use` began; None where it did not."""
    return _kept


def path() -> str:
    return os.path.join(last_screen.cache_folder(), FILE)  # noqa: PTH118


def head(index: int, codes: int) -> bytes:
    """What the file begins with: everything that it depends on as a whole, and how long its two parts are."""
    wanted = (sys.version, MAGIC_NUMBER, sys.flags.optimize, sys.prefix, sys.path)
    return MAGIC + repr(wanted).encode("utf-8", "surrogateescape") + b"\n%012d %012d\n" % (index, codes)


def _opened(file: str) -> KeptCode | None:
    """What the file has, if it is whole and was made for this interpreter."""
    descriptor = last_screen.open_private(file, LARGEST)
    if descriptor is None:
        return None
    try:
        size = os.fstat(descriptor).st_size
        begins = os.pread(descriptor, len(head(0, 0)), 0)
        index, codes = (int(number) for number in begins[-26:].split())
        if begins == head(index, codes) and size == len(begins) + index + codes:
            modules, patterns, sources = marshal.loads(os.pread(descriptor, index, len(begins)))  # noqa: S302
            return KeptCode(modules, patterns, sources, descriptor, len(begins) + index)
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None
