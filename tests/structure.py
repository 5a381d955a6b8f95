"""Prints the numbers of the project's structure, as quoted in ARCHITECTURE.md: `make structure`.

Imports count at the top of a file, inside functions, and for types alone.
"""

from __future__ import annotations

import ast
import asyncio
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {
    "narrowcast_api": ROOT / "api" / "narrowcast_api",
    "narrowcast": ROOT / "tui" / "narrowcast",
    "narrowcast_server": ROOT / "server" / "narrowcast_server",
    "narrowcast_assets": ROOT / "assets" / "narrowcast_assets",
}
SAME_LINES = 12
"""The most lines that two places may share."""
SHORT_DOCSTRING = 22
SHORT_FILE = 60
WITH_STATE = r"saved_?snippet"
STATELESS = r"(?<!enable_)(?<!send_)read_?receipt"
"""Two operations, as they are named in the code; not the settings whose names contain the same words."""


def modules() -> dict[str, Path]:
    """Returns every module of the product by its dotted name."""
    found = {}
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path, known: Mapping[str, Path]) -> Iterator[tuple[str, bool]]:
    """Yields the modules of the product that ``name`` imports, and whether the import is inside a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(name, path, node)
            targets = [
                f"{base}.{alias.name}" if f"{base}.{alias.name}" in known else base for alias in node.names
            ]
        else:
            continue
        for target in dict.fromkeys(targets):
            if target in known:
                yield target, id(node) in inside


def _absolute(name: str, path: Path, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    return ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])])


def arrows() -> dict[str, set[str]]:
    """Returns each module and those that it imports."""
    known = modules()
    return {name: {to for to, _ in imports(name, path, known) if to != name} for name, path in known.items()}


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Returns the import cycles (Tarjan's strongly connected components of more than one module)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    standing: set[str] = set()
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        standing.add(name)
        for target in graph[name]:
            if target not in order:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in standing:
                low[name] = min(low[name], order[target])
        if low[name] == order[name]:
            group: list[str] = []
            while not group or group[-1] != name:
                group.append(stack.pop())
                standing.discard(group[-1])
            if len(group) > 1:
                found.append(sorted(group))

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 4 * len(graph)))
    try:
        for name in graph:
            if name not in order:
                visit(name)
    finally:
        sys.setrecursionlimit(limit)
    return sorted(found, key=len, reverse=True)


def imports_in_functions() -> list[str]:
    """Returns each import of the product's own modules that is inside a function, as 'module imports module'."""
    known = modules()
    return [
        f"{name} imports {target}"
        for name, path in known.items()
        for target, is_inside in imports(name, path, known)
        if is_inside
    ]


def repeated_lines() -> list[str]:
    """Returns places that share more than `SAME_LINES` lines of code, without blank lines, comments and imports."""
    seen: dict[tuple[str, ...], str] = {}
    found: dict[str, None] = {}
    for name, path in modules().items():
        lines = [
            (number, line.strip())
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            if line.strip(" ()[]{},:") and not line.lstrip().startswith(("#", "import ", "from "))
        ]
        for start in range(len(lines) - SAME_LINES):
            window = tuple(text for _, text in lines[start : start + SAME_LINES + 1])
            here = f"{name}:{lines[start][0]}"
            other = seen.setdefault(window, here)
            if other != here:
                found.setdefault(f"{other.split(':')[0]} and {name}")
    return list(found)


def docstrings_and_functions() -> tuple[int, list[int]]:
    """Returns how many docstrings of members have at most `SHORT_DOCSTRING` characters; the lines of each
    function.
    """
    short = 0
    lengths = []
    for path in modules().values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lengths.append((node.end_lineno or node.lineno) - node.lineno + 1)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                text = node.value.value
                short += isinstance(text, str) and len(text) <= SHORT_DOCSTRING
    return short, lengths


def share_of_imports() -> float:
    """Returns the percentage of all lines that are import statements."""
    imported = total = 0
    for path in modules().values():
        text = path.read_text(encoding="utf-8")
        total += len(text.splitlines())
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                imported += (node.end_lineno or node.lineno) - node.lineno + 1
    return 100 * imported / total


