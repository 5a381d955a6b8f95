"""The commands whose function has a module of its own in `narrowcast.commands`: most of what the palette offers.

To add one, write the function and add a row here: (id, keys separated by spaces, title, function, gate or nothing).
Any command can be given a key in the configuration. The function takes the main screen and may be async; what it
raises is told to the user. On a server that does not support the gate, palette and keys refuse the command.
"""

from __future__ import annotations

from collections.abc import Iterator

from narrowcast.commands.command import Command, CommandFunction, Context, LateModule
from narrowcast_api.wire.levels import Gate

(
    account,
    channels,
    go,
    here,
    later,
    messages,
    organization,
    own,
    panes,
    people,
    polls,
    searching,
    sent,
    topics,
    unsent,
    writing,
) = map(
    LateModule,
    [
        "account",
        "channels",
        "go",
        "here",
        "later",
        "messages",
        "organization",
        "own",
        "panes",
        "people",
        "polls",
        "searching",
        "sent",
        "topics",
        "unsent",
        "writing",
    ],
)

Row = tuple[str, str, str, CommandFunction] | tuple[str, str, str, CommandFunction, Gate]


def _rows(
    group: str, *table: Row, context: Context = Context.MAIN, palette: bool = True
) -> Iterator[Command]:
    for command_id, keys, title, function, *gate in table:
        yield Command(
            command_id,
            title,
            context,
            tuple(keys.split()),
            group,
            palette,
            function=function,
            gate=gate[0] if gate else None,
        )


