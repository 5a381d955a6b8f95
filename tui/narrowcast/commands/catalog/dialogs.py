"""The keys of lists, forms and other dialogs; their actions are methods of those screens."""

from __future__ import annotations

from functools import partial

from narrowcast.commands.command import Command, Context, rows

dialog_rows = partial(rows, palette=False)
"""Rows of commands that the palette does not offer: it does not open over dialogs."""


_EVERYWHERE: tuple[Command, ...] = (
    *dialog_rows(
        Context.LIST,
        "Lists",
        ("list.down", "down j", "Down", "cursor_down"),
        ("list.up", "up k", "Up", "cursor_up"),
        ("list.page-down", "pagedown J", "Page down", "page_down"),
        ("list.page-up", "pageup K", "Page up", "page_up"),
        ("list.first", "home g", "First line", "first"),
        ("list.last", "end G", "Last line", "last"),
        ("list.select", "enter", "Select", "select"),
    ),
    *dialog_rows(
        Context.DIALOG,
        "Dialogs",
        ("dialog.close", "escape q", "Close", "leave"),
        ("dialog.help", "f1 question_mark", "Keys of this dialog", "app.app_help"),
    ),
    *dialog_rows(
        Context.MANAGE,
        "Dialogs",
        ("manage.new", "n", "Create or add", "new"),
        ("manage.delete", "x delete", "Delete, remove or archive", "delete"),
        ("manage.find", "slash ctrl+f", "Filter", "find"),
        ("manage.down", "down", "Go from filter to list", "down"),
        ("manage.up", "up", "Go from filter to list, upwards", "up"),
    ),
    *dialog_rows(
        Context.ORDERED,
        "Dialogs",
        ("ordered.up", "alt+up minus", "Move up", "shift(-1)"),
        ("ordered.down", "alt+down plus", "Move down", "shift(1)"),
    ),
    *dialog_rows(
        Context.PICKER,
        "Choosing from a list",
        ("picker.select", "enter tab", "Select", "take"),
        ("picker.down", "down ctrl+n", "Down", "down"),
        ("picker.up", "up ctrl+p", "Up", "up"),
        ("picker.page-down", "pagedown", "Page down", "page_down"),
        ("picker.page-up", "pageup", "Page up", "page_up"),
    ),
    *dialog_rows(
        Context.ASK,
        "Questions",
        ("ask.complete", "tab", "Complete", "complete"),
        ("ask.down", "down", "Next completion", "offer(1)"),
        ("ask.up", "up", "Previous completion", "offer(-1)"),
    ),
    *dialog_rows(
        Context.CONFIRM,
        "Questions",
        ("confirm.yes", "y", "Yes", "answer(True)"),
        ("confirm.no", "n", "No", "answer(False)"),
    ),
    *dialog_rows(Context.PROGRESS, "Questions", ("progress.stop", "s", "Stop", "leave")),
)

_FORMS: tuple[Command, ...] = (
    *dialog_rows(
        Context.FORM,
        "Forms",
        ("form.send", "ctrl+d", "Save or send", "send"),
        ("form.cancel", "escape", "Cancel", "leave"),
        ("form.next", "tab", "Next field, or accept completion", "next"),
        ("form.previous", "shift+tab", "Previous field", "previous"),
        ("form.down", "down", "Next field", "move(1)"),
        ("form.up", "up", "Previous field", "move(-1)"),
        ("form.new-line", "enter ctrl+j", "New line in a multi-line field", "new_line"),
        ("form.help", "f1", "Keys of this form", "app.app_help"),
    ),
    *dialog_rows(
        Context.CHOICE,
        "Forms",
        ("choice.next", "right l plus", "Next option", "step(1)"),
        ("choice.previous", "left h minus", "Previous option", "step(-1)"),
        ("choice.choose", "space", "Toggle, or list the options", "choose"),
        ("choice.done", "enter", "Next field", "done"),
        ("choice.yes", "y", "Yes", "set(True)"),
        ("choice.no", "n", "No", "set(False)"),
    ),
)

_READING: tuple[Command, ...] = (
    *dialog_rows(
        Context.HELP,
        "Help",
        ("help.find", "slash ctrl+f", "Search", "find"),
        ("help.down", "down", "Down", "down"),
        ("help.up", "up", "Up", "up"),
        ("help.close", "escape q question_mark f1 enter", "Close", "leave"),
    ),
    *dialog_rows(Context.TEXT, "Previews and versions", ("text.close", "enter", "Close, or copy", "leave")),
    *dialog_rows(
        Context.PICTURE,
        "Image viewer",
        ("picture.next", "right l j n down", "Next image", "step(1)"),
        ("picture.previous", "left h k p up", "Previous image", "step(-1)"),
        ("picture.save", "d", "Download", "save"),
        ("picture.close", "v enter space", "Close", "leave"),
    ),
)

