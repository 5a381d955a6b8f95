"""Key presets that resemble other programs: how each changes the default keys.

The user's own ``[keys]`` override a preset. Presets are checked like a user's keys: a test makes sure that none has
a conflict.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["PRESETS"]

PRESETS: Mapping[str, Mapping[str, list[str]]] = {
    "default": {},
    "zulip-web": {
        "go.starred": ["asterisk"],
        "message.star": ["ctrl+s"],
        "go.direct": ["P"],
        "message.info": ["i"],
        "compose.send": ["ctrl+d"],
    },
    "zulip-terminal": {
        "app.quit": ["ctrl+c", "ctrl+q"],
        "app.redraw": ["ctrl+l"],
        "compose.enter": ["ctrl+j"],
        "compose.other-enter": ["enter"],
        "compose.send": ["ctrl+d", "alt+enter"],
        "compose.attach": ["ctrl+o"],
        "compose.editor": ["ctrl+t"],
        "message.hints": ["o"],
        "message.image": ["v"],
    },
    "vim": {
        "message.page-down": ["ctrl+d", "pagedown", "space"],
        "message.page-up": ["ctrl+u", "pageup"],
        "navigation.page-down": ["ctrl+d", "pagedown", "space"],
        "navigation.page-up": ["ctrl+u", "pageup"],
        "list.page-down": ["ctrl+d", "pagedown"],
        "list.page-up": ["ctrl+u", "pageup"],
        "app.palette": ["colon", "ctrl+p"],
        "message.react": ["exclamation_mark"],
    },
    "emacs": {
        "message.down": ["ctrl+n", "j", "down"],
        "message.up": ["ctrl+p", "k", "up"],
        "message.page-down": ["ctrl+v", "J", "pagedown", "space"],
        "message.page-up": ["alt+v", "K", "pageup"],
        "message.newest": ["alt+greater_than_sign", "G", "end"],
        "message.oldest": ["alt+less_than_sign", "g", "home"],
        "navigation.down": ["ctrl+n", "j", "down"],
        "navigation.up": ["ctrl+p", "k", "up"],
        "navigation.page-down": ["ctrl+v", "J", "pagedown", "space"],
        "navigation.page-up": ["alt+v", "K", "pageup"],
        "list.down": ["down", "j", "ctrl+n"],
        "list.up": ["up", "k", "ctrl+p"],
        "list.page-down": ["pagedown", "J", "ctrl+v"],
        "list.page-up": ["pageup", "K", "alt+v"],
        "app.palette": ["alt+x"],
        "message.find": ["ctrl+s"],
        "message.star": ["asterisk"],
        "go.switcher": ["ctrl+k"],
        "compose.link": ["alt+h"],
        "go.composed": [],
        "dialog.close": ["escape", "q", "ctrl+g"],
        "found.close": ["escape", "ctrl+g"],
        "form.cancel": ["escape", "ctrl+g"],
        "compose.leave": ["escape", "ctrl+g"],
        "compose.up": ["up", "ctrl+p"],
        "compose.down": ["down", "ctrl+n"],
        "compose.attach-drop": ["alt+k"],
        "download.cancel": ["alt+shift+x"],
        "compose.undo": ["ctrl+underscore", "ctrl+z"],
    },
}
"""The presets by name; each maps ids of commands to all of their keys."""
