"""Faults outside the network; each is a test in test_endings.py with the name in its key."""

from __future__ import annotations

CASES = {
    "killed before the request left": "the message is queued after the restart and sent once",
    "killed after the server had the message": "it is found on the server after the restart and not sent again",
    "killed while the message had not arrived": "it is searched for after the restart and offered with its text",
    "killed while typing a draft": "the text is there after the restart and on the server",
    "two devices edit one draft at once": "both texts are on both devices and on the server",
    "a second window on one account": "shows the other's texts; sends its own messages and those of a killed window",
    "corrupt cache at the start": "renamed and created again; the session works",
    "corrupt journal at the start": "renamed with a warning; readable rows are recovered",
}