_LISTS: tuple[Command, ...] = (
    *dialog_rows(
        Context.CHANNELS,
        "Channels dialog",
        ("channels.subscribe", "s", "Subscribe or unsubscribe", "subscribe"),
        ("channels.edit", "e", "Edit", "edit"),
        ("channels.permissions", "p", "Permissions", "permissions"),
        ("channels.members", "m", "Subscribers", "members"),
        ("channels.own", "o", "Personal settings", "own"),
        ("channels.restore", "u", "Unarchive", "restore"),
    ),
    *dialog_rows(Context.FOLDERS, "Channel folders dialog", ("folders.restore", "u", "Unarchive", "restore")),
    *dialog_rows(
        Context.DRAFTS,
        "Drafts dialog",
        ("drafts.restore", "u", "Undo deletion", "put_back"),
        ("drafts.versions", "H", "Both versions", "conflict"),
        ("drafts.close", "d", "Close", "leave"),
    ),
    *dialog_rows(
        Context.DRAFT_CONFLICT,
        "Drafts dialog",
        ("conflict.first", "1", "Keep the first version", "keep(1)"),
        ("conflict.second", "2", "Keep the second version", "keep(2)"),
        ("conflict.both", "b", "Keep both versions", "keep(0)"),
    ),
    *dialog_rows(
        Context.OUTBOX,
        "Outbox dialog",
        ("outbox.resend", "s f8", "Resend", "again"),
        ("outbox.cancel", "f9", "Cancel (the text returns to compose)", "delete"),
        ("outbox.close", "B", "Close", "leave"),
    ),
    *dialog_rows(
        Context.CONVERSATIONS,
        "Recent conversations and inbox",
        ("conversations.mark-read", "Z", "Mark as read", "mark_read"),
        ("conversations.mute", "M", "Mute or unmute topic", "mute"),
        ("conversations.inbox", "I", "Inbox, or close it", "switch('inbox')"),
        ("conversations.recent", "t", "Recent conversations, or close them", "switch('recent')"),
    ),
    *dialog_rows(
        Context.SCHEDULED, "Scheduled messages dialog", ("scheduled.send", "s", "Send now", "send_now")
    ),
    *dialog_rows(Context.SNIPPETS, "Saved snippets dialog", ("snippets.edit", "e", "Edit", "edit")),
    *dialog_rows(Context.VIEWS, "Views dialog", ("views.edit", "e", "Edit", "edit")),
    *dialog_rows(Context.FILES, "Uploaded files dialog", ("files.copy", "y", "Copy link", "copy")),
    *dialog_rows(
        Context.PERSON,
        "User card",
        ("person.write", "w", "Direct message", "write"),
        ("person.mention", "at", "Mention", "mention"),
        ("person.sent", "s", "Messages sent", "sent"),
        ("person.channels", "c", "Shared channels", "channels"),
        ("person.mute", "M", "Mute or unmute", "mute"),
        ("person.picture", "v", "View picture", "picture"),
        ("person.manage", "a", "Manage this user", "more"),
        ("person.edit", "e", "Edit", "edit"),
    ),
    *dialog_rows(
        Context.ACCOUNTS,
        "Users dialog",
        ("accounts.manage", "a", "Manage this user", "more"),
        ("accounts.invite", "i", "Invitations", "invite"),
    ),
    *dialog_rows(
        Context.BOTS,
        "Bots dialog",
        ("bots.key", "s", "Show API key", "key"),
        ("bots.regenerate", "r", "Generate new API key", "regenerate"),
    ),
    *dialog_rows(
        Context.ENROLMENT,
        "Two-factor authentication",
        ("enrolment.copy-key", "f2", "Copy key", "copy_key"),
        ("enrolment.copy-link", "f3", "Copy link", "copy_link"),
    ),
    *dialog_rows(
        Context.RECOVERY_CODES,
        "Two-factor authentication",
        ("recovery-codes.copy-all", "y", "Copy all recovery codes", "copy_all"),
    ),
    *dialog_rows(
        Context.GROUPS,
        "User groups dialog",
        ("groups.edit", "e", "Edit name and description", "edit"),
        ("groups.permissions", "p", "Permissions", "permissions"),
        ("groups.membership", "s", "Join or leave", "membership"),
    ),
    *dialog_rows(
        Context.GROUP_MEMBERS,
        "User groups dialog",
        ("group-members.add-group", "N", "Add a group", "add_group"),
    ),
    *dialog_rows(
        Context.INVITATIONS,
        "Invitations dialog",
        ("invitations.link", "l", "Create invitation link", "link"),
        ("invitations.copy", "y", "Copy link", "copy_link"),
        ("invitations.resend", "r", "Resend", "resend"),
    ),
    *dialog_rows(
        Context.NEWCOMERS,
        "Default user settings dialog",
        ("newcomers.apply", "a", "Apply to existing users", "apply"),
    ),
)

_START: tuple[Command, ...] = (
    *dialog_rows(
        Context.WELCOME,
        "Welcome screen",
        ("welcome.login", "s", "Log in", "choose('login')"),
        ("welcome.demo", "t", "Try the demo", "choose('demo')"),
        ("welcome.serve", "v", "Run a server", "choose('serve')"),
        ("welcome.quit", "q", "Quit", "choose('quit')"),
    ),
    *dialog_rows(
        Context.LOGIN,
        "Login screen",
        ("login.next", "tab down", "Next field", "app.focus_next"),
        ("login.previous", "shift+tab up", "Previous field", "app.focus_previous"),
        ("login.key", "f4", "Another way to log in", "next_way"),
        ("login.flow", "f5", "Link or token of a browser", "other_flow"),
        ("login.back", "escape", "Back", "leave"),
    ),
)

DIALOGS: tuple[Command, ...] = (*_EVERYWHERE, *_FORMS, *_READING, *_LISTS, *_START)
