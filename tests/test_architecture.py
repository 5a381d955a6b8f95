"""What each package may import, in addition to the contracts in pyproject.toml, and what only some starts import."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from structure import PACKAGES, ROOT, arrows, callables_of_constructors, circles

WEB = {"httpx2", "httpcore2", "websockets", "requests", "urllib.request", "http"}
INPUT_OUTPUT = WEB | {"sqlite3", "socket", "ssl", "subprocess", "threading", "tempfile", "shutil", "os"}
LIVE = {
    "narrowcast_api.client",
    "narrowcast_api.http.connection",
    "narrowcast_api.events",
    "narrowcast_api.sync",
}
HEAVY = {
    "websockets",
    "pydantic",
    "keyring",
    "PIL",
    "linkify_it",
    "pygments",
    "markdown",
    "starlette",
    "uvicorn",
    "selectolax",
    "textual_image",
    "narrowcast_server",
}


def imports_of(path: Path) -> Iterator[tuple[str, bool]]:
    """Yields each module that a file imports, and whether the import is at the top level of the file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, id(node) in top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module, id(node) in top


def files_of(package: str, part: str = "") -> Iterator[Path]:
    return (PACKAGES[package] / part).rglob("*.py")


def offenders(package: str, forbidden: set[str], part: str = "") -> list[str]:
    """Returns the imports of a package, or of a part of it, that are a forbidden module or inside one."""
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files_of(package, part)
        for name, _ in imports_of(path)
        if any(name == module or name.startswith(f"{module}.") for module in forbidden)
    ]


def api(*modules: str) -> set[str]:
    return {f"narrowcast_api.{module}" for module in modules}


def test_http_is_known_where_requests_are_made_and_nowhere_else() -> None:
    speaking = {
        str(path.relative_to(PACKAGES["narrowcast_api"]))
        for path in files_of("narrowcast_api")
        if any(name.split(".")[0] in WEB for name, top in imports_of(path) if top)
    }
    assert speaking == {
        "client.py",
        "http/addresses.py",
        "http/http_client.py",
        "http/tls.py",
        "http/connection.py",
        "http/decoding.py",
        "http/transport.py",
        "events/websocket.py",
        "files/downloads.py",
        "files/tus.py",
    }


@pytest.mark.parametrize(
    ("part", "forbidden"),
    [
        ("state", INPUT_OUTPUT | {"asyncio"} | LIVE | api("routes", "files", "storage", "protocols")),
        ("protocols", INPUT_OUTPUT | api("http.connection", "sync", "files")),
        ("wire", INPUT_OUTPUT | {"asyncio"} | LIVE | api("routes", "files", "storage", "protocols", "state")),
        (
            "routes",
            (INPUT_OUTPUT | LIVE | api("storage", "protocols", "state")) - api("http.connection", "client"),
        ),
        (
            # A connection only as a type: the state, which they are part of, is loaded without the network.
            "resources",
            (INPUT_OUTPUT | {"asyncio"} | LIVE | api("routes", "files", "storage", "protocols", "state"))
            - api("http.connection"),
        ),
        ("storage", WEB | LIVE | api("routes", "files", "protocols")),
        ("files", {"sqlite3"} | api("sync", "events", "storage", "protocols", "state")),
    ],
)
def test_each_part_of_the_api_keeps_to_its_subject(part: str, forbidden: set[str]) -> None:
    assert list(files_of("narrowcast_api", part))
    assert offenders("narrowcast_api", forbidden, part) == []


def test_only_the_commands_demo_and_serve_import_the_server_and_only_when_they_run() -> None:
    found = {
        (str(path.relative_to(PACKAGES["narrowcast"])), top)
        for path in files_of("narrowcast")
        for name, top in imports_of(path)
        if name.split(".")[0] == "narrowcast_server"
    }
    assert not [where for where, top in found if top]
    assert {where for where, _ in found} <= {"cli/main.py", "cli/demo.py", "cli/serve.py"}


