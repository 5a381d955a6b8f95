"""Runs all tests with the newest release of each dependency, also beyond the version bounds: ``make
test-newest``.

This detects a new Textual that breaks something before the bounds allow it. Releases beyond their bounds are
listed first. The environment is ``.venv-newest``; arguments are passed to pytest.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENVIRONMENT = ROOT / ".venv-newest"
PYTHON = ENVIRONMENT / "bin" / "python"
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?P<extras>\[[\w,-]+\])?(?P<bounds>.*)")

SAY_WHAT_IS_BEYOND = """
import sys
from importlib.metadata import requires, version
from packaging.requirements import Requirement
for text in requires("narrowcast") or ():
    wanted = Requirement(text)
    if wanted.name == "narrowcast":
        continue
    try:
        found = version(wanted.name)
    except Exception:
        continue
    if not wanted.specifier.contains(found, prereleases=True):
        print(f"beyond its bounds: {wanted.name} {found} (bounds: {wanted.specifier})")
"""


def unbounded() -> list[str]:
    """Returns the dependencies of the program and of its tests, without their bounds."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    names = set()
    for text in (*project["dependencies"], *extras["dev"], *extras["images"]):
        match = _REQUIREMENT.fullmatch(text)
        if match is not None and match["name"] != "narrowcast":
            names.add(match["name"] + (match["extras"] or ""))
    return sorted(names)


def pip(*arguments: str) -> None:
    command = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
    subprocess.run(command, check=True, cwd=ROOT)


def main(arguments: list[str]) -> int:
    """Returns the exit code of pytest."""
    if not PYTHON.exists():
        venv.create(ENVIRONMENT, with_pip=True)
    pip("install", "--upgrade", "--upgrade-strategy", "eager", "packaging", *unbounded())
    pip("install", "--no-deps", "--editable", ".")
    subprocess.run([str(PYTHON), "-c", SAY_WHAT_IS_BEYOND], check=True)
    tests = arguments or ["--numprocesses", "auto"]
    return subprocess.run([str(PYTHON), "-m", "pytest", "-q", *tests], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
