"""Modules that one start has loaded are loaded from one file by the next, as long as they are unchanged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = r"""
import re
from dataclasses import dataclass
from typing import NamedTuple, get_type_hints
WORDS = re.compile(r"(?P<first>\w+)-(\w+)", re.IGNORECASE)
class Pair(NamedTuple):
    left: int
    right: "int | None" = None
@dataclass(frozen=True)
class Record:
    name: str
    pair: "Pair"
BYTES = re.compile(rb"[^\x00-\x1f]+$", re.MULTILINE)
SAID = "before"
"""
START = """
import json, os, sys
sys.path.insert(0, {modules!r})
from narrowcast.cli import startup_cache_writer, startup_cache
{before}
startup_cache.use()
startup_cache.use_sources()
made = startup_cache.of_this_start()
{program}
startup_cache.end()
startup_cache_writer.save()
print(json.dumps(answer))
"""
LOADS = """
import thing, package.inner
answer = [
    type(thing.__spec__.loader).__name__,
    type(package.inner.__spec__.loader).__name__,
    thing.SAID,
    thing.WORDS.fullmatch("Ab-c")["first"],
    thing.WORDS.flags,
    thing.BYTES.search(b"one\\ntwo").group().decode(),
    repr(thing.Record("a", thing.Pair(1))) + str(thing.get_type_hints(thing.Record)["pair"].__name__),
    len(made.new_sources) > 1,
    sorted(str(pattern) for pattern, _ in made.new_patterns if "first" in str(pattern) or "x1f" in str(pattern)),
    thing.__cached__ == __import__("importlib.util").util.cache_from_source(thing.__file__),
    package.__path__ == [os.path.dirname(package.__file__)],
]
"""
FILE = "start.code"


class Starts:
    """Runs programs as starts of the app, with their own cache."""

    def __init__(self, folder: Path) -> None:
        self.modules = folder / "modules"
        self.cache = folder / "cache"
        self.file = self.cache / "narrowcast" / FILE
        (self.modules / "package").mkdir(parents=True)
        (self.modules / "package" / "__init__.py").write_text("")
        (self.modules / "package" / "inner.py").write_text("")
        self.thing = self.modules / "thing.py"
        self.thing.write_text(MODULE)

    def run(self, program: str = LOADS, *, before: str = "", **environment: str) -> list[object]:
        env = {**os.environ, "XDG_CACHE_HOME": str(self.cache)}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        env |= environment
        source = START.format(modules=str(self.modules), before=before, program=program)
        result = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, env=env)
        assert result.returncode == 0, result.stderr
        found = json.loads(result.stdout)
        assert isinstance(found, list)
        return found


@pytest.fixture
def starts(tmp_path: Path) -> Starts:
    return Starts(tmp_path)


FOUND = ["before", "Ab", 34, "one", "Record(name='a', pair=Pair(left=1, right=None))Pair"]
"""The values that the module reports with any loader."""


def test_the_second_start_loads_from_the_file_what_the_first_has_loaded(starts: Starts) -> None:
    first = starts.run()
    assert first[:2] == ["SourceFileLoader", "SourceFileLoader"]
    assert first[2:8] == [*FOUND, True]
    assert len(first[8]) == 2  # type: ignore[arg-type]
    assert starts.file.stat().st_mode & 0o777 == 0o600
    assert starts.run() == ["CachedLoader", "CachedLoader", *FOUND, False, [], True, True]


def test_a_module_that_was_changed_is_loaded_as_it_is_now_and_kept_anew(starts: Starts) -> None:
    starts.run()
    state = starts.thing.stat()
    starts.thing.write_text(MODULE.replace("before", "after!"))
    os.utime(starts.thing, ns=(state.st_atime_ns, state.st_mtime_ns))  # the same size and time
    compiled = next((starts.modules / "__pycache__").glob("thing.*"))
    compiled.unlink()
    assert starts.run()[:3] == ["SourceFileLoader", "CachedLoader", "after!"]
    assert starts.run()[:3] == ["CachedLoader", "CachedLoader", "after!"]


def test_a_deleted_module_is_not_loaded_from_the_file(starts: Starts) -> None:
    starts.run()
    starts.thing.unlink()
    assert starts.run(
        """
try:
    import thing
    answer = ["loaded"]
except ModuleNotFoundError:
    answer = ["gone"]
