"""The terminals to test, as far as they are installed, alone and with a multiplexer inside."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from terminals import wayland
from terminals.display import XWindow
from terminals.wayland import WaylandWindow

COLUMNS, ROWS = 120, 36


@dataclass(frozen=True)
class Kind:
    """``programs`` must be installed; ``command`` runs the command appended to it; ``pastes`` are the keys
    that paste.
    """

    name: str
    programs: tuple[str, ...]
    command: tuple[str, ...]
    pastes: str
    pictures: str
    config: str
    """The app's configuration."""
    bell: Path
    """A file that is created when it rings, if the window itself does not show that."""
    environment: dict[str, str] = field(default_factory=dict)
    tells_bell: bool = True
    """Whether the bell can be detected from outside."""
    window: type[XWindow | WaylandWindow] = XWindow

    @property
    def missing(self) -> list[str]:
        """Returns the programs that are not installed."""
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
    """Returns all kinds; ``folder`` is for their configurations."""
    bell = folder / "bell"
    texts = {
        "tmux.conf": (
            "set -g default-terminal tmux-256color\nset -g set-titles on\nset -g set-titles-string '#T'\n"
            "set -sg escape-time 10\nset -g focus-events on\nset -g status off\nset -g bell-action any\n"
            "set -g destroy-unattached on\n"
        ),
        "screenrc": "startup_message off\nvbell off\ndefutf8 on\nhardstatus off\nautodetach off\n",
        "foot.ini": f"font=DejaVu Sans Mono:size=8\n[bell]\nurgent=yes\ncommand=touch {bell}\n",
        "alacritty.yml": (
            f"window: {{dimensions: {{columns: {COLUMNS}, lines: {ROWS}}}}}\nfont: {{size: 8}}\n"
            f"bell: {{command: {{program: touch, args: [{bell}]}}}}\n"
        ),
        "xfce4/terminal/terminalrc": "[Configuration]\nMiscShowUnsafePasteDialog=FALSE\nMiscBellUrgent=TRUE\n",
    }
    for name, text in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
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
            "foot",
            ("foot", *wayland.NEEDED),
            ("foot", "--config", str(folder / "foot.ini")),
            "ctrl+shift+v",
            "points",
            "",
            bell,
            window=WaylandWindow,
        ),
        Kind(
            "alacritty",
            ("alacritty",),
            ("alacritty", "--config-file", str(folder / "alacritty.yml"), "-e"),
            "ctrl+shift+v",
            "cells",
            "",
            bell,
        ),
        Kind(
            "rxvt-unicode",
            ("urxvt",),
            (
                "urxvt",
                "-geometry",
                f"{COLUMNS}x{ROWS}",
                "-fn",
                "xft:DejaVu Sans Mono:size=8",
                "-xrm",
                "URxvt.urgentOnBell: true",
                "-pe",
                "-confirm-paste",
                "-e",
            ),
            "shift+Insert",
            "cells",
            "",
            bell,
        ),
        Kind(
            "Xfce terminal (VTE)",
            ("xfce4-terminal",),
            (
                *("xfce4-terminal", "--disable-server", "--hide-menubar"),
                *(f"--geometry={COLUMNS}x{ROWS}", "--font=DejaVu Sans Mono 8", "-x"),
            ),
            "ctrl+shift+v",
            "cells",
            "",
            bell,
            {"XDG_CONFIG_DIRS": str(folder)},
        ),
        Kind(
            "Konsole",
            ("konsole",),
            (
                *("konsole", "--separate", "--hide-menubar", "--hide-tabbar"),
                *("-p", f"TerminalColumns={COLUMNS}", "-p", f"TerminalRows={ROWS}"),
                *(
                    "-p",
                    "Font=DejaVu Sans Mono,8",
                    "-p",
                    "LocalTabTitleFormat=%w",
                    "-p",
                    "ScrollBarPosition=2",
                ),
                "-e",
            ),
            "ctrl+shift+v",
            "cells",
            "",
            bell,
            tells_bell=False,
        ),
        Kind(
            "tmux in xterm",
            ("xterm", "tmux"),
            (
                *_XTERM,
                "-e",
                "tmux",
                "-L",
                "narrowcast-tried",
                "-f",
                str(folder / "tmux.conf"),
                "new",
                "-A",
                "-s",
                "tried",
            ),
            "shift+Insert",
            "cells",
            "",
            bell,
        ),
        Kind(
            "screen in xterm",
            ("xterm", "screen"),
            (*_XTERM, "-e", "screen", "-U", "-c", str(folder / "screenrc")),
            "shift+Insert",
            "cells",
            "",
            bell,
        ),
    )
