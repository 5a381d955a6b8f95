"""The private parts of Textual that the app reads are there and mean what it takes them for; nobody else reads any,
and nobody replaces a part of a library.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from inspect import getsource, unwrap
from itertools import chain
from pathlib import Path
from re import match
from types import CodeType, FunctionType
from typing import Protocol

import pytest
from textual.app import App
from textual.binding import Binding
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import AppBlur
from textual.filter import Monochrome
from textual.geometry import Offset
from textual.screen import Screen
from textual.widgets import Input

import narrowcast
import narrowcast_api
import narrowcast_assets
import narrowcast_server
from narrowcast.terminal import textual_reads as reads
from support.small_apps import Layers, OnScreen

MAY_READ = {"narrowcast/terminal/textual_fixes.py", "narrowcast/terminal/textual_reads.py"}
OWN = ("narrowcast", "narrowcast_api", "narrowcast_assets", "narrowcast_server", "__future__")
PUBLIC = {"_replace", "_asdict", "_fields", "_exit"}
"""Names of the standard library that are documented, although they begin with an underscore."""
ALLOWED = {
    "narrowcast/cli/streams.py": [
        "sets an attribute of sys",
        "sets an attribute of sys",
    ],  # stdout and stderr
    "narrowcast/extensions/loading.py": [
        "writes sys.modules",
        "writes sys.modules",
    ],  # an extension, by its own name
    "narrowcast/terminal/images.py": ["assigns to sys", "assigns to sys"],
    "narrowcast_server/serve.py": ["assigns to tempfile"],  # `tempdir`, as its documentation says
}


def sources() -> Iterator[tuple[str, str]]:
    """The name and the source of each module of the four packages."""
    for package in (narrowcast, narrowcast_api, narrowcast_assets, narrowcast_server):
        folder = Path(package.__file__ or "").parent
        for path in folder.rglob("*.py"):
            yield str(path.relative_to(folder.parent)), path.read_text(encoding="utf-8")


def root_of(node: ast.AST) -> str:
    """The name with which an expression begins."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def dotted(node: ast.AST) -> str:
    """An expression without what is called or indexed, such as `sys.modules.pop`."""
    while isinstance(node, ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def own_names(nodes: Sequence[ast.AST]) -> set[str]:
    """The attributes that a module's own classes define or assign."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                    found.add(part.name)
                elif isinstance(part, ast.Assign | ast.AnnAssign):
                    targets = part.targets if isinstance(part, ast.Assign) else [part.target]
                    found |= {target.id for target in targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
    return found


def of_libraries(nodes: Sequence[ast.AST]) -> set[str]:
    """The names of modules and classes of libraries in a module."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {
                (each.asname or each.name).split(".")[0] for each in node.names if not is_own(each.name)
            }
        elif isinstance(node, ast.ImportFrom) and not node.level and not is_own(node.module or ""):
            found |= {each.asname or each.name for each in node.names}
    return found


def is_own(module: str) -> bool:
    return module.split(".")[0] in OWN


