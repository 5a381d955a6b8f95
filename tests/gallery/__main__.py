"""Draws the gallery: the main screens at four sizes in five looks, as terminals show them.

`make gallery` writes them to dist/gallery, with a page that shows all; with `GALLERY_ARGS="--size 120x40 --look
dark conversation"` only some. Before a change of the look, keep a copy to compare: two folders of
pictures have the same names.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gallery.picture import FaintScreen, svg
from support.server import serving
from support.terminal import Terminal, home, narrowcast

FOLDER = Path(__file__).resolve().parents[2] / "dist" / "gallery"
SIZES = ((80, 24), (120, 40), (160, 45), (200, 60))
QUIET = 0.25
"""Seconds without output after which a screen is taken as complete."""


@dataclass(frozen=True)
class Look:
    """One kind of terminal and theme. ``ink`` and ``ground`` are the terminal's own colours."""

    name: str
    theme: str
    env: Mapping[str, str]
    ink: str = "#d0d0d0"
    ground: str = "#101010"


LOOKS = (
    Look("dark", "narrowcast", {"COLORTERM": "truecolor"}),
    Look("light", "paper", {"COLORTERM": "truecolor"}, "#202020", "#ffffff"),
    Look("256", "narrowcast", {"TERM": "xterm-256color"}),
    Look("16", "terminal", {"TERM": "xterm-16color"}),
    Look("none", "terminal", {"NO_COLOR": "1"}),
)


@dataclass(frozen=True)
class Scene:
    """One screen: the keys that open it from the main screen, and the keys that close it."""

    name: str
    keys: tuple[str, ...]
    close: tuple[str, ...] = ("escape",)


def go(words: str) -> tuple[str, ...]:
    """The keys that open a conversation by its name."""
    return ("ctrl+k", *words, "enter")


SCENES = (
    Scene("conversation", go("gusts"), ()),
    Scene("content", (*go("what a message"), "home"), ()),
    Scene("direct", go("dario vance"), ()),
    Scene("reply", (*go("gusts"), "r", *"I would bet on the heater"), ("ctrl+u", "escape")),
    Scene("completion", ("c", "ctrl+u", *"Ask @bru"), ("escape", "ctrl+u", "escape")),
    Scene("inbox", ("I",), ()),
    Scene("recent", ("t",), ("t",)),
    Scene("switcher", ("ctrl+k", *"gu")),
    Scene("search", ("/",)),
    Scene("commands", ("ctrl+p", *"topic")),
    Scene("help", ("?",)),
    Scene("form", ("ctrl+p", *"create channel", "enter")),
    Scene("settings", ("ctrl+p", *"personal settings", "enter")),
    Scene("person", (*go("gusts"), "u")),
)


@dataclass(frozen=True)
class Wanted:
    """What to draw; empty: all."""

    scenes: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    looks: tuple[str, ...] = ()
    folder: Path = field(default=FOLDER)


def draw(wanted: Wanted) -> Iterator[Path]:
    """Draws the pictures, one app for each size and look."""
    wanted.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "server"):
        rc = Path(folder) / "server" / "accounts" / "ada.zuliprc"
        for size in SIZES:
            name = f"{size[0]}x{size[1]}"
            if wanted.sizes and name not in wanted.sizes:
                continue
            for look in LOOKS:
                if not wanted.looks or look.name in wanted.looks:
                    yield from _draw_one(wanted, Path(folder) / f"{name}-{look.name}", rc, size, look)
            if not wanted.scenes or "welcome" in wanted.scenes:
                yield from _draw_welcome(wanted, Path(folder), size)


def _draw_one(wanted: Wanted, folder: Path, rc: Path, size: tuple[int, int], look: Look) -> Iterator[Path]:
    with _app(folder, ("--rc", str(rc)), size, look) as terminal:
        terminal.wait_for(r"● live|live")
        terminal.settle(QUIET)
        for scene in SCENES:
            if wanted.scenes and scene.name not in wanted.scenes:
                continue
            _press(terminal, scene.keys)
            terminal.settle(QUIET)
            yield _written(wanted, scene.name, terminal, size, look)
            _press(terminal, scene.close)
            terminal.settle(QUIET)


def _draw_welcome(wanted: Wanted, folder: Path, size: tuple[int, int]) -> Iterator[Path]:
    for look in LOOKS:
        if wanted.looks and look.name not in wanted.looks:
            continue
        with _app(folder / f"welcome-{size[0]}-{look.name}", (), size, look) as terminal:
            terminal.settle(1.5)
            yield _written(wanted, "welcome", terminal, size, look)


@contextmanager
def _app(folder: Path, arguments: tuple[str, ...], size: tuple[int, int], look: Look) -> Iterator[Terminal]:
    env = home(folder)
    config = Path(env["XDG_CONFIG_HOME"]) / "narrowcast"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text(f'[appearance]\ntheme = "{look.theme}"\n', encoding="utf-8")
    command = narrowcast(*arguments)
    with Terminal(command, env={**env, **look.env}, size=size, screen=FaintScreen) as terminal:
        yield terminal


def _press(terminal: Terminal, keys: tuple[str, ...]) -> None:
    for key in keys:
        terminal.press(key)
        terminal.settle(0.05)


def _written(wanted: Wanted, name: str, terminal: Terminal, size: tuple[int, int], look: Look) -> Path:
    file = wanted.folder / f"{name}-{size[0]}x{size[1]}-{look.name}.svg"
    assert isinstance(terminal.screen, FaintScreen)
    file.write_text(svg(terminal.screen, look.ink, look.ground), encoding="utf-8")
    return file


def write_page(folder: Path) -> None:
    """Writes a page with all the pictures of the folder."""
    figures = [
        f'<figure><figcaption>{file.stem}</figcaption><img src="{file.name}" loading="lazy"></figure>'
        for file in sorted(folder.glob("*.svg"))
    ]
    style = "body{background:#888;font-family:sans-serif} img{max-width:100%}"
    page = f"<!doctype html><title>Narrowcast</title><style>{style}</style>\n" + "\n".join(figures)
    (folder / "index.html").write_text(page + "\n", encoding="utf-8")


def main() -> None:
    """Draws what the command line asks for."""
    parser = argparse.ArgumentParser(description="Draws the gallery of screens.")
    parser.add_argument("scenes", nargs="*", help="their names; none: all")
    parser.add_argument("--size", action="append", default=[], help="such as 120x40; may be repeated")
    parser.add_argument("--look", action="append", default=[], choices=[look.name for look in LOOKS])
    parser.add_argument("--to", type=Path, default=FOLDER, metavar="FOLDER")
    given = parser.parse_args()
    wanted = Wanted(tuple(given.scenes), tuple(given.size), tuple(given.look), given.to)
    for file in draw(wanted):
        sys.stdout.write(f"{file.name}\n")
        sys.stdout.flush()
    write_page(wanted.folder)


if __name__ == "__main__":
    main()
