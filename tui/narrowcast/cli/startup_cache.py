"""Caches compiled modules and regular expressions of a start in one file, for the next start.

For each of its 800 modules Python searches several folders and reads a file; it also compiles 200 regular
expressions, and a thousand pieces of source generated for dataclasses, named tuples and types: a quarter of the
time of a start. With `use`, modules are loaded from a file beside the cache if their source is unchanged (same
inode, size and times, a stricter check than Python's), and all of it only for the same interpreter with the same
path. Anything that does not match is loaded as usual. Only starts that show a saved screen use it, so never the
first one. `narrowcast.cli.startup_cache_writer` writes the file when the app ends.
"""

from __future__ import annotations

import marshal
import os
import re
import sys
from array import array
from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from importlib import import_module
from importlib.machinery import ExtensionFileLoader, ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER
from types import CodeType, ModuleType
from typing import Any, Final, Protocol

from narrowcast.terminal import last_screen

compiler: Any = getattr(re, "_compiler", None)
"""The part of `re` that compiles patterns; None in a Python that has it elsewhere, where `use` does nothing."""
MAGIC = b"narrowcast kept code 4\n"
FILE = "start.code"
MAX_BYTES = 64 * 2**20
"""Maximum size of the file in bytes; a larger one is ignored."""
CODE: Final = "I"
"""The type code of `array` and `memoryview` for the units of a compiled regular expression."""


class Loads(Protocol):
    """The part of `re._compiler` that makes a pattern from compiled code."""

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


Place = tuple[int, int, int]
"""Where the code of a module is: offset and length of the group with which it was marshalled, index in it.
Modules of one group share their strings: it loads faster than its modules one by one.
"""
Modules = dict[str, tuple[str, str, bool, tuple[object, ...], Place]]
"""By module name: file, .pyc file ("" if none), whether it is a package, state of the file, place of the code."""
Patterns = dict[tuple[str | bytes, int], tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]]
"""By pattern and flags: the arguments of `_sre.compile`."""

Sources = dict[tuple[str, str], CodeType]
"""By source and mode: the result of `compile`."""
Sheet = tuple[tuple[str, str], bool, int, str]
"""Where a style sheet is from: its location, and further arguments of Textual's parser."""
Styles = tuple[dict[str, str], dict[Sheet, tuple[str, bytes]]]
"""Parsed style sheets: the variables of the theme; by sheet, the source and its pickled rules."""
COMPILING = (("dataclasses", "exec"), ("collections", "eval"), ("typing", "compile"))
"""The modules that compile generated source, and the builtin that each uses for it."""


class CachedLoader(SourceFileLoader):
    """Loads one module from the cache file."""

    def __init__(self, name: str, path: str, cache: StartupCache, place: Place) -> None:
        super().__init__(name, path)
        self._cache = cache
        self._place = place

    def get_code(self, fullname: str) -> CodeType | None:
        code = self._cache.take(self._place)
        return code if isinstance(code, CodeType) else super().get_code(fullname)


