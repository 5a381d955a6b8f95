"""The commands of the app and of the panes of the main screen that are methods of those widgets."""

from __future__ import annotations

from narrowcast.keys.command import REFUSED, WAITS, Command, Context, listed
from narrowcast_api.wire.levels import Gate

APP: tuple[Command, ...] = (
    *listed(
        Context.APP,
        "General",
        Command("app.help", "Help: keyboard shortcuts", ("question_mark", "f1"), "app.action_app_help"),
        Command("app.palette", "Commands: find any command by name", ("ctrl+p",), "app.action_app_palette"),
        Command(
            "app.choose-theme",
            "Choose theme",
            ("shift+f6",),
            "app.action_app_choose_theme",
            other_names="dark light mode",
        ),
        Command("app.theme", "Next theme", ("f6",), "app.action_app_theme"),
        Command(
            "app.density",
            "Comfortable or compact",
            ("f7",),
            "app.action_app_density",
            other_names="space rows",
        ),
        Command("app.suspend", "Suspend to the shell (fg resumes)", ("ctrl+z",), "app.action_app_suspend"),
        Command("app.redraw", "Redraw the screen", ("ctrl+l",), "app.action_app_redraw", priority=True),
        Command(
            "app.quit", "Quit (drafts are kept)", ("ctrl+q", "ctrl+c"), "app.action_app_quit", priority=True
        ),
        Command("app.debug", "Debug log: on or off", ("ctrl+f12",), "app.action_app_debug"),
    ),
)

NAVIGATION: tuple[Command, ...] = (
    *listed(
        Context.NAVIGATION,
        "Channels pane",
        Command("navigation.down", "Down", ("j", "down"), "self.action_navigation_down"),
        Command("navigation.up", "Up", ("k", "up"), "self.action_navigation_up"),
        Command(
            "navigation.page-down",
            "Page down",
            ("J", "pagedown", "space"),
            "self.action_navigation_page_down",
        ),
        Command("navigation.page-up", "Page up", ("K", "pageup"), "self.action_navigation_page_up"),
        Command("navigation.first", "First line", ("g", "home"), "self.action_navigation_first"),
        Command("navigation.last", "Last line", ("G", "end"), "self.action_navigation_last"),
        Command("navigation.open", "Open", ("enter",), "self.action_navigation_open"),
        Command(
            "navigation.collapse",
            "Expand or collapse topics or section",
            ("minus",),
            "self.action_navigation_collapse",
        ),
        palette=False,
    ),
)

