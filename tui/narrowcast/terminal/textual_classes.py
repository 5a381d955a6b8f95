"""Replaces how Textual prepares each new class of widgets and screens, when this module is imported.

Textual collects reactive attributes, key bindings and `compute_` methods from all base classes again for each
class, by listing every attribute of each: 9 ms of a start. Here a class takes over what its base class has
collected and adds its own. Import this module before `textual.widget`, which creates the first classes.

It is based on the version in `textual_version`; if another one is installed, nothing is replaced.
"""

from __future__ import annotations

from typing import Any

from textual.binding import BindingsMap
from textual.dom import DOMNode
from textual.reactive import Reactive

from narrowcast.terminal.textual_version import is_as_read

__all__ = ["make_classes_lean"]

_prepare: Any = vars(DOMNode)["__init_subclass__"].__func__


def _has_one_base(new: type[DOMNode]) -> bool:
    """Whether ``new`` has only one base class, for which everything was collected before."""
    base = new.__mro__[1]
    return "_computes" in vars(base) and new.__mro__[1:] == base.__mro__


def _prepare_class(
    new: type[DOMNode],
    inherit_css: bool = True,
    inherit_bindings: bool = True,
    inherit_component_classes: bool = True,
) -> None:
    if not _has_one_base(new):
        _prepare(new, inherit_css, inherit_bindings, inherit_component_classes)
        return
    super(DOMNode, new).__init_subclass__()
    base: Any = new.__mro__[1]
    own = vars(new)
    new._reactives = base._reactives | {name: one for name, one in own.items() if isinstance(one, Reactive)}
    new._inherit_css = inherit_css
    new._inherit_bindings = inherit_bindings
    new._inherit_component_classes = inherit_component_classes
    styled_as = new._css_bases(new)
    new._css_type_name = styled_as[0].__name__
    new._css_type_names = frozenset(one.__name__ for one in styled_as)
    new._merged_bindings = _bindings(base._merged_bindings if inherit_bindings else None, own)
    new._computes = base._computes.union(
        name.lstrip("_")[8:] for name in own if name.startswith(("_compute_", "compute_"))
    )


def _bindings(inherited: BindingsMap | None, own: Any) -> BindingsMap:
    keys = {} if inherited is None else {key: list(ones) for key, ones in inherited.key_to_bindings.items()}
    if "BINDINGS" in own:
        keys.update(BindingsMap(own["BINDINGS"]).key_to_bindings)
    return BindingsMap.from_keys(keys)


def make_classes_lean() -> None:
    """Makes the creation of classes of widgets and screens faster."""
    setattr(DOMNode, "__init_subclass__", classmethod(_prepare_class))  # noqa: B010


if is_as_read():
    make_classes_lean()
