"""Builds sdist and wheel, and installs the wheel as users do: ``make packages``.

- Two builds from two copies of the sources, with other times and permissions, must be identical.
- The wheel contains what the program needs and nothing else; the sdist builds the same wheel.
- The wheel is installed into empty environments with pip, pipx and uv, with each installed Python from 3.11 on; a
  server is started from it, a message sent and read; then it is uninstalled, and nothing of the program may be left.

Prints what was tested, and what is not available here.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from support.processes import unpacked

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
MINORS = (11, 12, 13, 14)
NEEDED = (
    "narrowcast/py.typed",
    "narrowcast_api/py.typed",
    "narrowcast/extend/__init__.py",
    "narrowcast/screens/main/screen.tcss",
    "narrowcast_server/storage/schema.py",
    ".data/data/share/man/man1/narrowcast.1",
    "licenses/LICENSE",
    "entry_points.txt",
)
"""Ends of names that the wheel must contain."""
NEEDED_TO_BUILD = ("README.md", "LICENSE", "Makefile", "docs/narrowcast.1", "tests/conftest.py", "mkdocs.yml")
"""Files that the sdist must contain."""
FOLDERS = (
    ".config/narrowcast/",
    ".local/share/narrowcast/",
    ".cache/narrowcast/",
    ".local/state/narrowcast/",
)
"""The locations of files below the home directory, as in docs/privacy.md."""
TOOLS = {"pipx": ["pipx"], "uv": ["uv", "tool"]}
PATIENCE = 600.0
"""The time limit of one command, in seconds."""


class Failed(Exception):
    """An error message for the user of this script."""


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def run(*command: str | Path, **environment: str) -> str:
    """Returns the output of a command. Raises Failed with the end of the output."""
    done = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode:
        raise Failed(
            f"{' '.join(str(part) for part in command)}: exit code {done.returncode}\n{done.stdout[-2000:]}"
        )
    return done.stdout


# building


def build(source: Path, into: Path) -> tuple[Path, Path]:
    """Builds sdist and wheel from a copy of the sources."""
    run(sys.executable, "-m", "build", "--outdir", into, source)
    return next(into.glob("*.tar.gz")), next(into.glob("*.whl"))


def copy_of_sources(folder: Path, *, mode: int) -> Path:
    """Copies what is under version control, with other times and permissions, as on another machine."""
    names = run("git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    for name in filter(None, names):
        if not (ROOT / name).is_file():
            continue
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
        target.chmod(mode)
        os.utime(target, (mode * 1_000_000, mode * 1_000_000))
    return folder


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def build_twice(scratch: Path) -> Path:
    """Returns the wheel, once two builds are identical and complete; it is then in ``dist/``, with the sdist."""
    builds = [
        build(copy_of_sources(scratch / name, mode=mode), scratch / f"{name}-dist")
        for name, mode in (("one", 0o644), ("two", 0o600))
    ]
    for first, second in zip(*builds, strict=True):
        if digest(first) != digest(second):
            raise Failed(f"two builds of {first.name} differ")
        say(f"same bytes twice: {first.name} {digest(first)[:16]}")
    sdist, wheel = builds[0]
    source = unpacked(sdist, scratch / "unpacked")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", scratch / "again", source)
    if digest(next((scratch / "again").glob("*.whl"))) != digest(wheel):
        raise Failed("the sdist builds another wheel than the sources")
    say("the sdist builds the same wheel")
    check_wheel(wheel)
    missing = [name for name in NEEDED_TO_BUILD if not (source / name).is_file()]
    if missing:
        raise Failed(f"the sdist lacks {', '.join(missing)}")
    DIST.mkdir(exist_ok=True)
    for path in (sdist, wheel):
        shutil.copy(path, DIST)
    return wheel


def check_wheel(wheel: Path) -> None:
    """Raises Failed if a wheel lacks something, or contains something for developers."""
    names = zipfile.ZipFile(wheel).namelist()
    for end in NEEDED:
        if not any(name.endswith(end) for name in names):
            raise Failed(f"the wheel lacks {end}")
    tops = {name.split("/")[0] for name in names}
    packages = {"narrowcast", "narrowcast_api", "narrowcast_server", "narrowcast_assets"}
    strange = {
        top for top in tops - packages if not re.fullmatch(r"narrowcast-[\w.]+\.(dist-info|data)", top)
    }
    caches = [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    if strange or caches:
        raise Failed(f"the wheel has what nobody needs: {', '.join([*strange, *caches[:3]])}")
    say(f"the wheel has {len(names)} files, {wheel.stat().st_size // 1000} kB")


# installing


def interpreters() -> Iterator[tuple[str, str]]:
    """Returns each Python and its path; '' if it is not installed."""
    for minor in MINORS:
        places = [shutil.which(f"python3.{minor}") or ""]
        root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
        places += [str(path) for path in sorted(root.glob(f"3.{minor}.*/bin/python3"), reverse=True)]
        good = next((place for place in filter(None, places) if _works(place, minor)), "")
        yield f"3.{minor}", good


def _works(python: str, minor: int) -> bool:
    try:
        return run(python, "-c", "import sys; print(sys.version_info[1])").strip() == str(minor)
    except (Failed, OSError):
        return False


def install(how: str, python: str, wheel: Path, folder: Path) -> Path:
    """Installs the wheel; returns the path of the command."""
    if how == "pip":
        run(python, "-m", "venv", folder / "env")
        run(folder / "env/bin/python", "-m", "pip", "install", "--quiet", "--no-cache-dir", wheel)
        return folder / "env/bin/narrowcast"
    tool = [sys.executable, "-m", *TOOLS[how]]
    run(*tool, "install", "--quiet", "--python", python, wheel, **_places(folder))
    return folder / "bin/narrowcast"


def _places(folder: Path) -> dict[str, str]:
    """Environment variables with the folders of pipx and uv."""
    return {
        "HOME": str(folder),
        "PIPX_HOME": str(folder / "pipx"),
        "PIPX_BIN_DIR": str(folder / "bin"),
        "PIPX_MAN_DIR": str(folder / "man"),
        "UV_TOOL_DIR": str(folder / "tools"),
        "UV_TOOL_BIN_DIR": str(folder / "bin"),
    }


def uninstall(how: str, folder: Path) -> None:
    """Uninstalls it. Raises Failed if anything is left except stored data; caches and locks belong to the
    installer.
    """
    if how == "pip":
        run(folder / "env/bin/python", "-m", "pip", "uninstall", "--quiet", "--yes", "narrowcast")
    else:
        run(sys.executable, "-m", *TOOLS[how], "uninstall", "narrowcast", **_places(folder))
    kept = [folder / name for name in ("home", "data", ".cache")]
    left = [
        str(path.relative_to(folder))
        for path in folder.rglob("*narrowcast*")
        if path.suffix != ".lock" and not any(path.is_relative_to(place) for place in kept)
    ]
    if left:
        raise Failed(f"{how} left {', '.join(left[:5])}")


def try_out(command: Path, folder: Path) -> None:
    """Runs the first steps of a new user, without a terminal: doctor, serve, send, read."""
    home = {
        "HOME": str(folder / "home"),
        **{f"XDG_{kind}_HOME": "" for kind in ("CONFIG", "DATA", "CACHE", "STATE")},
    }
    (folder / "home").mkdir()
    if not run(command, "--version", **home).startswith("narrowcast "):
        raise Failed("--version does not say the version")
    findings = [
        json.loads(line)
        for line in run(command, "doctor", "--offline", "--json", TERM="xterm", **home).splitlines()
    ]
    if not any(finding["area"] == "program" for finding in findings):
        raise Failed("doctor says nothing of the program")
    data = folder / "data"
    server = subprocess.Popen(
        [command, "serve", "--demo", "--port", "0", "--data", data],
        env={**os.environ, **home},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        if not line.startswith("listening on "):
            raise Failed(f"serve says {line!r}")
        rc = data / "accounts/ada.zuliprc"
        run(
            command,
            "send",
            "--rc",
            rc,
            "--channel",
            "general",
            "--topic",
            "packages",
            "--quiet",
            "It works",
            **home,
        )
        result = run(command, "read", "--rc", rc, "topic:packages", "--json", **home)
        if json.loads(result.splitlines()[-1])["content"] != "It works":
            raise Failed("the message that was sent cannot be read")
    finally:
        server.terminate()
        server.communicate(timeout=60)
    left = {str(path.relative_to(folder / "home")) for path in (folder / "home").rglob("*") if path.is_file()}
    strange = [name for name in left if not name.startswith(FOLDERS)]
    if strange:
        raise Failed(f"it left files where the documentation names none: {', '.join(strange)}")


def main() -> int:
    """Returns 0 if everything that could be tested works, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only-build", action="store_true", help="do not install anything")
    args = parser.parse_args()
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        try:
            wheel = build_twice(Path(scratch))
        except Failed as error:
            say(f"FAILED: {error}")
            return 1
        for version, python in () if args.only_build else interpreters():
            for how in ("pip", "pipx", "uv"):
                name = f"Python {version} by {how}"
                if not python:
                    say(f"not tried: {name}: there is no Python {version} here")
                    continue
                folder = Path(scratch, f"{version}-{how}")
                folder.mkdir()
                try:
                    try_out(install(how, python, wheel, folder), folder)
                    uninstall(how, folder)
                except Failed as error:
                    failures.append(name)
                    say(f"FAILED: {name}: {error}")
                else:
                    say(f"works: {name}")
                shutil.rmtree(folder, ignore_errors=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