MESSAGES: tuple[Command, ...] = (
    *listed(
        Context.MESSAGES,
        "Reading",
        Command("message.down", "Next message", ("j", "down"), "self.list.position.step(1)"),
        Command("message.up", "Previous message", ("k", "up"), "self.list.position.step(-1)"),
        Command("message.page-down", "Page down", ("J", "pagedown", "space"), "self.list.position.page(1)"),
        Command("message.page-up", "Page up", ("K", "pageup"), "self.list.position.page(-1)"),
        Command(
            "message.newest",
            "Last message (marks nothing as read)",
            ("G", "end"),
            "self.parts.navigation.newest",
        ),
        Command(
            "message.oldest",
            "First message (marks nothing as read)",
            ("g", "home"),
            "self.parts.navigation.oldest",
        ),
        Command("message.first-unread", "First unread message", ("F",), "self.parts.navigation.first_unread"),
        Command("message.date", "Go to date", ("T",), "self.parts.navigation.date"),
        Command(
            "message.goto", "Go to message by ID or link", ("semicolon",), "self.parts.navigation.message"
        ),
        Command("message.find", "Find in this view", ("ctrl+f",), "self.parts.find.begin"),
        Command("message.channel", "Go to channel of message", ("s",), "self.parts.navigation.channel"),
        Command("message.topic", "Go to conversation of message", ("S",), "self.parts.navigation.topic"),
        Command("message.unread", "Mark as unread from here", ("U",), "self.parts.flags.unread", REFUSED),
        Command("message.reload", "Reload view", ("ctrl+r",), "self.parts.navigation.reload"),
    ),
    *listed(
        Context.MESSAGES,
        "Message actions",
        Command("message.enter", "Expand, or reply", ("enter",), "self.parts.enter"),
        Command("message.reply", "Reply", ("r",), "self.parts.writing.reply"),
        Command(
            "message.reply-sender", "Direct message to sender", ("R",), "self.parts.writing.reply_sender"
        ),
        Command("message.quote", "Quote message", ("greater_than_sign",), "self.parts.several.quote"),
        Command("message.mention", "Reply mentioning sender", ("at",), "self.parts.writing.mention"),
        Command("message.react", "Add emoji reaction", ("colon",), "self.parts.reactions.choose", WAITS),
        Command(
            "message.react-first",
            "Toggle first emoji reaction",
            ("equals_sign",),
            "self.parts.reactions.join_first",
            WAITS,
        ),
        Command("message.thumbs-up", "React with 👍", ("plus",), "self.parts.reactions.thumbs_up", WAITS),
        Command(
            "message.choose",
            "Select several messages: this one, or no longer",
            ("comma",),
            "self.parts.several.toggle",
        ),
        Command(
            "message.forward",
            "Forward message, or the selected ones",
            ("W",),
            "self.parts.several.forward",
            REFUSED,
        ),
        Command(
            "message.star",
            "Star or unstar message",
            ("ctrl+s", "asterisk"),
            "self.parts.several.star",
            WAITS,
            other_names="save bookmark",
        ),
        Command(
            "message.collapse", "Collapse or expand message", ("minus",), "self.parts.flags.collapse", WAITS
        ),
        Command(
            "message.previews",
            "Hide or show link previews of message",
            (),
            "self.parts.flags.link_previews",
            WAITS,
            gate=Gate.HIDE_LINK_PREVIEWS,
        ),
        Command("message.edit", "Edit message", ("e",), "self.parts.writing.edit", REFUSED),
        Command(
            "message.delete",
            "Delete message",
            ("delete",),
            "self.parts.several.delete",
            REFUSED,
            other_names="remove",
        ),
        Command(
            "message.hints",
            "Open a link by its key (Shift copies the address)",
            ("o",),
            "self.parts.hints.begin",
        ),
        Command(
            "message.image",
            "View image, or open file",
            ("v",),
            "self.parts.links.image",
            other_names="download save",
        ),
        Command("message.spoiler", "Show or hide spoilers", ("O",), "self.parts.links.spoilers"),
        Command("message.playground", "View code in playground", ("E",), "self.parts.clipboard.playground"),
        Command(
            "message.vote", "Vote in poll, or check off task", ("X",), "self.parts.polls.choose", REFUSED
        ),
        Command(
            "message.pan-left", "Scroll wide table left", ("left_square_bracket",), "self.parts.links.pan(-1)"
        ),
        Command(
            "message.pan-right",
            "Scroll wide table right",
            ("right_square_bracket",),
            "self.parts.links.pan(1)",
        ),
        Command(
            "message.select-down",
            "Select text by rows, downwards",
            ("shift+down",),
            "self.list.selection.extend(1)",
        ),
        Command(
            "message.select-up",
            "Select text by rows, upwards",
            ("shift+up",),
            "self.list.selection.extend(-1)",
        ),
        Command(
            "message.copy",
            "Copy selected text, or a part of the message",
            ("y",),
            "self.parts.several.copy",
        ),
        Command("message.link", "Copy link to message", ("L",), "self.parts.clipboard.copy_link"),
        Command(
            "message.info",
            "Message information: reactions, edit history, read receipts",
            ("i",),
            "self.parts.details.info",
            other_names="who reacted",
        ),
        Command(
            "message.receipts",
            "View read receipts",
            ("V",),
            "self.parts.details.receipts",
            REFUSED,
            other_names="who seen",
        ),
        Command(
            "message.history",
            "View edit history",
            ("H",),
            "self.parts.details.history",
            REFUSED,
            other_names="revisions versions",
        ),
        Command("message.sender", "View card of sender", ("u",), "self.parts.navigation.sender"),
    ),
    *listed(
        Context.FOUND,
        "Find and selection",
        Command("found.older", "Previous match", ("n",), "self.action_found('found.older')"),
        Command("found.newer", "Next match", ("N",), "self.action_found('found.newer')"),
        Command(
            "found.close", "Close find, or clear selection", ("escape",), "self.action_found('found.close')"
        ),
        palette=False,
    ),
)

