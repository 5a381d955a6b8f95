"""The terminals that are tried, as far as they are installed, alone and with a multiplexer inside."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

COLUMNS, ROWS = 120, 36


@dataclass(frozen=True)
class Kind:
    """``programs`` are needed; ``command`` runs what is appended to it; ``pastes`` are the keys that paste."""

    name: str
    programs: tuple[str, ...]
    command: tuple[str, ...]
    pastes: str
    pictures: str
    config: str
    """What stands in the app's configuration."""
    bell: Path
    """Is made when it rings, where the window itself does not say so."""
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def missing(self) -> list[str]:
        """What is not installed."""
        return [program for program in self.programs if shutil.which(program) is None]


_XTERM = (
    "xterm",
    *(
        "-tn",
        "xterm-256color",
        "-u8",
        "-geometry",
        f"{COLUMNS}x{ROWS}",
        "-fa",
        "DejaVu Sans Mono",
        "-fs",
        "8",
    ),
    *("-xrm", "xterm*bellIsUrgent: true", "-xrm", "xterm*selectToClipboard: true"),
)


def kinds(folder: Path) -> Sequence[Kind]:
    """``folder`` is for their configurations."""
    bell = folder / "bell"
    tmux = folder / "tmux.conf"
    tmux.write_text(
        "set -g default-terminal tmux-256color\nset -g set-titles on\nset -g set-titles-string '#T'\n"
        "set -sg escape-time 10\nset -g focus-events on\nset -g status off\nset -g bell-action any\n"
    )
    screen = folder / "screenrc"
    screen.write_text("startup_message off\nvbell off\ndefutf8 on\nhardstatus off\n")
    return (
        Kind("xterm", ("xterm",), (*_XTERM, "-e"), "shift+Insert", "cells", "", bell),
        Kind(
            "xterm (sixel)",
            ("xterm",),
            (*_XTERM, "-ti", "vt340", "-xrm", "xterm*sixelScrolling: true", "-e"),
            "shift+Insert",
            "points",
            '[appearance]\npictures = "sixel"\n',
            bell,
        ),
        Kind(
            "kitty",
            ("kitty",),
            (
                "kitty",
                *("--config", "NONE", "-o", "remember_window_size=no", "-o", "font_size=8"),
                *("-o", f"initial_window_width={COLUMNS}c", "-o", f"initial_window_height={ROWS}c"),
                *("-o", f"command_on_bell=touch {bell}", "-o", "enable_audio_bell=no"),
            ),
            "ctrl+shift+v",
            "points",
            "",
            bell,
        ),
        Kind(
            "tmux in xterm",
            ("xterm", "tmux"),
            (*_XTERM, "-e", "tmux", "-L", "narrowcast-tried", "-f", str(tmux), "new", "-A", "-s", "tried"),
            "shift+Insert",
            "cells",
            "",
            bell,
        ),
        Kind(
            "screen in xterm",
            ("xterm", "screen"),
            (*_XTERM, "-e", "screen", "-U", "-c", str(screen)),
            "shift+Insert",
            "cells",
            "",
            bell,
        ),
    )
