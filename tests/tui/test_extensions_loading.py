"""Which extensions are loaded, and what prevents an extension from being loaded."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from narrowcast.cli.main import main
from narrowcast.extensions.loading import FoundExtension, load_all
from narrowcast.extensions.search import has_extensions
from support.extensions import EXAMPLES, example, write

HELLO = """
from narrowcast.extend import Extension
extension = Extension("hello", "Says hello")
"""
WITH_SETTINGS = """
from dataclasses import dataclass
from narrowcast.extend import Extension

@dataclass
class Settings:
    count: int = 3
    word: str = "x"

    def __post_init__(self) -> None:
        if self.count > 9:
            raise ValueError("count is at most 9")

extension = Extension("hello", "Says hello", settings=Settings)
"""


def one(folder: Path, **settings: object) -> FoundExtension:
    (found,) = load_all(folder, {"hello": settings})
    return found


def test_a_file_is_loaded_with_the_settings_of_its_name(tmp_path: Path) -> None:
    found = one(write(tmp_path / "e", hello=WITH_SETTINGS), count=7)
    assert (found.name, found.problem, found.settings.count) == ("hello", "", 7)  # type: ignore[attr-defined]
    assert not list((tmp_path / "e").glob("__pycache__"))


@pytest.mark.parametrize(
    ("source", "settings", "problem"),
    [
        (WITH_SETTINGS, {"count": "many"}, "extensions.hello.count: Input should be a valid integer"),
        (WITH_SETTINGS, {"colour": 1}, "extensions.hello.colour: there is no such setting"),
        (WITH_SETTINGS, {"count": 10}, "extensions.hello.count is at most 9"),
        (WITH_SETTINGS, {"enabled": 3}, "extensions.hello.enabled: must be true or false"),
        (HELLO, {"count": 1}, "extensions.hello.count: there is no such setting"),
        ("import nowhere_to_be_found", {}, "ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        ("raise SystemExit(3)", {}, "SystemExit: 3"),
        ("def (", {}, "SyntaxError: "),
        ("x = 1", {}, "ValueError: the file does not define 'extension'"),
        ("extension = 1", {}, "'extension' is not an Extension of narrowcast.extend"),
        (HELLO.replace('"hello"', '"Hello!"'), {}, "ValueError: 'Hello!' is not a name"),
    ],
)
def test_errors_of_an_extension_are_reported(
    tmp_path: Path, source: str, settings: dict[str, object], problem: str
) -> None:
    assert one(write(tmp_path / "e", hello=source), **settings).problem.startswith(problem)


def test_an_extension_that_never_finishes_loading_does_not_delay_the_others(tmp_path: Path) -> None:
    hanging = "import threading\nthreading.Event().wait(30)"
    folder = write(tmp_path / "e", a_hanging=hanging, hello=HELLO)
    found = load_all(folder, {}, seconds=1.0)
    assert [(each.name, bool(each.problem)) for each in found] == [("a_hanging", True), ("hello", False)]


def test_of_two_extensions_with_one_name_only_one_is_loaded(tmp_path: Path) -> None:
    found = load_all(write(tmp_path / "e", a=HELLO, b=HELLO), {})
    assert [each.problem for each in found] == ["", "there is another extension named hello"]


def test_a_setting_leaves_an_extension_out(tmp_path: Path) -> None:
    found = one(write(tmp_path / "e", hello=HELLO), enabled=False)
    assert (found.enabled, found.problem) == (False, "")


@pytest.mark.parametrize(("mode", "what"), [(0o620, "hello.py"), (0o602, "hello.py")])
def test_a_file_that_others_can_write_is_not_run(tmp_path: Path, mode: int, what: str) -> None:
    folder = write(tmp_path / "e", hello=f"open({str(tmp_path / 'ran')!r}, 'w').close()")
    (folder / "hello.py").chmod(mode)
    assert one(folder).problem == (
        f"{folder / what} can be written by other users; run: chmod go-w {folder / what}"
    )
    assert not (tmp_path / "ran").exists()


def test_a_folder_that_others_can_write_is_not_read(tmp_path: Path) -> None:
    folder = write(tmp_path / "e", hello=HELLO)
    folder.chmod(0o770)
    assert one(folder).problem.endswith(f"run: chmod go-w {folder}")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_somebody_else_is_not_run(tmp_path: Path) -> None:
    folder = write(tmp_path / "e", hello=HELLO)
    os.chown(folder / "hello.py", 12345, -1)
    assert "belongs to another user" in one(folder).problem


def test_a_link_is_judged_by_what_it_leads_to(tmp_path: Path) -> None:
    target = write(tmp_path / "shared", hello=HELLO)
    folder = write(tmp_path / "e")
    (folder / "hello.py").symlink_to(target / "hello.py")
    assert one(folder).problem == ""
    target.chmod(0o777)
    assert "can be written by other users" in one(folder).problem


def package(folder: Path, source: str) -> None:
    """An installed package with an entry point."""
    info = folder / "narrowcast_hello-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: narrowcast-hello\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text("[narrowcast.extensions]\nhello = narrowcast_hello:extension\n")
    (folder / "narrowcast_hello.py").write_text(source)


def test_entry_points_of_packages_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not has_extensions(tmp_path / "none", [str(tmp_path)])
    package(tmp_path, HELLO)
    assert has_extensions(tmp_path / "none", [str(tmp_path)])
    monkeypatch.syspath_prepend(str(tmp_path))
    (found,) = load_all(tmp_path / "none", {})
    assert (found.name, found.source) == ("hello", "narrowcast_hello:extension (narrowcast-hello 1.2)")
    monkeypatch.delitem(sys.modules, "narrowcast_hello")


def test_doctor_lists_them_with_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("TERM", "xterm-256color")
    config = tmp_path / "config" / "narrowcast"
    write(config / "extensions", hello=HELLO, broken="1 / 0", tickets=example("tickets"))
    (config / "config.toml").write_text("[extensions.hello]\nenabled = false\n[extensions.gone]\n")
    assert main(["doctor", "--offline", "--json"]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    said = [(line["level"], line["text"].split(" (")[0]) for line in lines if line["area"] == "extensions"]
    assert said == [
        ("problem", "broken: ZeroDivisionError: division by zero"),
        ("note", "hello: not enabled"),
        ("ok", "tickets: Tickets as cards"),
        ("note", "gone: has settings, but no such extension was found"),
    ]
    assert main(["doctor", "--offline", "--json", "--no-extensions"]) == 0
    assert "extensions" not in capsys.readouterr().out


def test_every_example_loads(tmp_path: Path) -> None:
    sources = {path.stem: path.read_text() for path in EXAMPLES.glob("*.py")}
    found = load_all(write(tmp_path / "e", **sources), {})
    assert [(each.name, each.problem) for each in found] == [(name, "") for name in sorted(sources)]
    assert len(found) >= 4