COMPOSE: tuple[Command, ...] = (
    *listed(
        Context.COMPOSE,
        "Compose box",
        Command(
            "compose.enter",
            "Send (or new line, as configured)",
            ("enter",),
            "self.action_compose_enter",
            WAITS,
        ),
        Command(
            "compose.other-enter",
            "New line (or send, as configured)",
            ("ctrl+j", "alt+enter", "shift+enter"),
            "self.action_compose_other_enter",
            WAITS,
        ),
        Command("compose.send", "Send", ("ctrl+d",), "self.action_compose_send", WAITS),
        Command(
            "compose.next-field",
            "Next field, or accept completion; in the text: complete or indent",
            ("tab",),
            "self.action_compose_next_field",
        ),
        Command(
            "compose.previous-field",
            "Previous field; in an indented line: indent less",
            ("shift+tab",),
            "self.action_compose_previous_field",
        ),
        Command(
            "compose.leave", "Close compose box; the draft is kept", ("escape",), "self.action_compose_leave"
        ),
        Command("compose.editor", "Edit in $EDITOR", ("ctrl+o",), "self.action_compose_editor"),
        Command(
            "compose.attach",
            "Upload file",
            ("ctrl+t", "alt+a"),
            "self.action_compose_attach",
            WAITS,
            other_names="image picture",
        ),
        Command(
            "compose.attach-cancel",
            "Pause or resume upload",
            ("ctrl+x",),
            "self.action_compose_attach_cancel",
        ),
        Command("compose.attach-drop", "Cancel upload", ("alt+x",), "self.action_compose_attach_drop"),
        Command(
            "compose.complete",
            "Complete @mention, #channel or :emoji:",
            ("ctrl+r",),
            "self.action_compose_complete",
        ),
        Command(
            "compose.new-draft",
            "Save as draft and start another",
            ("alt+n",),
            "self.action_compose_new_draft",
        ),
        Command(
            "compose.bold",
            "Format as bold: the selection, or the word",
            ("alt+asterisk",),
            "self.action_compose_format('bold')",
        ),
        Command(
            "compose.italic", "Format as italic", ("alt+underscore",), "self.action_compose_format('italic')"
        ),
        Command("compose.code", "Format as code", ("alt+c",), "self.action_compose_format('code')"),
        Command("compose.link", "Format as link", ("alt+k",), "self.action_compose_format('link')"),
        Command(
            "compose.quote",
            "Format as quote",
            ("alt+greater_than_sign",),
            "self.action_compose_format('quote')",
        ),
        Command(
            "compose.spoiler",
            "Format as spoiler",
            ("alt+vertical_line",),
            "self.action_compose_format('spoiler')",
        ),
    ),
)

EDITOR: tuple[Command, ...] = (
    *listed(
        Context.EDITOR,
        "Text editing",
        Command("editor.submit", "Confirm one-line field", ("enter",), "self.action_submit"),
        Command("compose.line-start", "Start of line", ("ctrl+a", "home"), "self.action_compose_line_start"),
        Command("compose.line-end", "End of line", ("ctrl+e", "end"), "self.action_compose_line_end"),
        Command("compose.text-start", "Start of text", ("ctrl+home",), "self.action_compose_text_start"),
        Command("compose.text-end", "End of text", ("ctrl+end",), "self.action_compose_text_end"),
        Command("compose.left", "Character left", ("left", "ctrl+b"), "self.action_compose_left"),
        Command("compose.right", "Character right", ("right", "ctrl+f"), "self.action_compose_right"),
        Command("compose.word-left", "Word left", ("alt+b", "ctrl+left"), "self.action_compose_word_left"),
        Command(
            "compose.word-right", "Word right", ("alt+f", "ctrl+right"), "self.action_compose_word_right"
        ),
        Command("compose.up", "Line up", ("up",), "self.action_compose_up"),
        Command("compose.down", "Line down", ("down",), "self.action_compose_down"),
        Command(
            "compose.select-left",
            "Select character to the left",
            ("shift+left",),
            "self.action_compose_select('left')",
        ),
        Command(
            "compose.select-right",
            "Select character to the right",
            ("shift+right",),
            "self.action_compose_select('right')",
        ),
        Command(
            "compose.select-word-left",
            "Select word to the left",
            ("ctrl+shift+left",),
            "self.action_compose_select('word_left')",
        ),
        Command(
            "compose.select-word-right",
            "Select word to the right",
            ("ctrl+shift+right",),
            "self.action_compose_select('word_right')",
        ),
        Command(
            "compose.select-up", "Select line upwards", ("shift+up",), "self.action_compose_select('up')"
        ),
        Command(
            "compose.select-down",
            "Select line downwards",
            ("shift+down",),
            "self.action_compose_select('down')",
        ),
        Command(
            "compose.select-start",
            "Select to start of line",
            ("shift+home",),
            "self.action_compose_select('home')",
        ),
        Command(
            "compose.select-end", "Select to end of line", ("shift+end",), "self.action_compose_select('end')"
        ),
        Command(
            "compose.backspace",
            "Delete character to the left",
            ("backspace",),
            "self.action_compose_backspace",
        ),
        Command("compose.delete", "Delete character to the right", ("delete",), "self.action_compose_delete"),
        Command(
            "compose.kill-word",
            "Cut word to the left",
            ("ctrl+w", "alt+backspace", "ctrl+backspace"),
            "self.action_compose_kill_word",
        ),
        Command(
            "compose.kill-word-right",
            "Cut word to the right",
            ("alt+d", "ctrl+delete"),
            "self.action_compose_kill_word_right",
        ),
        Command("compose.kill-start", "Cut to start of line", ("ctrl+u",), "self.action_compose_kill_start"),
        Command(
            "compose.kill-end",
            "Cut to end of line (at the end of the text: open 'Go to')",
            ("ctrl+k",),
            "self.action_compose_kill_end",
        ),
        Command("compose.yank", "Paste cut text", ("ctrl+y",), "self.action_compose_yank"),
        Command("compose.undo", "Undo", ("ctrl+z", "ctrl+underscore"), "self.action_compose_undo"),
        palette=False,
    ),
)