def repeated_class_names() -> dict[str, list[str]]:
    """Returns the names of classes that several files define, with these files."""
    files: dict[str, list[str]] = {}
    for name, path in modules().items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                files.setdefault(node.name, []).append(name)
    return {name: where for name, where in files.items() if len(where) > 1}


def callables_of_constructors() -> dict[str, int]:
    """Returns how many functions each constructor takes, by class, as far as it takes any."""
    found = {}
    for name, path in modules().items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for of_class in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
            for function in of_class.body:
                if isinstance(function, ast.FunctionDef) and function.name == "__init__":
                    taken = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
                    types = [ast.unparse(one.annotation) for one in taken if one.annotation is not None]
                    if count := sum("Callable[" in annotation for annotation in types):
                        found[f"{name}.{of_class.name}"] = count
    return found


def knowing(words: str) -> dict[str, list[str]]:
    """Returns the files of each package that contain a pattern, such as the name of an operation."""
    pattern = re.compile(words, re.IGNORECASE)
    files: dict[str, list[str]] = {package: [] for package in PACKAGES}
    for name, path in modules().items():
        if pattern.search(path.read_text(encoding="utf-8")):
            files[name.split(".")[0]].append(name)
    return files


def _of_an_operation(words: str) -> str:
    files = knowing(words)
    client = len(files["narrowcast_api"]) + len(files["narrowcast"])
    return f"client {client}, server {len(files['narrowcast_server'])}"


def main() -> None:
    """Prints the numbers."""
    import message_way  # imports the app and the server, which other users of this module do not need

    trace = asyncio.run(message_way.traced())
    way = trace.way()
    known = modules()
    sizes = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in known.items()}
    groups = circles(arrows())
    short, lengths = docstrings_and_functions()
    inside = imports_in_functions()
    longest = max(sizes, key=lambda name: sizes[name])
    rows = [
        ("files", str(len(known))),
        ("lines", str(sum(sizes.values()))),
        (f"files of less than {SHORT_FILE} lines", str(sum(size < SHORT_FILE for size in sizes.values()))),
        ("imports, percentage of lines", f"{share_of_imports():.1f}"),
        ("class names that several files define", str(len(repeated_class_names()))),
        (
            "most functions that a constructor takes",
            str(max(callables_of_constructors().values(), default=0)),
        ),
        ("longest file", f"{longest} {sizes[longest]}"),
        ("lines of a function, median and most", f"{median(lengths):.0f}, {max(lengths)}"),
        ("import cycles of files", str(len(groups))),
        ("imports inside functions", str(len(inside))),
        (f"pairs of files that share more than {SAME_LINES} lines", str(len(repeated_lines()))),
        (f"docstrings of {SHORT_DOCSTRING} characters or less", str(short)),
        ("files of a message from socket to screen", str(len(way))),
        ("other files that receive it", str(len(trace.given) - len(way))),
        ("files of a stateful operation, saved snippets", _of_an_operation(WITH_STATE)),
        ("files of a stateless operation, read receipts", _of_an_operation(STATELESS)),
    ]
    lines = [f"{what:60} {number}" for what, number in rows]
    if "--all" in sys.argv:
        for group in groups:
            lines += ["", "circle:", *(f"  {name}" for name in group)]
        lines += ["", "inside functions:", *(f"  {line}" for line in inside)]
        lines += ["", "class names:"]
        lines += [f"  {name}: {', '.join(where)}" for name, where in sorted(repeated_class_names().items())]
        lines += ["", "functions that constructors take:"]
        lines += [f"  {count} {name}" for name, count in callables_of_constructors().items() if count > 2]
        lines += ["", "repeated:", *(f"  {line}" for line in repeated_lines())]
        lines += ["", "a message:", *(f"{'*' if name in way else ' '} {name}" for name in trace.given)]
    sys.stdout.write("\n".join([*lines, ""]))


if __name__ == "__main__":
    main()