def taken_liberties(source: str) -> list[str]:
    """What a module does with libraries that it should not."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, OF_INTEREST)]
    names, libraries = own_names(nodes), of_libraries(nodes)
    return sorted(chain.from_iterable(liberties_of(node, names, libraries) for node in nodes))


OF_INTEREST = (
    ast.Attribute | ast.Call | ast.ClassDef | ast.Constant | ast.Import | ast.ImportFrom | ast.Subscript
)


def liberties_of(node: ast.AST, names: set[str], libraries: set[str]) -> Iterator[str]:
    if isinstance(node, ast.Constant):
        named = match(r"(\w+)\._[a-zA-Z]", node.value) if isinstance(node.value, str) else None
        if named is not None and named[1] in libraries | {"textual"}:
            yield f"names {named.string}"
    elif isinstance(node, ast.Import | ast.ImportFrom):
        modules = [each.name for each in node.names]
        if isinstance(node, ast.ImportFrom):
            modules = [f"{node.module}.{name}" for name in modules]
        if {"importlib.metadata.version", "importlib.metadata"} & {*modules} or "__version__" in " ".join(
            modules
        ):
            yield "asks for a version"
        yield from (
            f"imports {name}" for name in modules if "._" in name.replace(".__", ".") and not is_own(name)
        )
    elif isinstance(node, ast.Call):
        yield from liberties_of_call(node)
    elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        if dotted(node.value).startswith("sys.modules"):
            yield "writes sys.modules"
        elif root_of(node) in libraries:
            yield f"assigns to {root_of(node)}"
    elif isinstance(node, ast.Attribute) and node.attr == "__version__":
        yield "asks for a version"
    elif isinstance(node, ast.Attribute) and is_private_read(node, names):
        yield f"reads {ast.unparse(node)}"


def is_private_read(node: ast.Attribute, names: set[str]) -> bool:
    is_others = isinstance(node.value, ast.Attribute) or root_of(node.value) not in {"self", "cls"}
    return is_private(node.attr) and node.attr not in names | PUBLIC and is_others


def is_private(name: str) -> bool:
    return (
        name.startswith("_") and not name.startswith("__") and not name.endswith("_")
    )  # `_` and enum's `_name_`


def liberties_of_call(node: ast.Call) -> Iterator[str]:
    called = dotted(node.func)
    if called in {"getattr", "hasattr", "attrgetter"}:
        names = [str(each.value) for each in node.args if isinstance(each, ast.Constant)]
        yield from (f"reads {name}" for name in names if is_private(name))
    if called.split(".")[-1] in {"setattr", "delattr", "force_setattr", "__setattr__", "__delattr__"}:
        yield from (f"sets an attribute of {owner}" for owner in [root_of(node.args[0])] if owner != "self")
    for written in ("sys.modules", "sys.meta_path", "sys.path_hooks"):
        methods = ("setdefault", "update", "pop", "__setitem__", "insert", "append", "remove", "clear")
        if called in {f"{written}.{method}" for method in methods}:
            yield f"writes {written}"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from textual._compositor import Compositor", "imports textual._compositor.Compositor"),
        ("from textual import _callback", "imports textual._callback"),
        ("from textual.widgets._toast import Toast", "imports textual.widgets._toast.Toast"),
        ("import textual._time", "imports textual._time"),
        ("import_module('textual._time')", "names textual._time"),
        (
            "import argparse; Commands = 'argparse._SubParsersAction[Parser]'",
            "names argparse._SubParsersAction[Parser]",
        ),
        ("from asyncio import _get_running_loop", "imports asyncio._get_running_loop"),
        ("def f(app): return getattr(app, '_driver')", "reads _driver"),
        ("import textual; is_new = textual.__version__ >= '8.3'", "asks for a version"),
        ("from textual import __version__", "asks for a version"),
        ("from importlib.metadata import version", "asks for a version"),
        ("from importlib import metadata", "asks for a version"),
        ("def f(self): return self.app._driver", "reads self.app._driver"),
        ("def _actions(parser): yield from parser._actions", "reads parser._actions"),
        ("import sys; sys.modules['a'] = b", "writes sys.modules"),
        ("import sys; del sys.modules['a']", "writes sys.modules"),
        ("import sys; sys.modules.setdefault('a', b)", "writes sys.modules"),
        ("import sys; sys.meta_path.insert(0, a)", "writes sys.meta_path"),
        ("from textual.strip import Strip; Strip.crop = a", "assigns to Strip"),
        ("from textual.strip import Strip; del Strip.crop", "assigns to Strip"),
        ("import textual; textual.app.App.run = a", "assigns to textual"),
        ("import re; re.compile: object = a", "assigns to re"),
        ("import re; re.MAX += 1", "assigns to re"),
        ("import re; re.a, b = c", "assigns to re"),
        ("from re import sub\nfor sub.x in a: pass", "assigns to sub"),
        ("from a import B; setattr(B, 'c', d)", "sets an attribute of B"),
        ("for owner, name, new in a: setattr(owner, name, new)", "sets an attribute of owner"),
        ("from a import B; type.__setattr__(B, 'c', d)", "sets an attribute of B"),
        ("def f(app): return app._driver", "reads app._driver"),
        ("def f(widget): widget.app._x.y()", "reads widget.app._x"),
    ],
)
def test_each_form_is_found(source: str, found: str) -> None:
    assert found in taken_liberties(source)


def test_nobody_replaces_a_part_of_a_library_and_two_modules_use_private_ones() -> None:
    """And nobody asks for the version of a library: another one does not make it another program."""
    found = {name: taken_liberties(source) for name, source in sources() if name not in MAY_READ}
    assert {name: taken for name, taken in found.items() if taken} == ALLOWED


def private_names(kind: type) -> set[str]:
    """The private attributes that the methods of a class name, and these methods; not those that are inherited."""
    parts = [getattr(part, "fget", None) or getattr(part, "__func__", part) for part in vars(kind).values()]
    methods = [
        part for part in parts if isinstance(part, FunctionType) and part.__module__ == kind.__module__
    ]
    codes = [unwrap(part).__code__ for part in methods]
    found = {code.co_name for code in codes}
    while codes:
        code = codes.pop()
        found.update(code.co_names)
        codes += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    return {name for name in found if is_private(name)} - PUBLIC


def test_no_subclass_uses_or_overrides_a_private_part_of_its_base() -> None:
    """Also not by chance, with a name that the base has too."""
    found, of_bases = [], cache(private_names)
    for name in dict(sources()).keys() - MAY_READ:
        if name.endswith("__main__.py"):
            continue
        module = import_module(name.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        for kind in vars(module).values():
            if isinstance(kind, type) and kind.__module__ == module.__name__:
                bases = [
                    base for base in kind.__mro__ if not is_own(base.__module__) and base is not Protocol
                ]
                taken = private_names(kind).intersection(*[set().union(*map(of_bases, bases))])
                found += [f"{name}: {kind.__name__}.{each}" for each in sorted(taken)]
    assert not found


def test_the_modules_of_private_parts_replace_none_of_them() -> None:
    for name, source in sources():
        if name in MAY_READ:
            found = {text for text in taken_liberties(source) if not text.startswith(("reads", "imports"))}
            assert not found, name


async def test_what_is_read_of_a_running_app() -> None:
    app = Layers()
    async with app.run_test(notifications=True) as pilot:
        await pilot.pause()
        assert reads.driver_of(app) is not None
        assert not reads.writes_frames(app)  # it is headless, but else all of it is there
        app.notify("one")
        app.notify("two")
        await pilot.pause()
        assert [notice.message for notice in reads.notices_of(app)] == ["one", "two"]
        app.cursor_position += Offset(1, 0)
        assert reads.moves_cursor(app)
        reads.add_line_filter(app, Monochrome())
        assert isinstance(app.screen.get_line_filters()[-1], Monochrome)


async def test_bindings_that_are_added_have_ids_and_run() -> None:
    app = OnScreen()
    async with app.run_test() as pilot:
        reads.add_bindings(app, [Binding("f7", "bell", id="test.bell")])
        app.set_keymap({"test.bell": "f8"})
        assert [active.binding.key for key, active in app.active_bindings.items() if key == "f8"] == ["f8"]
        await pilot.pause()


async def test_the_focus_before_another_window_had_it_is_known() -> None:
    class WithField(OnScreen):
        def compose(self):  # type: ignore[no-untyped-def]
            yield Input()

    app = WithField()
    async with app.run_test() as pilot:
        field = app.query_one(Input)
        field.focus()
        await pilot.pause()
        app.post_message(AppBlur())
        await pilot.pause()
        assert app.focused is None
        assert reads.focused_before(app) is field


async def test_a_screen_below_the_one_on_top_is_removed() -> None:
    app = OnScreen()
    async with app.run_test() as pilot:
        below, top = Screen[None](), Screen[None]()
        await app.push_screen(below)
        await app.push_screen(top)
        await reads.remove_from_stack(below)
        await pilot.pause()
        assert below not in app.screen_stack
        assert app.screen is top


async def test_each_frame_passes_through_one_method_of_the_app() -> None:
    """`OnScreen` overrides it, as the app does."""
    app = OnScreen()
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "below" in app.shown


async def test_each_error_of_a_handler_passes_through_one_method_of_the_app() -> None:
    found = []

    class Failing(App[None]):
        def on_key(self) -> None:
            raise LookupError

        def _handle_exception(self, error: Exception) -> None:
            found.append(type(error))
            super()._handle_exception(error)

    with pytest.raises(LookupError):
        async with Failing().run_test() as pilot:
            await pilot.press("a")
    assert found == [LookupError]


def test_the_driver_has_what_its_subclass_uses() -> None:
    assert {
        "_sigtstp_application",
        "_sigcont_application",
        "start_application_mode",
        "run_input_thread",
    } <= set(dir(LinuxDriver))
    source = getsource(Driver) + getsource(LinuxDriver)
    for name in (
        "_file",
        "_key_thread",
        "_writer_thread",
        "_must_signal_resume",
        "_auto_restart",
        "_app",
        "_loop",
    ):
        assert f"self.{name}" in source, name
