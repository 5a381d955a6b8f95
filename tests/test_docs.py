"""The documentation matches the code, and its links are valid."""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from narrowcast.cli.grammar import build_parser
from narrowcast.cli.parser import Parser
from narrowcast.config.config import Config
from narrowcast.config.config_file import CONFIG_KEYS, value_of
from narrowcast.config.config_load import parse
from narrowcast.extensions.loading import load_all
from narrowcast.keys.keymap import key_label
from narrowcast.keys.registry import by_id
from support.extensions import write
from support.tasks import tasks

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PACKAGES = ("api/narrowcast_api", "tui/narrowcast", "server/narrowcast_server")
PAGES = sorted(page for page in DOCS.rglob("*.md") if page.parent.name != "upstream")  # reports, not pages


def test_no_page_made_from_the_code_is_stale() -> None:
    checked = subprocess.run(
        [sys.executable, DOCS / "write_pages.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", ""), "run: make docs-pages"


def test_the_page_of_settings_has_each_default_as_it_is_written_in_the_file() -> None:
    page = (DOCS / "settings.md").read_text(encoding="utf-8")
    defaults = dict(re.findall(r"^\| `(\S+)` \| `(.*?)` \|", page, re.MULTILINE))
    keys = [one.key for listed in CONFIG_KEYS.values() for one in listed]
    shown = {key: tomllib.loads(f"value = {defaults[key]}")["value"] for key in keys}
    assert shown == {key: value_of(Config(), key) for key in keys}


def test_every_task_has_a_way_and_its_command_lines_are_understood() -> None:
    assert len(tasks()) > 110
    for task in tasks().values():
        assert task.app or task.line, task
        if task.line:
            program, *arguments = shlex.split(task.line.strip("`"))
            assert program == "narrowcast"
            build_parser().parse_args(arguments)


def test_every_task_is_done_by_a_test_in_a_terminal_or_by_its_command() -> None:
    """In `tests/e2e` the app runs in a terminal; a task without a way in the app may be tested anywhere."""
    mark = re.compile(r'^@pytest\.mark\.task\("(.+)"\)$', re.MULTILINE)
    done: dict[str, set[str]] = {}
    for file in (ROOT / "tests").rglob("test_*.py"):
        for name in mark.findall(file.read_text(encoding="utf-8")):
            done.setdefault(name, set()).add(file.parent.name)
    assert done.keys() - tasks().keys() == set(), "marks of tasks that docs/tasks.md does not have"
    undone = [
        name for name, task in tasks().items() if not done.get(name) or (task.app and "e2e" not in done[name])
    ]
    assert undone == [], "tasks that no test does"


def commands(parser: Parser) -> Iterator[Parser]:
    """Yields the parser and those of all commands below it."""
    yield parser
    for command in parser.commands.values():
        yield from commands(command)


def sections(manual: str) -> dict[str, str]:
    """Returns the sections of a manual page by their titles; each ends where the next one begins."""
    parts = re.split(r"^\.S[HS][ \n](.+)$", manual.replace("\\-", "-"), flags=re.MULTILINE)
    return {re.sub(r"\\f[BR]", "", title): text for title, text in zip(parts[1::2], parts[2::2], strict=True)}


def test_the_manual_page_has_every_command_and_option() -> None:
    manual = (DOCS / "narrowcast.1").read_text(encoding="utf-8")
    found = sections(manual)
    assert {"EXIT STATUS", "FILES", "ENVIRONMENT"} <= found.keys()
    for command in commands(build_parser()):
        text = found["OPTIONS" if command.prog == "narrowcast" else command.prog]
        described = set(re.findall(r"\\fB(-[^\\]+)", text))
        for action in command._actions:
            if action.help != argparse.SUPPRESS and action.dest != "help":
                assert described >= set(action.option_strings), (command.prog, action.option_strings)
    assert not [line for line in manual.splitlines() if line != line.rstrip()]


def anchors(page: Path) -> set[str]:
    """Returns the anchors of a page's headings."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title.replace("`", "")).strip().lower())
        for title in titles
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_page_and_its_heading(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target or target.startswith("pictures/"):
            continue
        name, _, anchor = target.partition("#")
        other = (page.parent / name).resolve() if name else page
        assert other.is_file(), target
        assert not anchor or anchor in anchors(other), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_table_has_its_head(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert re.match(r"\|.*\n\|[-:| ]+\|\n", table), table


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/first-change.md"])
def test_every_file_and_folder_that_the_pages_for_developers_name_is_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./-]+\.py|[\w-]+/[\w./-]+/)`", text))
    assert len(named) > 10
    roots = [ROOT, ROOT / "tests", *(ROOT / name for name in PACKAGES)]
    paths = [path for root in roots[1:] for path in root.rglob("*")]
    names = {path.name for path in paths}
    assert [name for name in sorted(named) if name.strip("/") not in names if not found(name, roots)] == []


def found(name: str, roots: Sequence[Path]) -> bool:
    """Whether a path is there below one of the folders."""
    return any((root / name).exists() for root in roots)


def test_every_picture_is_drawn_from_the_app() -> None:
    named = {
        name
        for page in PAGES
        for name in re.findall(r"\(pictures/([^)]+)\)", page.read_text(encoding="utf-8"))
    }
    assert named
    assert named <= {path.name for path in (ROOT / "screenshots").glob("*.svg")}


def test_every_file_that_a_page_includes_is_there() -> None:
    lines = [
        line
        for page in PAGES
        for line in page.read_text(encoding="utf-8").splitlines()
        if line.startswith("--8")
    ]
    assert lines
    for line in lines:  # a formatter of code in Markdown may break the mark
        found = re.fullmatch(r'--8<-- "([^"]+)"', line)
        assert found, line
        assert (ROOT / found[1]).is_file(), line


def test_nothing_tells_people_to_install_a_package_that_is_not_published() -> None:
    """Whoever registers the name would own those who follow."""
    told = re.compile(r"""(\binstall|\buvx|pipx run|uv run)\b.*\s["']?narrowcast(\[|["'`\s.]|$)""")
    for folder in ("api", "tui", "server", "assets", "docs", "examples"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".md", ".1", ".toml"}:
                lines = path.read_text(encoding="utf-8").splitlines()
                assert [line for line in lines if told.search(line)] == [], path


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    assert listed == {str(page.relative_to(DOCS)) for page in PAGES}


def test_the_examples_of_a_configuration_make_one() -> None:
    text = "".join(
        (DOCS / name).read_text(encoding="utf-8") for name in ("configuration.md", "notifications.md")
    )
    config = parse("\n".join(re.findall(r"```toml\n(.*?)```", text, re.DOTALL)), "docs")
    assert config.keys
    assert config.notifications.quiet
    assert config.notifications.command


@pytest.mark.parametrize("name", ["reading.md", "writing.md"])
def test_every_key_that_is_named_in_a_table_is_one_of_a_command(name: str) -> None:
    labels = {key_label(key) for command in by_id().values() for key in command.keys}
    rows = re.findall(r"^\| (`[^|]+) \|", (DOCS / name).read_text(encoding="utf-8"), re.MULTILINE)
    named = {key for row in rows for key in re.findall(r"`([^`]+)`", row)}
    assert named
    assert named <= labels


def test_the_extensions_of_the_guide_work(tmp_path: Path) -> None:
    text = (DOCS / "extensions.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    first, settings = (block for block in blocks if "extension = " in block)
    table = parse(re.findall(r"```toml\n(.*?)```", text, re.DOTALL)[0], "extensions.md")
    (hello,) = load_all(write(tmp_path / "first", hello=first), {})
    assert hello.problem == ""
    assert hello.extension is not None
    assert [slash.word for slash in hello.extension.slashes] == ["shrug"]
    assert hello.extension.slashes[0].function(None, "no idea") == r"no idea ¯\_(ツ)_/¯"
    (hello,) = load_all(write(tmp_path / "second", hello=settings), table.extensions)
    assert (hello.problem, hello.settings.greeting) == ("", "Good morning")  # type: ignore[attr-defined]
    (hello,) = load_all(tmp_path / "second", {"hello": {"greeting": ""}})
    assert hello.problem == "extensions.hello.greeting is empty"
    assert list(table.keys) == ["extension.hello.say"]


def test_the_workflows_of_the_forge_run_targets_that_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    workflows = [file.read_text(encoding="utf-8") for file in (ROOT / ".github/workflows").glob("*.yml")]
    called = {target for text in workflows for target in re.findall(r"run: make ([a-z-]+)", text)}
    assert called >= {"lint", "test", "docs", "packages", "test-newest", "soak"}
    assert called <= targets
