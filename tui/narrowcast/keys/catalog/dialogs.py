"""The commands of lists, forms and other dialogs, which are methods of those screens.

The palette offers none of them: it does not open over dialogs.
"""

from __future__ import annotations

from functools import partial

from narrowcast.keys.command import WAITS, Command, Context, listed

in_dialog = partial(listed, palette=False)

_EVERYWHERE: tuple[Command, ...] = (
    *in_dialog(
        Context.LIST,
        "Lists",
        Command("list.down", "Down", ("down", "j"), "self.action_cursor_down"),
        Command("list.up", "Up", ("up", "k"), "self.action_cursor_up"),
        Command("list.page-down", "Page down", ("pagedown", "J"), "self.action_page_down"),
        Command("list.page-up", "Page up", ("pageup", "K"), "self.action_page_up"),
        Command("list.first", "First line", ("home", "g"), "self.action_first"),
        Command("list.last", "Last line", ("end", "G"), "self.action_last"),
        Command("list.select", "Select", ("enter",), "self.action_select"),
    ),
    *in_dialog(
        Context.DIALOG,
        "Dialogs",
        Command("dialog.close", "Close", ("escape", "q"), "self.action_leave"),
        Command("dialog.help", "Keys of this dialog", ("f1", "question_mark"), "app.action_app_help"),
    ),
    *in_dialog(
        Context.MANAGE,
        "Dialogs",
        Command("manage.new", "Create or add", ("n",), "self.action_new"),
        Command("manage.delete", "Delete, remove or archive", ("x", "delete"), "self.action_delete"),
        Command("manage.reload", "Load the list again", ("ctrl+r",), "self.action_reload"),
        Command("manage.find", "Filter", ("slash", "ctrl+f"), "self.action_find"),
        Command("manage.down", "Go from filter to list", ("down",), "self.action_down"),
        Command("manage.up", "Go from filter to list, upwards", ("up",), "self.action_up"),
    ),
    *in_dialog(
        Context.ORDERED,
        "Dialogs",
        Command("ordered.up", "Move up", ("alt+up", "minus"), "self.action_shift(-1)"),
        Command("ordered.down", "Move down", ("alt+down", "plus"), "self.action_shift(1)"),
    ),
    *in_dialog(
        Context.PICKER,
        "Choosing from a list",
        Command("picker.select", "Select", ("enter", "tab"), "self.action_take"),
        Command("picker.down", "Down", ("down", "ctrl+n"), "self.action_down"),
        Command("picker.up", "Up", ("up", "ctrl+p"), "self.action_up"),
        Command("picker.page-down", "Page down", ("pagedown",), "self.action_page_down"),
        Command("picker.page-up", "Page up", ("pageup",), "self.action_page_up"),
    ),
    *in_dialog(
        Context.ASK,
        "Questions",
        Command("ask.complete", "Complete", ("tab",), "self.action_complete"),
        Command("ask.down", "Next completion", ("down",), "self.action_offer(1)"),
        Command("ask.up", "Previous completion", ("up",), "self.action_offer(-1)"),
    ),
    *in_dialog(
        Context.CONFIRM,
        "Questions",
        Command("confirm.yes", "Yes", ("y",), "self.action_answer('confirm.yes')"),
        Command("confirm.no", "No", ("n",), "self.action_answer('confirm.no')"),
        Command("confirm.press", "Press the button", ("enter", "space"), "self.action_press"),
        Command("confirm.next", "Next button", ("tab", "right", "down", "l", "j"), "self.action_move(1)"),
        Command(
            "confirm.previous",
            "Previous button",
            ("shift+tab", "left", "up", "h", "k"),
            "self.action_move(-1)",
        ),
    ),
    *in_dialog(
        Context.PROGRESS,
        "Questions",
        Command("progress.stop", "Stop", ("s",), "self.action_leave"),
    ),
)

_FORMS: tuple[Command, ...] = (
    *in_dialog(
        Context.FORM,
        "Forms",
        Command("form.send", "Save or send", ("ctrl+d",), "self.action_send"),
        Command("form.cancel", "Cancel", ("escape",), "self.action_leave"),
        Command("form.next", "Next field, or accept completion", ("tab",), "self.action_next"),
        Command("form.previous", "Previous field", ("shift+tab",), "self.action_previous"),
        Command("form.down", "Next field", ("down",), "self.action_move(1)"),
        Command("form.up", "Previous field", ("up",), "self.action_move(-1)"),
        Command(
            "form.new-line", "New line in a multi-line field", ("enter", "ctrl+j"), "self.action_new_line"
        ),
        Command("form.help", "Keys of this form", ("f1",), "app.action_app_help"),
    ),
    *in_dialog(
        Context.CHOICE,
        "Forms",
        Command("choice.next", "Next option", ("right", "l", "plus"), "self.action_step(1)"),
        Command("choice.previous", "Previous option", ("left", "h", "minus"), "self.action_step(-1)"),
        Command("choice.choose", "Toggle, or list the options", ("space",), "self.action_choose"),
        Command("choice.done", "Next field", ("enter",), "self.action_done"),
        Command("choice.yes", "Yes", ("y",), "self.action_set(True)"),
        Command("choice.no", "No", ("n",), "self.action_set(False)"),
    ),
)

