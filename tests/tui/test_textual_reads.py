"""The private parts of Textual that the app reads are there and mean what it takes them for; nobody else reads any,
and nobody replaces a part of a library.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from inspect import getsource
from itertools import chain
from pathlib import Path

import pytest
from textual.binding import Binding
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
    "narrowcast/cli/completion.py": ["reads argparse._SubParsersAction"],
    "narrowcast/cli/streams.py": [
        "sets an attribute of sys",
        "sets an attribute of sys",
    ],  # stdout and stderr
    "narrowcast/extensions/files.py": [
        "writes sys.modules",
        "writes sys.modules",
    ],  # an extension, by its own name
    "narrowcast/terminal/images.py": ["assigns to sys", "assigns to sys"],
    "narrowcast_server/markdown/links.py": ["reads re2._Regexp"],
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


def own_names(tree: ast.Module) -> set[str]:
    """The names that a module itself defines or assigns."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.id if isinstance(node, ast.Name) else node.attr)
    return found


def of_libraries(tree: ast.Module) -> set[str]:
    """The names of modules and classes of libraries in a module."""
    found = set()
    for node in ast.walk(tree):
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
    tree = ast.parse(source)
    names, libraries = own_names(tree), of_libraries(tree)
    return sorted(chain.from_iterable(liberties_of(node, names, libraries) for node in ast.walk(tree)))


def liberties_of(node: ast.AST, names: set[str], libraries: set[str]) -> Iterator[str]:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and node.value.startswith("textual._"):
            yield f"imports {node.value}"
    elif isinstance(node, ast.Import | ast.ImportFrom):
        modules = [each.name for each in node.names]
        if isinstance(node, ast.ImportFrom):
            modules = [f"{node.module}.{name}" for name in modules]
        yield from (f"imports {name}" for name in modules if name.startswith("textual.") and "._" in name)
    elif isinstance(node, ast.Call):
        yield from liberties_of_call(node)
    elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        if "sys.modules" in ast.unparse(node):
            yield "writes sys.modules"
        elif root_of(node) in libraries:
            yield f"assigns to {root_of(node)}"
    elif isinstance(node, ast.Attribute) and is_private_read(node, names):
        yield f"reads {ast.unparse(node)}"


def is_private_read(node: ast.Attribute, names: set[str]) -> bool:
    is_private = node.attr.startswith("_") and not node.attr.startswith("__")
    return is_private and node.attr not in names | PUBLIC and root_of(node.value) not in {"self", "cls"}


def liberties_of_call(node: ast.Call) -> Iterator[str]:
    called = ast.unparse(node.func)
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
        ("import_module('textual._time')", "imports textual._time"),
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
    found = {name: taken_liberties(source) for name, source in sources() if name not in MAY_READ}
    assert {name: taken for name, taken in found.items() if taken} == ALLOWED


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


def test_the_driver_has_what_its_subclass_uses() -> None:
    assert {
        "_sigtstp_application",
        "_sigcont_application",
        "start_application_mode",
        "run_input_thread",
    } <= set(dir(LinuxDriver))
    source = getsource(LinuxDriver)
    for name in ("_file", "_key_thread", "_writer_thread", "_must_signal_resume", "_auto_restart", "_app"):
        assert f"self.{name}" in source, name