FUNCTIONS: tuple[Command, ...] = (
    *_rows(
        "Navigation",
        ("go.switcher", "ctrl+k ctrl+g", "Go to channel, topic, person or view", go.switcher),
        ("go.inbox", "I", "Go to inbox", go.inbox),
        ("go.recent", "t", "Go to recent conversations", go.recent),
        ("go.all", "a escape", "Go to combined feed", go.all_messages),
        ("go.mentions", "number_sign", "Go to mentions", go.mentions),
        ("go.starred", "f", "Go to starred messages", go.starred),
        ("go.direct", "P", "Go to direct messages", go.directs),
        ("go.drafts", "d", "View drafts", unsent.drafts),
        ("go.outbox", "B", "View outbox: unsent messages", unsent.outbox),
        ("go.sent", "alt+g", "Go to the message sent last", sent.go),
        ("go.search", "slash", "Search messages", searching.search),
        ("go.next-unread-topic", "n", "Go to next unread topic", go.next_unread_topic),
        ("go.next-unread-direct", "p", "Go to next unread direct message", go.next_unread_direct),
        ("go.next-channel", "D", "Go to next channel", go.next_channel),
        ("go.previous-channel", "A", "Go to previous channel", go.previous_channel),
        ("go.zoom", "z", "Zoom to topic or channel", go.zoom),
        ("go.back", "alt+left", "Back", go.back),
        ("go.forward", "alt+right", "Forward", go.forward),
    ),
    *_rows(
        "Panes",
        ("pane.next", "tab", "Next pane", panes.next_pane),
        ("pane.previous", "shift+tab", "Previous pane", panes.previous_pane),
        ("pane.left", "h left", "Pane to the left", panes.left),
        ("pane.right", "l right", "Pane to the right", panes.right),
        ("pane.navigation", "f2", "Show or hide channels", panes.navigation),
        ("pane.people", "f3", "Show or hide people", panes.people),
        ("pane.find-channel", "q", "Filter channels", panes.find_channel),
        ("pane.find-person", "w", "Filter people", panes.find_person),
    ),
    *_rows(
        "Composing messages",
        ("write.channel", "c", "New channel message", writing.channel),
        ("write.direct", "x", "New direct message", writing.direct),
        ("write.outbox-retry", "f8", "Resend failed messages", unsent.resend),
        ("write.outbox-cancel", "f9", "Cancel sending (the text returns to compose)", unsent.cancel),
    ),
    *_rows(
        "Channels pane",
        ("navigation.mute", "M", "Mute or unmute channel or topic", here.mute),
        ("navigation.pin", "b", "Pin or unpin channel", here.pin),
        ("navigation.mark-read", "Z", "Mark all messages as read", here.mark_read),
        context=Context.NAVIGATION,
        palette=False,
    ),
    *_rows(
        "Topics",
        ("topic.move", "m", "Move or rename topic, or move messages", topics.move),
        ("topic.resolve", "", "Mark topic as resolved or unresolved", topics.resolve),
        ("topic.mute", "M", "Mute or unmute topic", topics.mute),
        ("topic.follow", "", "Follow or unfollow topic", topics.follow, Gate.TOPIC_VISIBILITY),
        ("topic.visibility", "", "Topic notifications: mute, unmute, follow", topics.visibility),
        ("topic.mark-read", "", "Mark all messages in topic as read", topics.mark_read),
        (
            "topic.mark-unread",
            "",
            "Mark all messages in topic as unread",
            topics.mark_unread,
            Gate.FLAGS_BY_NARROW,
        ),
        ("topic.copy-link", "", "Copy link to topic", topics.copy_link),
        ("topic.summarize", "", "Summarize topic", topics.summarize),
        ("topic.delete", "", "Delete topic", topics.delete),
    ),
    *_rows(
        "Channels",
        ("channel.browse", "C", "Browse channels", channels.browse),
        ("channel.new", "", "Create channel", channels.new),
        ("channel.subscribe", "", "Subscribe to or unsubscribe from channel", channels.subscribe),
        ("channel.own", "", "Personal channel settings: notifications, color, pin", channels.own),
        ("channel.mute", "", "Mute or unmute channel", channels.mute),
        ("channel.pin", "", "Pin or unpin channel", channels.pin),
        ("channel.mark-read", "", "Mark all messages in channel as read", channels.mark_read),
        ("channel.members", "", "Channel subscribers", channels.members),
        ("channel.edit", "", "Channel settings: name, description, privacy", channels.edit),
        ("channel.permissions", "", "Channel permissions", channels.permissions),
        ("channel.archive", "", "Archive or unarchive channel", channels.archive),
        ("channel.folders", "", "Channel folders", channels.folders),
        ("channel.default-groups", "", "Channel groups for new users", channels.default_groups),
        ("channel.copy-link", "", "Copy link to channel", channels.copy_link),
        ("channel.copy-email", "", "Copy email address of channel", channels.copy_email),
    ),
    *_rows(
        "Composing messages",
        ("write.schedule", "", "Schedule message", later.schedule),
        ("go.scheduled", "", "View scheduled messages", later.scheduled),
        ("message.remind", "", "Remind me about this message", later.remind),
        ("go.reminders", "", "View reminders", later.reminders),
        ("write.snippets", "", "Saved snippets: insert, create, edit", later.snippets),
        ("write.preview", "", "Preview message", writing.preview),
        ("write.poll", "", "Create poll", writing.new_poll),
        ("write.todo", "", "Create to-do list", writing.new_todo),
        ("write.call", "", "Add video call link", writing.video_call),
        ("message.poll-add", "", "Add option to poll, or task to to-do list", polls.add),
        ("message.poll-question", "", "Edit poll question", polls.question),
        ("write.save-snippet", "", "Save compose text as snippet", later.save_snippet),
    ),
    *_rows(
        "Personal",
        ("own.status", "", "Set status", own.status),
        ("own.clear-status", "", "Clear status", own.clear_status),
        ("own.presence", "", "Turn invisible mode on or off", own.presence, Gate.SETTINGS_ENDPOINT),
        ("own.read-all", "", "Mark all messages as read", own.read_all),
        ("own.alert-words", "", "Alert words", own.alert_words),
        ("own.views", "", "Saved views", own.views),
        ("own.files", "", "Uploaded files", own.files),
        ("message.report", "", "Report message to moderators", messages.report, Gate.REPORT_MESSAGE),
    ),
    *_rows(
        "Users",
        ("people.card", "u", "View user card", people.card),
        ("people.find", "", "Find user", people.find),
        ("people.accounts", "", "Users: roles, names, deactivation", people.accounts),
        ("people.groups", "", "User groups", people.groups),
        ("people.invitations", "", "Invite users", people.invitations),
        ("people.muted", "", "Muted users", people.muted, Gate.MUTED_USERS),
    ),
    *_rows(
        "Account",
        ("account.profile", "", "Edit profile", account.profile),
        ("account.picture", "", "Change or remove profile picture", account.picture),
        ("account.settings", "", "Personal settings", account.settings, Gate.SETTINGS_ENDPOINT),
        ("app.settings", "", "App settings: theme, keys, notifications", account.app_settings),
        ("account.bots", "", "Bots", account.bots),
        ("account.email", "", "Change email address", account.email, Gate.SETTINGS_ENDPOINT),
        ("account.password", "", "Change password", account.password, Gate.SETTINGS_ENDPOINT),
        ("account.key", "", "Show or generate API key", account.key),
        ("account.switch", "", "Switch account, or add one", account.switch),
        ("account.sign-out", "", "Log out", account.sign_out),
        ("account.deactivate", "", "Deactivate account", account.deactivate),
    ),
    *_rows(
        "Organization",
        ("organization.settings", "", "Organization settings and permissions", organization.settings),
        ("organization.newcomers", "", "Default user settings", organization.newcomers),
        ("organization.domains", "", "Allowed email domains", organization.domains),
        ("organization.emoji", "", "Custom emoji", organization.emoji),
        ("organization.linkifiers", "", "Linkifiers", organization.linkifiers),
        ("organization.playgrounds", "", "Code playgrounds", organization.playgrounds),
        ("organization.fields", "", "Custom profile fields", organization.fields),
        ("organization.pictures", "", "Organization icon and logos", organization.pictures),
        ("organization.exports", "", "Data exports", organization.exports),
        ("organization.deactivate", "", "Deactivate organization", organization.deactivate),
        ("organization.server", "", "About this server", organization.server),
    ),
)
