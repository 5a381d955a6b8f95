"""The commands of the app and of the panes of the main screen; their actions are methods of those widgets."""

from __future__ import annotations

from msgspec.structs import replace

from narrowcast.commands.command import Command, Context, rows

APP: tuple[Command, ...] = (
    *rows(
        Context.APP,
        "General",
        ("app.help", "question_mark f1", "Help: keyboard shortcuts"),
        ("app.palette", "ctrl+p", "Commands: find any command by name"),
        ("app.theme", "f6", "Next theme"),
        ("app.suspend", "ctrl+z", "Suspend to the shell (fg resumes)"),
    ),
    *(
        replace(command, priority=True)
        for command in rows(
            Context.APP,
            "General",
            ("app.redraw", "ctrl+l", "Redraw the screen"),
            ("app.quit", "ctrl+q ctrl+c", "Quit (drafts are kept)"),
        )
    ),
    *rows(Context.APP, "General", ("app.debug", "ctrl+f12", "Debug log: on or off")),
)

NAVIGATION: tuple[Command, ...] = (
    *rows(
        Context.NAVIGATION,
        "Channels pane",
        ("navigation.down", "j down", "Down"),
        ("navigation.up", "k up", "Up"),
        ("navigation.page-down", "J pagedown space", "Page down"),
        ("navigation.page-up", "K pageup", "Page up"),
        ("navigation.first", "g home", "First line"),
        ("navigation.last", "G end", "Last line"),
        ("navigation.open", "enter", "Open"),
        ("navigation.collapse", "minus", "Expand or collapse topics or section"),
        palette=False,
    ),
)

COMPOSE: tuple[Command, ...] = (
    *rows(
        Context.COMPOSE,
        "Compose box",
        ("compose.enter", "enter", "Send (or new line, as configured)"),
        ("compose.other-enter", "ctrl+j alt+enter shift+enter", "New line (or send, as configured)"),
        ("compose.send", "ctrl+d", "Send"),
        ("compose.next-field", "tab", "Next field, or accept completion; in the text: complete or indent"),
        ("compose.previous-field", "shift+tab", "Previous field; in an indented line: indent less"),
        ("compose.leave", "escape", "Close compose box; the draft is kept"),
        ("compose.editor", "ctrl+o", "Edit in $EDITOR"),
        ("compose.attach", "ctrl+t alt+a", "Upload file"),
        ("compose.attach-cancel", "ctrl+x", "Pause or resume upload"),
        ("compose.attach-drop", "alt+x", "Cancel upload"),
        ("compose.complete", "ctrl+r", "Complete @mention, #channel or :emoji:"),
        ("compose.new-draft", "alt+n", "Save as draft and start another"),
    ),
)

EDITOR: tuple[Command, ...] = (
    Command(
        "editor.submit",
        "Confirm one-line field",
        Context.EDITOR,
        ("enter",),
        "Text editing",
        False,
        action="submit",
    ),
    *rows(
        Context.EDITOR,
        "Text editing",
        ("compose.line-start", "ctrl+a home", "Start of line"),
        ("compose.line-end", "ctrl+e end", "End of line"),
        ("compose.text-start", "ctrl+home", "Start of text"),
        ("compose.text-end", "ctrl+end", "End of text"),
        ("compose.left", "left ctrl+b", "Character left"),
        ("compose.right", "right ctrl+f", "Character right"),
        ("compose.word-left", "alt+b ctrl+left", "Word left"),
        ("compose.word-right", "alt+f ctrl+right", "Word right"),
        ("compose.up", "up", "Line up"),
        ("compose.down", "down", "Line down"),
        ("compose.backspace", "backspace", "Delete character to the left"),
        ("compose.delete", "delete", "Delete character to the right"),
        ("compose.kill-word", "ctrl+w alt+backspace", "Cut word to the left"),
        ("compose.kill-word-right", "alt+d", "Cut word to the right"),
        ("compose.kill-start", "ctrl+u", "Cut to start of line"),
        ("compose.kill-end", "ctrl+k", "Cut to end of line (at the end of the text: open 'Go to')"),
        ("compose.yank", "ctrl+y", "Paste cut text"),
        ("compose.undo", "ctrl+z ctrl+underscore", "Undo"),
        palette=False,
    ),
)

_MESSAGES: tuple[Command, ...] = (
    *rows(
        Context.MESSAGES,
        "Reading",
        ("message.down", "j down", "Next message"),
        ("message.up", "k up", "Previous message"),
        ("message.page-down", "J pagedown space", "Page down"),
        ("message.page-up", "K pageup", "Page up"),
        ("message.newest", "G end", "Last message (marks nothing as read)"),
        ("message.oldest", "g home", "First message (marks nothing as read)"),
        ("message.first-unread", "F", "First unread message"),
        ("message.date", "T", "Go to date"),
        ("message.goto", "semicolon", "Go to message by ID or link"),
        ("message.find", "ctrl+f", "Find in this view"),
        ("message.channel", "s", "Go to channel of message"),
        ("message.topic", "S", "Go to conversation of message"),
        ("message.unread", "U", "Mark as unread from here"),
        ("message.reload", "ctrl+r", "Reload view"),
    ),
    *rows(
        Context.MESSAGES,
        "Message actions",
        ("message.enter", "enter", "Expand, or reply"),
        ("message.reply", "r", "Reply"),
        ("message.reply-sender", "R", "Direct message to sender"),
        ("message.quote", "greater_than_sign", "Quote message"),
        ("message.mention", "at", "Reply mentioning sender"),
        ("message.react", "colon", "Add emoji reaction"),
        ("message.react-first", "equals_sign", "Toggle first emoji reaction"),
        ("message.thumbs-up", "plus", "React with 👍"),
        ("message.star", "ctrl+s asterisk", "Star or unstar message"),
        ("message.collapse", "minus", "Collapse or expand message"),
        ("message.edit", "e", "Edit message"),
        ("message.delete", "delete", "Delete message"),
        ("message.hints", "o", "Open a link by its key (Shift copies the address)"),
        ("message.image", "v", "View image, or open file"),
        ("message.spoiler", "O", "Show or hide spoilers"),
        ("message.playground", "E", "View code in playground"),
        ("message.vote", "X", "Vote in poll, or check off task"),
        ("message.pan-left", "left_square_bracket", "Scroll wide table left"),
        ("message.pan-right", "right_square_bracket", "Scroll wide table right"),
        ("message.select-down", "shift+down", "Select text by rows, downwards"),
        ("message.select-up", "shift+up", "Select text by rows, upwards"),
        ("message.copy", "y", "Copy selected text, or a part of the message"),
        ("message.link", "L", "Copy link to message"),
        ("message.info", "i", "Message information: reactions, edit history, read receipts"),
        ("message.receipts", "V", "View read receipts"),
        ("message.history", "H", "View edit history"),
        ("message.sender", "u", "View card of sender"),
    ),
)

_FOUND: tuple[Command, ...] = (
    *rows(
        Context.FOUND,
        "Find and selection",
        ("found.older", "n", "Previous match"),
        ("found.newer", "N", "Next match"),
        ("found.close", "escape", "Close find, or clear selection"),
        palette=False,
    ),
)

MESSAGES: tuple[Command, ...] = tuple(
    replace(command, action=f"{action}('{command.id}')")
    for action, commands in (("message", _MESSAGES), ("found", _FOUND))
    for command in commands
)
"""The messages pane uses the id to choose which of its parts runs the command."""