class StartupCache:
    """The contents of the file as a module finder; until `end`, also collects what was loaded without the file."""

    def __init__(
        self,
        modules: Modules,
        patterns: Patterns,
        sources: Sources,
        styles: Styles,
        descriptor: int | None = None,
        start: int = 0,
    ) -> None:
        self.modules = modules
        self.patterns = patterns
        self.new_patterns: Patterns = {}
        self.sources = sources
        self.new_sources: Sources = {}
        self.styles = styles
        self.new_styles: Callable[[], Styles | None] = lambda: None
        """Returns what to keep for the next start instead of `styles`, if anything: see `startup_styles`."""
        self.loaded: list[str] | None = None
        """The names of the modules loaded from `begin` to `end`; None until then."""
        self._loaded_before: Set[str] = frozenset()
        self._descriptor = descriptor
        """Open until the process ends: another thread may be reading."""
        self._start = start
        self._groups: dict[int, list[object]] = {}
        """By offset: the code of each module of a group that was read, until it is taken."""
        self._codes: dict[tuple[object, int], tuple[Any, ...]] = {}
        self._compile: Callable[..., Any] = compiler.compile
        self._sre: Loads = compiler._sre

    def begin(self) -> None:
        self._loaded_before = set(sys.modules)
        compiler.compile = self.compile
        compiler._sre = _Recorder(self._sre, self._codes)
        sys.meta_path.insert(0, self)

    def begin_sources(self) -> None:
        """Uses the cache for generated source, too."""
        instead = {"exec": self.exec, "eval": self.eval, "compile": self.compile_source}
        for module, name in COMPILING:
            setattr(import_module(module), name, instead[name])

    def end(self) -> None:
        """Startup is over: from now on modules and patterns are loaded as usual."""
        if self.loaded is not None:
            return
        self.loaded = [name for name in sys.modules if name not in self._loaded_before]
        sys.meta_path.remove(self)
        compiler.compile = self._compile
        compiler._sre = self._sre
        self._codes.clear()
        self._groups.clear()
        for module, name in COMPILING:
            vars(import_module(module)).pop(name, None)  # removes the attribute that shadows the builtin

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As in `importlib.abc.MetaPathFinder`."""
        found = self.modules.get(name)
        if found is None:
            return None
        file, cached, is_package, state, place = found
        if last_screen.state_of(file) != state:
            return None
        loader = CachedLoader(name, file, self, place) if cached else ExtensionFileLoader(name, file)
        spec = ModuleSpec(name, loader, origin=file, is_package=is_package)
        spec.has_location = True
        spec.cached = cached or None
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(os.path.dirname(file))  # noqa: PTH120
        return spec

    def take(self, place: Place) -> object:
        """The code at this place, only once; None if it cannot be read."""
        start, length, index = place
        group = self._groups.get(start)
        if group is None:
            group = self._groups[start] = self._read(start, length)
        if index >= len(group):
            return None
        code, group[index] = group[index], None
        return code

    def _read(self, start: int, length: int) -> list[object]:
        if self._descriptor is None:
            return []
        try:
            group = marshal.loads(os.pread(self._descriptor, length, self._start + start))  # noqa: S302 - see `use`
        except (OSError, EOFError, ValueError, TypeError):
            return []
        return group if isinstance(group, list) else []

    def compile_source(self, source: Any, filename: str, mode: str) -> CodeType:
        """As `compile`; the result for generated source, which has no file, is cached."""
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
        """As `re._compiler.compile`, with the cached code if there is any."""
        cached = self.patterns.get((pattern, flags))
        if cached is not None:
            its_flags, code, groups, index, names = cached
            return self._sre.compile(
                pattern, its_flags, memoryview(code).cast(CODE).tolist(), groups, index, names
            )
        made = self._compile(pattern, flags)
        recorded = self._codes.pop((made.pattern, made.flags), None)
        if recorded is not None and type(pattern) in (str, bytes):
            its_flags, code, *others = recorded
            # Flags may be an enum, which cannot be marshalled.
            self.new_patterns[pattern, int(flags)] = int(its_flags), array(CODE, code).tobytes(), *others
        return made


class _Recorder:
    """Replaces `_sre` and records the code of each compiled pattern."""

    def __init__(self, real: Loads, codes: dict[tuple[object, int], tuple[Any, ...]]) -> None:
        self._real = real
        self._codes = codes

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)

    def compile(self, pattern: Any, flags: int, code: list[int], *others: Any) -> Any:
        made = self._real.compile(pattern, flags, code, *others)
        self._codes[pattern, made.flags] = (flags, code, *others)
        return made


_cache: StartupCache | None = None


def use() -> None:
    """Loads from the cache file from now on, and records what else is loaded, until `end`. Never raises.

    Anyone who can write the file can run code as this user; like Python's own .pyc files, only the user can
    write it.
    """
    global _cache
    if sys.dont_write_bytecode or _cache is not None:
        return
    try:
        cache = _opened(path())
    except Exception:  # an invalid file: the start without it is only slower
        cache = None
    with suppress(Exception):  # another Python may have its internals elsewhere
        cache = cache or StartupCache({}, {}, {}, ({}, {}))
        cache.begin()
        _cache = cache


def parses_styles(name: str) -> bool:
    """Whether parsed style sheets depend on the module of this name."""
    return name.partition(".")[0] in {"textual", "rich"}


def use_sources() -> None:
    """Loads generated source from the cache, too, if `use` has succeeded. Never raises."""
    if _cache is not None:
        with suppress(Exception):
            _cache.begin_sources()


def end() -> None:
    """Startup is over: load as usual from now on."""
    if _cache is not None:
        _cache.end()


def of_this_start() -> StartupCache | None:
    """The finder installed by `use`; None if there is none."""
    return _cache


def path() -> str:
    return os.path.join(last_screen.cache_folder(), FILE)  # noqa: PTH118


def head(index: int, codes: int) -> bytes:
    """The head of the file: everything on which its validity depends, and the lengths of its two parts."""
    wanted = (sys.version, MAGIC_NUMBER, sys.flags.optimize, sys.prefix, sys.path)
    return MAGIC + repr(wanted).encode("utf-8", "surrogateescape") + b"\n%012d %012d\n" % (index, codes)


def _opened(file: str) -> StartupCache | None:
    """The contents of the file, if it is complete and was made for this interpreter."""
    descriptor = last_screen.open_private(file, MAX_BYTES)
    if descriptor is None:
        return None
    try:
        size = os.fstat(descriptor).st_size
        begins = os.pread(descriptor, len(head(0, 0)), 0)
        index, codes = (int(number) for number in begins[-26:].split())
        if begins == head(index, codes) and size == len(begins) + index + codes:
            contents = os.pread(descriptor, index, len(begins))
            modules, patterns, sources, styles = marshal.loads(contents)  # noqa: S302 - see `use`
            return StartupCache(modules, patterns, sources, styles, descriptor, len(begins) + index)
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None