@pytest.mark.parametrize(
    "module",
    [
        "narrowcast",
        "narrowcast.cli.main",
        "narrowcast.app.app",
        "narrowcast_api",
        "narrowcast_api.narrow.narrow",
    ],
)
def test_nothing_heavy_is_imported_that_most_starts_do_not_use(module: str) -> None:
    program = f"import sys, {module}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert HEAVY & set(result.stdout.split()) == set()


@pytest.mark.parametrize("module", ["narrowcast.cli.main", "narrowcast_api.narrow.narrow"])
def test_the_command_line_and_the_values_of_the_library_load_neither_http_nor_the_app(module: str) -> None:
    program = f"import sys, {module}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {"httpx2", "textual", "rich"} & set(result.stdout.split()) == set()


def test_the_state_is_loaded_without_the_network() -> None:
    program = "import sys, narrowcast_api.state.state; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {"asyncio", "httpx2", "narrowcast_api.http.connection"} & set(result.stdout.split()) == set()


def test_no_files_import_each_other_in_a_circle() -> None:
    assert list(circles(arrows())) == []


def test_the_servers_routes_leave_the_database_to_queries_and_actions() -> None:
    routes = list(files_of("narrowcast_server", "routes"))
    assert routes
    assert [path.name for path in routes if ".store." in path.read_text(encoding="utf-8")] == []


def test_a_file_with_operations_in_the_folder_of_a_resource_leaves_the_database_to_the_files_beside_it() -> (
    None
):
    texts = {
        f"{path.parent.name}/{path.name}": path.read_text(encoding="utf-8")
        for path in files_of("narrowcast_server", "resources")
        if path.parent.name != "resources"
    }
    operations = [name for name, text in texts.items() if "routes = Routes()" in text]
    assert operations
    assert [name for name in operations if ".store." in texts[name]] == []


def test_in_a_resource_the_functions_that_see_the_request_leave_the_database_to_the_others() -> None:
    """So that each query and action can be called by scheduled tasks, the demo and the archives too."""
    resources = list(files_of("narrowcast_server", "resources"))
    assert resources
    queries_in_routes = [
        f"{path.name}: {function.name}"
        for path in resources
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and any(ast.unparse(argument.annotation or argument) == "Call" for argument in function.args.args)
        and ".store." in ast.unparse(function)
    ]
    assert queries_in_routes == []


def imported_names(statements: Sequence[ast.stmt]) -> set[tuple[str | None, str]]:
    return {
        (statement.module if isinstance(statement, ast.ImportFrom) else None, alias.asname or alias.name)
        for statement in statements
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for alias in statement.names
    }


def test_nothing_is_imported_for_types_that_is_imported_anyway() -> None:
    twice = []
    for path in (path for package in PACKAGES for path in files_of(package)):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for statement in body:
            if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
                both = imported_names(body) & imported_names(statement.body)
                twice += [f"{path.relative_to(ROOT)} imports {name}" for _, name in sorted(both, key=str)]
    assert twice == []


def test_whoever_catches_everything_says_why() -> None:
    """`except BaseException` also stops cancellations and the end of the program."""
    without = [
        f"{path.relative_to(ROOT)}:{number}"
        for package in PACKAGES
        for path in files_of(package)
        for number, (line, following) in enumerate(pairwise(path.read_text(encoding="utf-8").splitlines()), 1)
        if "except BaseException" in line and "#" not in line + following
    ]
    assert without == []


def test_style_sheets_are_files_beside_their_modules_and_only_single_rules_are_in_classes() -> None:
    reading, in_classes = set(), []
    for path in files_of("narrowcast"):
        text = path.read_text(encoding="utf-8")
        if "style_sheet(__name__)" in text:
            reading.add(path.with_suffix(".tcss"))
        for rules in re.findall(r'CSS = f?"""(.*?)"""', text, re.DOTALL):
            if len(re.findall(r" {+\s", rules)) > 1:
                in_classes.append(path.name)
    assert in_classes == []
    assert reading == set(PACKAGES["narrowcast"].rglob("*.tcss"))


def test_no_constructor_takes_more_than_two_functions() -> None:
    """What an object needs is passed as objects and called by name, so that a reader can follow it."""
    assert [name for name, count in callables_of_constructors().items() if count > 2] == []