"""
    ) == ["gone"]


def test_the_file_is_written_only_where_something_new_was_loaded_and_keeps_the_rest(starts: Starts) -> None:
    starts.run()
    written = starts.file.stat()
    starts.run("import package\nanswer = []")
    assert starts.file.stat().st_ino == written.st_ino
    (starts.modules / "more.py").write_text("")
    starts.run("import more\nanswer = []")
    assert starts.file.stat().st_ino != written.st_ino
    assert starts.run()[0] == "CachedLoader"
    names = sorted(path.name for path in starts.file.parent.iterdir())
    assert names == [FILE]


def test_what_is_loaded_after_the_start_is_not_kept_but_what_was_begun_is_loaded(starts: Starts) -> None:
    late = (
        "import package\nstartup_cache.end()\nimport thing\nanswer = [type(thing.__spec__.loader).__name__]"
    )
    starts.run(late)
    assert starts.run()[:2] == ["SourceFileLoader", "SourceFileLoader"]
    begun = (
        "from importlib.util import find_spec, module_from_spec\nspec = find_spec('thing')\nstartup_cache.end()\n"
        "thing = sys.modules['thing'] = module_from_spec(spec)\nspec.loader.exec_module(thing)\n"
        "import re, dataclasses\nanswer = [thing.SAID, type(spec.loader).__name__, re._compiler.compile.__module__]\n"
        "answer.append(any(hasattr(sys.modules[m], name) for m, name in startup_cache.COMPILING))"
    )
    assert starts.run(begun) == ["before", "CachedLoader", "re._compiler", False]


def spoil(starts: Starts, how: str) -> None:
    """Makes the file unusable."""
    data = starts.file.read_bytes()
    if how == "half":
        starts.file.write_bytes(data[: len(data) // 2])
    elif how == "another interpreter":
        starts.file.write_bytes(data.replace(sys.version.split()[0].encode(), b"3.99.9", 1))
    elif how == "nonsense":
        starts.file.write_bytes(b"\xff" * len(data))
    elif how == "nothing":
        starts.file.write_bytes(b"")
    elif how == "open to others":
        starts.file.chmod(0o644)
    elif how == "a link":
        starts.file.rename(starts.cache / "elsewhere")
        starts.file.symlink_to(starts.cache / "elsewhere")
    elif how == "a pipe":
        starts.file.unlink()
        os.mkfifo(starts.file, 0o600)


@pytest.mark.parametrize(
    "how", ["half", "another interpreter", "nonsense", "nothing", "open to others", "a link", "a pipe"]
)
def test_an_incomplete_or_foreign_file_is_not_used_but_rewritten(starts: Starts, how: str) -> None:
    starts.run()
    spoil(starts, how)
    assert starts.run()[:7] == ["SourceFileLoader", "SourceFileLoader", *FOUND]
    assert starts.run()[:7] == ["CachedLoader", "CachedLoader", *FOUND]


def test_if_reading_the_file_fails_the_modules_are_loaded_from_their_usual_files(starts: Starts) -> None:
    starts.run()
    fails = "def fails(*_):\n    raise OSError\nstartup_cache.os.pread = fails\n"
    assert starts.run(fails + LOADS) == ["CachedLoader", "CachedLoader", *FOUND, False, [], True, True]


def test_modules_are_kept_in_groups_of_which_one_may_be_loaded_without_the_others(starts: Starts) -> None:
    names = [f"part{number}" for number in range(40)]
    for name in names:
        (starts.modules / f"{name}.py").write_text(f"SAID = {name!r}")
    starts.run(f"import {', '.join(names)}\nanswer = []")
    (starts.modules / "part7.py").write_text("SAID = 'changed'")
    loads = f"""
found = [__import__(name) for name in {names[::-1]}]
answer = [[one.SAID for one in found], [type(one.__spec__.loader).__name__ for one in found]]
import importlib
answer.append(importlib.reload(sys.modules["part3"]).SAID)
"""
    said, loaders, again = starts.run(loads)
    assert said == ["changed" if name == "part7" else name for name in names[::-1]]
    assert isinstance(loaders, list)
    assert loaders.count("CachedLoader") == 39
    assert loaders[-8] == "SourceFileLoader"
    assert again == "part3"


def test_nothing_is_kept_where_python_is_to_write_no_code(starts: Starts) -> None:
    starts.run("answer = []")
    starts.file.unlink()
    assert starts.run("answer = [made is None]", PYTHONDONTWRITEBYTECODE="1") == [True]
    assert not starts.file.exists()


def test_an_invalid_pattern_raises_as_usual(starts: Starts) -> None:
    program = """
import re
answer = []
for wrong in ("(", ["x"], 5):
    try:
        re.compile(wrong)
    except (re.error, TypeError) as error:
        answer.append("error" if isinstance(error, re.error) else "TypeError")
"""
    assert starts.run(program) == ["error", "TypeError", "TypeError"]


def test_a_failed_write_of_the_file_does_not_end_the_app(starts: Starts) -> None:
    assert (
        starts.run("made.new_sources['x', 'exec'] = made.sources['x', 'exec'] = object()\nanswer = []") == []
    )
    assert not starts.file.exists()


def test_regex_flags_of_an_own_class_are_stored(starts: Starts) -> None:
    flags = "class Flags(int): pass\nimport re\nre._compiler.compile('a-b', Flags(re.I))\nanswer = []"
    starts.run(flags)
    assert starts.file.exists()


@pytest.mark.parametrize("elsewhere", ["Changed", "None"])
def test_a_python_with_a_different_re_module_starts_as_usual(starts: Starts, elsewhere: str) -> None:
    other = "class Changed:\n    compile = staticmethod(lambda pattern, flags=0: None)\n"
    assert starts.run("answer = [made is None]", before=f"{other}startup_cache.compiler = {elsewhere}") == [
        True
    ]
