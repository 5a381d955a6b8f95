"""Where the mouse is handled by the terminal instead of the app."""

from __future__ import annotations

from narrowcast.terminal.keyboard import takes_mouse


def test_gnu_screen_keeps_the_mouse_unless_tmux_lies_between() -> None:
    assert takes_mouse({"TERM": "xterm-256color"})
    assert takes_mouse({"TMUX": "/tmp/tmux-0/default,1,0", "TERM": "tmux-256color"})
    assert not takes_mouse({"STY": "1234.tty", "TERM": "screen.xterm-256color"})
    assert takes_mouse({"STY": "1234.tty", "TMUX": "/tmp/tmux-0/default,1,0"})
