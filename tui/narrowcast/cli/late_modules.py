"""Modules whose code runs on first use; `narrowcast.cli.late_imports` lists them.

`importlib.util.LazyLoader` would run the code as soon as a module is imported a second time, or a name is taken from
it, as libraries do at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence, Set
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from threading import RLock
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from importlib.abc import Loader  # imports what is late

__all__ = ["Finder", "LateModule"]

_IMPORT_SYSTEM = {"importlib._bootstrap", "_frozen_importlib"}

_locks: dict[str, RLock] = {}
_running: set[str] = set()
_stand_ins: dict[str, _StandIns] = {}


class LateModule(ModuleType):
    """A module whose code has not run yet."""

    def __getattr__(self, name: str) -> object:
        if name in {"__path__", "__file__", "__cached__"}:  # set by the import if they exist
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        stand_in = _stand_ins[self.__name__].get(name, _library(sys._getframe(1)))
        if stand_in is not None:
            return stand_in
        _run(self, name)
        return getattr(self, name)

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("__") and not isinstance(value, ModuleType):
            _run(self, name)  # its code would replace the value
        ModuleType.__setattr__(self, name, value)


class LateClass(type):
    """The type of what stands for a class of a late module: in `isinstance`, as a base class, to create objects."""

    _module: ModuleType

    def __call__(cls, *args: Any, **named: Any) -> Any:
        if _stands_for_another(cls):
            return cls._real()(*args, **named)
        for each in cls.__mro__:
            if any(map(_stands_for_another, each.__bases__)):
                each.__bases__ = tuple(
                    base._real() if _stands_for_another(base) else base for base in each.__bases__
                )
        return super().__call__(*args, **named)

    def __getattr__(cls, name: str) -> Any:
        if not name.startswith("__"):
            for each in cls.__mro__:
                if _stands_for_another(each):
                    return getattr(each._real(), name)
        raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")

    def __instancecheck__(cls, value: object) -> bool:
        if not _stands_for_another(cls):
            return super().__instancecheck__(value)
        return type(cls._module) is not LateModule and isinstance(value, cls._real())

    def _real(cls) -> Any:
        _run(cls._module, cls.__name__)
        return vars(cls._module)[cls.__name__]


def _stands_for_another(each: type) -> TypeGuard[LateClass]:
    return "_module" in vars(each) and isinstance(each, LateClass)


class _StandIns:
    """What some libraries get instead of functions and classes of a module until its code has run."""

    def __init__(self, libraries: Set[str], names: Mapping[str, object]) -> None:
        self._libraries = libraries
        self._names = names

    def get(self, name: str, library: str) -> object | None:
        """What stands for ``name`` in a library; None if nothing does."""
        return self._names.get(name) if library in self._libraries else None


def _library(frame: FrameType | None) -> str:
    """The name of the package whose code runs in a frame, or has called the import system there."""
    while frame is not None and frame.f_globals.get("__name__") in _IMPORT_SYSTEM:
        frame = frame.f_back
    return "" if frame is None else str(frame.f_globals.get("__name__")).partition(".")[0]


def _late_function(module: ModuleType, name: str) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> Any:
        _run(module, name)
        return vars(module)[name](*args, **named)

    call.__name__ = call.__qualname__ = name
    return call


def _run(module: ModuleType, name: str) -> None:
    """Runs the code of a module, unless it has run. Raises AttributeError if it is running, without `name` so far."""
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

    def __init__(self, loader: Loader, libraries: Set[str], functions: Set[str], classes: Set[str]) -> None:
        self._loader = loader
        self._libraries = libraries
        self._functions = functions
        self._classes = classes

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        _locks[spec.name] = RLock()
        return LateModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader
        functions: dict[str, object] = {name: _late_function(module, name) for name in self._functions}
        classes = {name: LateClass(name, (), {"_module": module}) for name in self._classes}
        _stand_ins[module.__name__] = _StandIns(self._libraries, functions | classes)


class Finder:
    """Finds the modules ``late`` as the other finders do. ``functions`` and ``classes``, by module, can be taken from
    them by ``libraries`` before their code runs. ``needs``: by module, what it imports that is not always installed;
    without it, importing the module fails at once.
    """

    def __init__(
        self,
        late: Set[str],
        libraries: Set[str],
        functions: Mapping[str, Set[str]],
        classes: Mapping[str, Set[str]],
        needs: Mapping[str, str],
    ) -> None:
        self._late = late
        self._libraries = libraries
        self._functions = functions
        self._classes = classes
        self._needs = needs
        self._finding: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As in `importlib.abc.MetaPathFinder`."""
        needed = self._needs.get(name)
        if needed is not None and find_spec(needed) is None:
            raise ModuleNotFoundError(f"No module named {needed!r}", name=needed)
        if name not in self._late or name in self._finding:
            return None
        self._finding.add(name)
        try:
            spec = find_spec(name)
        finally:
            self._finding.discard(name)
        if spec is not None and spec.loader is not None:
            nothing: Set[str] = frozenset()
            functions, classes = self._functions.get(name, nothing), self._classes.get(name, nothing)
            spec.loader = _LateLoader(spec.loader, self._libraries, functions, classes)  # type: ignore[assignment]
        return spec