_READING: tuple[Command, ...] = (
    *in_dialog(
        Context.HELP,
        "Help",
        Command("help.find", "Search", ("slash", "ctrl+f"), "self.action_find"),
        Command("help.down", "Down", ("down",), "self.action_down"),
        Command("help.up", "Up", ("up",), "self.action_up"),
        Command("help.close", "Close", ("escape", "q", "question_mark", "f1", "enter"), "self.action_leave"),
    ),
    *in_dialog(
        Context.TEXT,
        "Previews and versions",
        Command("text.close", "Close, or copy", ("enter",), "self.action_leave"),
    ),
    *in_dialog(
        Context.PICTURE,
        "Image viewer",
        Command("picture.next", "Next image", ("right", "l", "j", "n", "down"), "self.action_step(1)"),
        Command("picture.previous", "Previous image", ("left", "h", "k", "p", "up"), "self.action_step(-1)"),
        Command("picture.save", "Download", ("d",), "self.action_save"),
        Command("picture.close", "Close", ("v", "enter", "space"), "self.action_leave"),
    ),
)

_LISTS: tuple[Command, ...] = (
    *in_dialog(
        Context.CHANNELS,
        "Channels dialog",
        Command("channels.subscribe", "Subscribe or unsubscribe", ("s",), "self.action_subscribe"),
        Command("channels.edit", "Edit", ("e",), "self.action_edit"),
        Command("channels.permissions", "Permissions", ("p",), "self.action_permissions"),
        Command("channels.members", "Subscribers", ("m",), "self.action_members"),
        Command("channels.own", "Personal settings", ("o",), "self.action_own"),
        Command("channels.restore", "Unarchive", ("u",), "self.action_restore"),
    ),
    *in_dialog(
        Context.FOLDERS,
        "Channel folders dialog",
        Command("folders.restore", "Unarchive", ("u",), "self.action_restore"),
    ),
    *in_dialog(
        Context.DRAFTS,
        "Drafts dialog",
        Command("drafts.restore", "Undo deletion", ("u",), "self.action_put_back"),
        Command("drafts.versions", "Both versions", ("H",), "self.action_conflict"),
        Command("drafts.removed", "Drafts removed elsewhere", ("r",), "self.action_removed"),
        Command("drafts.close", "Close", ("d",), "self.action_leave"),
    ),
    *in_dialog(
        Context.DRAFT_CONFLICT,
        "Drafts dialog",
        Command("conflict.first", "Keep the first version", ("1",), "self.action_keep(1)"),
        Command("conflict.second", "Keep the second version", ("2",), "self.action_keep(2)"),
        Command("conflict.both", "Keep both versions", ("b",), "self.action_keep(0)"),
    ),
    *in_dialog(
        Context.OUTBOX,
        "Outbox dialog",
        Command("outbox.resend", "Resend", ("s", "f8"), "self.action_again", WAITS),
        Command("outbox.cancel", "Cancel (the text returns to compose)", ("f9",), "self.action_delete"),
        Command("outbox.close", "Close", ("B",), "self.action_leave"),
    ),
    *in_dialog(
        Context.CONVERSATIONS,
        "Recent conversations and inbox",
        Command("conversations.mark-read", "Mark as read", ("Z",), "self.action_mark_read"),
        Command("conversations.mute", "Mute or unmute topic", ("M",), "self.action_mute"),
        Command("conversations.undo", "Take back marking as read or muting", ("u",), "self.action_undo"),
        Command(
            "conversations.choose",
            "Select several conversations: this one, or no longer",
            ("comma",),
            "self.action_choose",
        ),
        Command(
            "conversations.show",
            "Show only unread, participated, direct, followed or muted ones",
            ("v",),
            "self.action_show_only",
        ),
        Command("conversations.inbox", "Inbox, or close it", ("I",), "self.action_switch('inbox')"),
        Command(
            "conversations.recent",
            "Recent conversations, or close them",
            ("t",),
            "self.action_switch('recent')",
        ),
    ),
    *in_dialog(
        Context.SCHEDULED,
        "Scheduled messages dialog",
        Command("scheduled.send", "Send now", ("s",), "self.action_send_now"),
    ),
    *in_dialog(
        Context.SNIPPETS,
        "Saved snippets dialog",
        Command("snippets.edit", "Edit", ("e",), "self.action_edit"),
    ),
    *in_dialog(
        Context.KEYS,
        "Settings",
        Command("keys.type", "Type the keys of the command", ("e",), "self.action_type_keys"),
    ),
    *in_dialog(
        Context.SETTINGS,
        "Settings",
        Command("settings.undo", "Take back the last change", ("u", "ctrl+z"), "self.action_undo"),
    ),
    *in_dialog(
        Context.VIEWS,
        "Views dialog",
        Command("views.edit", "Edit", ("e",), "self.action_edit"),
    ),
    *in_dialog(
        Context.FILES,
        "Uploaded files dialog",
        Command("files.copy", "Copy link", ("y",), "self.action_copy"),
    ),
    *in_dialog(
        Context.PERSON,
        "User card",
        Command("person.write", "Direct message", ("w",), "self.action_write"),
        Command("person.mention", "Mention", ("at",), "self.action_mention"),
        Command("person.sent", "Messages sent", ("s",), "self.action_sent"),
        Command("person.channels", "Shared channels", ("c",), "self.action_channels"),
        Command("person.mute", "Mute or unmute", ("M",), "self.action_mute"),
        Command("person.picture", "View picture", ("v",), "self.action_picture"),
        Command("person.manage", "Manage this user", ("a",), "self.action_more"),
        Command("person.edit", "Edit", ("e",), "self.action_edit"),
    ),
    *in_dialog(
        Context.ACCOUNTS,
        "Users dialog",
        Command("accounts.manage", "Manage this user", ("a",), "self.action_more"),
        Command("accounts.invite", "Invitations", ("i",), "self.action_invite"),
    ),
    *in_dialog(
        Context.BOTS,
        "Bots dialog",
        Command("bots.key", "Show API key", ("s",), "self.action_key"),
        Command("bots.regenerate", "Generate new API key", ("r",), "self.action_regenerate"),
    ),
    *in_dialog(
        Context.ENROLMENT,
        "Two-factor authentication",
        Command("enrolment.copy-key", "Copy key", ("f2",), "self.action_copy_key"),
        Command("enrolment.copy-link", "Copy link", ("f3",), "self.action_copy_link"),
    ),
    *in_dialog(
        Context.RECOVERY_CODES,
        "Two-factor authentication",
        Command("recovery-codes.copy-all", "Copy all recovery codes", ("y",), "self.action_copy_all"),
    ),
    *in_dialog(
        Context.GROUPS,
        "User groups dialog",
        Command("groups.edit", "Edit name and description", ("e",), "self.action_edit"),
        Command("groups.permissions", "Permissions", ("p",), "self.action_permissions"),
        Command("groups.membership", "Join or leave", ("s",), "self.action_membership"),
    ),
    *in_dialog(
        Context.GROUP_MEMBERS,
        "User groups dialog",
        Command("group-members.add-group", "Add a group", ("N",), "self.action_add_group"),
    ),
    *in_dialog(
        Context.INVITATIONS,
        "Invitations dialog",
        Command("invitations.link", "Create invitation link", ("l",), "self.action_link"),
        Command("invitations.copy", "Copy link", ("y",), "self.action_copy_link"),
        Command("invitations.resend", "Resend", ("r",), "self.action_resend"),
    ),
    *in_dialog(
        Context.NEWCOMERS,
        "Default user settings dialog",
        Command("newcomers.apply", "Apply to existing users", ("a",), "self.action_apply"),
    ),
)

_START: tuple[Command, ...] = (
    *in_dialog(
        Context.WELCOME,
        "Welcome screen",
        Command("welcome.login", "Log in", ("s",), "self.action_choose('login')"),
        Command("welcome.demo", "Try the demo", ("t",), "self.action_choose('demo')"),
        Command("welcome.serve", "Run a server", ("v",), "self.action_choose('serve')"),
        Command("welcome.quit", "Quit", ("q",), "self.action_choose('quit')"),
    ),
    *in_dialog(
        Context.LOGIN,
        "Login screen",
        Command("login.next", "Next field", ("tab", "down"), "app.action_focus_next"),
        Command("login.previous", "Previous field", ("shift+tab", "up"), "app.action_focus_previous"),
        Command("login.key", "Another way to log in", ("f4",), "self.action_next_way"),
        Command("login.flow", "Link or token of a browser", ("f5",), "self.action_other_flow"),
        Command("login.copy", "Copy the address for the browser", ("f7",), "self.action_copy_address"),
        Command("login.back", "Back", ("escape",), "self.action_leave"),
    ),
)

DIALOGS: tuple[Command, ...] = (*_EVERYWHERE, *_FORMS, *_READING, *_LISTS, *_START)
