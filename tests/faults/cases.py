"""Faults outside the network; each is a test in test_endings.py with the name in its key."""

from __future__ import annotations

CASES = {
    "killed before the request left": "the message waits after the restart and goes out by itself, once",
    "killed after the server had the message": "it is found on the server after the restart and not sent again",
    "killed while the message had not arrived": "it is looked for after the restart and offered with its words",
    "killed while typing a draft": "the text is there after the restart and on the server",
    "two devices edit one draft at once": "both texts are on both devices and on the server",
    "a second window on one account": "shows what the other writes, sends its own, and what a killed one left",
    "corrupt cache at the start": "set aside, made anew, the session works",
    "corrupt journal at the start": "set aside with a warning, what can be read is taken over",
}
