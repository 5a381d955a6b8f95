"""Writes the modules and patterns loaded at startup to one file, for the next start: see
`narrowcast.cli.startup_cache`.
"""

from __future__ import annotations

import logging
import marshal
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib.machinery import ExtensionFileLoader, SourceFileLoader
from importlib.util import MAGIC_NUMBER
from pathlib import Path

from narrowcast.cli import startup_cache
from narrowcast.cli.late_modules import LateModule
from narrowcast.cli.startup_cache import (
    CachedLoader,
    Modules,
    Patterns,
    Sources,
    StartupCache,
    Styles,
    parses_styles,
)
from narrowcast.terminal import last_screen
from narrowcast_api.storage.folders import private_folder

log = logging.getLogger(__name__)

GROUP = 16
"""Modules marshalled together: more would not load faster, and block other threads longer."""
_HEAD = 16
"""Length of a .pyc file's header, in bytes: https://peps.python.org/pep-0552/"""

Files = dict[str, tuple[str, str, bool]]
"""By module name: its source file, its .pyc file ("" for a compiled extension), and whether it is a package."""


def save() -> None:
    """Writes the file if this start has loaded something that it does not contain. Never raises."""
    cache = startup_cache.of_this_start()
    if cache is None or cache.loaded is None:
        return
    try:
        _update(cache, cache.loaded, Path(startup_cache.path()))
    except (
        OSError,
        ValueError,
        EOFError,
        TypeError,
    ) as error:  # disk errors, or values that cannot be marshalled
        log.warning("the code of this start cannot be cached for the next one: %s", error)


def _update(cache: StartupCache, loaded: Iterable[str], file: Path) -> None:
    patterns = {key: made for key, made in cache.new_patterns.items() if not made[0] & (re.LOCALE | re.DEBUG)}
    found = _files(loaded)
    styles = _styles(cache, found)
    if (
        not patterns
        and not cache.new_sources
        and styles is cache.styles
        and all(_is_current(cache, name, path) for name, (path, _, _) in found.items())
    ):
        return
    before = {
        name: entry[:3]
        for name, entry in cache.modules.items()
        if name not in found and not isinstance(sys.modules.get(name), LateModule)
    }
    modules: Modules = {}
    codes = bytearray()
    for group in _groups(before | found):
        marshalled = marshal.dumps([code for _, _, code in group])
        for index, (name, (path, cached, is_package), _) in enumerate(group):
            place = len(codes), len(marshalled), index
            modules[name] = path, cached, is_package, last_screen.state_of(path), place
        codes += marshalled
    _write(file, modules, (cache.patterns | patterns, cache.sources, styles), codes)


def _groups(found: Files) -> Iterable[list[tuple[str, tuple[str, str, bool], object]]]:
    """The names, files and code of modules, as they are marshalled together: in the order in which they are loaded."""
    group = []
    for name, entry in found.items():
        path, cached, _ = entry
        code = _code(path, cached)
        if code is None:
            continue
        group.append((name, entry, marshal.loads(code) if code else None))  # noqa: S302 - the code of an import
        if len(group) == GROUP:
            yield group
            group = []
    yield group


def _styles(cache: StartupCache, found: Files) -> Styles:
    """The parsed style sheets; none if the modules that parse them were not loaded from the file, or have
    changed since.
    """
    kept = {name: entry[0] for name, entry in cache.modules.items() if parses_styles(name)}
    if any(map(parses_styles, found)) or not all(_is_current(cache, *one) for one in kept.items()):
        return {}, {}
    return cache.new_styles() or cache.styles


def _is_current(cache: StartupCache, name: str, path: str) -> bool:
    entry = cache.modules.get(name)
    return entry is not None and entry[3] == last_screen.state_of(path)


def _files(names: Iterable[str]) -> Files:
    """The files of modules; those loaded from the cache file, or whose code has not run, are left out."""
    found: Files = {}
    for name in names:
        module = sys.modules.get(name)
        if isinstance(module, LateModule):
            continue
        spec = getattr(module, "__spec__", None)
        if spec is None or spec.name != name or not spec.origin or isinstance(spec.loader, CachedLoader):
            continue
        is_package = spec.submodule_search_locations is not None
        if isinstance(spec.loader, ExtensionFileLoader):
            found[name] = spec.origin, "", is_package
        elif isinstance(spec.loader, SourceFileLoader) and spec.cached and os.path.exists(spec.cached):  # noqa: PTH110
            found[name] = spec.origin, spec.cached, is_package
    return found


def _code(path: str, cached: str) -> bytes | None:
    """The marshalled code of a module, if its .pyc file is up to date with the source."""
    if not cached:
        return b""
    try:
        source, data = Path(path).stat(), Path(cached).read_bytes()
    except OSError:
        return None
    made_of = (int(source.st_mtime) & 0xFFFFFFFF, source.st_size & 0xFFFFFFFF)
    flags, time, size = (int.from_bytes(data[place : place + 4], "little") for place in (4, 8, 12))
    return data[_HEAD:] if data[:4] == MAGIC_NUMBER and flags == 0 and (time, size) == made_of else None


def _write(file: Path, modules: Modules, others: tuple[Patterns, Sources, Styles], codes: bytearray) -> None:
    index = marshal.dumps((modules, *others))
    private_folder(file.parent)
    temporary = file.with_suffix(f".{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(startup_cache.head(len(index), len(codes)))
            out.write(index)
            out.write(codes)
            out.flush()
            os.fsync(descriptor)  # the size in the head would not reveal a partly written file
        temporary.replace(file)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise
