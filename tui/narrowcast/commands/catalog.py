"""Every act that has a module of its own: offered by the command palette, listed in help, imported when it is used.

To add one, add a row here and a function to a module of this folder. A row is

    (id, keys, title, "module:function", needs)

``keys`` are separated by spaces and may be none: any act can be given a key in the configuration. The function
takes the main screen, and may be async; what it raises becomes a notice. ``needs`` names a gate of
`narrowcast_api.wire.levels`, such as "Gate.UNARCHIVE", or nothing: palette and keys refuse it on older servers.
"""

from __future__ import annotations

Row = tuple[str, str, str, str, str]

ACTS: tuple[tuple[str, tuple[Row, ...]], ...] = (
    (
        "Topic",
        (
            ("topic.move", "m", "Move or rename the topic, or move messages from here", "topics:move", ""),
            ("topic.resolve", "", "Resolve the topic, or reopen it", "topics:resolve", ""),
            ("topic.mute", "M", "Mute or unmute the topic", "topics:mute", ""),
            (
                "topic.follow",
                "",
                "Follow the topic, or follow it no longer",
                "topics:follow",
                "Gate.TOPIC_VISIBILITY",
            ),
            ("topic.visibility", "", "How I see the topic: muted, followed …", "topics:visibility", ""),
            ("topic.mark-read", "", "Mark the topic as read", "topics:mark_read", ""),
            (
                "topic.mark-unread",
                "",
                "Mark the whole topic as unread",
                "topics:mark_unread",
                "Gate.FLAGS_BY_NARROW",
            ),
            ("topic.copy-link", "", "Copy the link to the topic", "topics:copy_link", ""),
            ("topic.delete", "", "Delete the topic with all its messages", "topics:delete", ""),
        ),
    ),
    (
        "Channel",
        (
            ("channel.browse", "C", "All channels: join, leave, look after them", "channels:browse", ""),
            ("channel.new", "", "New channel", "channels:new", ""),
            ("channel.subscribe", "", "Subscribe to the channel, or leave it", "channels:subscribe", ""),
            ("channel.own", "", "How I see the channel: notifications, color, pin", "channels:own", ""),
            ("channel.mute", "", "Mute or unmute the channel", "channels:mute", ""),
            ("channel.pin", "", "Pin or unpin the channel", "channels:pin", ""),
            ("channel.mark-read", "", "Mark the channel as read", "channels:mark_read", ""),
            ("channel.members", "", "Members of the channel: list, add, take out", "channels:members", ""),
            ("channel.edit", "", "Edit the channel: name, description, privacy", "channels:edit", ""),
            ("channel.permissions", "", "Who may do what in the channel", "channels:permissions", ""),
            ("channel.archive", "", "Archive the channel, or restore it", "channels:archive", ""),
            ("channel.folders", "", "Folders of channels", "channels:folders", ""),
            ("channel.copy-link", "", "Copy the link to the channel", "channels:copy_link", ""),
            ("channel.copy-email", "", "Copy the email address of the channel", "channels:copy_email", ""),
        ),
    ),
    (
        "Write more",
        (
            ("write.schedule", "", "Send later: what stands in compose", "later:schedule", ""),
            ("go.scheduled", "", "Scheduled messages: edit, send now, delete", "later:scheduled", ""),
            ("message.remind", "", "Remind me of the message", "later:remind", ""),
            ("go.reminders", "", "Reminders", "later:reminders", ""),
            ("write.snippets", "", "Snippets: insert a saved text, look after them", "later:snippets", ""),
            ("write.preview", "", "Preview: what stands in compose as it will look", "writing:preview", ""),
            ("write.poll", "", "New poll", "writing:new_poll", ""),
            ("write.todo", "", "New to-do list", "writing:new_todo", ""),
            ("message.poll-add", "", "Add an option to the poll, or a task to the list", "polls:add", ""),
            ("message.poll-question", "", "Change the question of my poll", "polls:question", ""),
            ("write.save-snippet", "", "Save what stands in compose as a snippet", "later:save_snippet", ""),
        ),
    ),
    (
        "My own",
        (
            ("own.status", "", "My status: set text and emoji", "own:status", ""),
            ("own.clear-status", "", "My status: clear it", "own:clear_status", ""),
            (
                "own.presence",
                "",
                "Appear offline, or show again that I am here",
                "own:presence",
                "Gate.SETTINGS_ENDPOINT",
            ),
            ("own.read-all", "", "Mark all messages as read", "own:read_all", ""),
            ("own.alert-words", "", "Alert words: what notifies me like a mention", "own:alert_words", ""),
            ("own.views", "", "My views: keep the open view under a name", "own:views", ""),
            ("own.files", "", "My uploaded files", "own:files", ""),
            (
                "message.report",
                "",
                "Report the message to the moderators",
                "messages:report",
                "Gate.REPORT_MESSAGE",
            ),
        ),
    ),
    (
        "People",
        (
            ("people.card", "u", "Card of the person: who they are, what one can do", "people:card", ""),
            ("people.find", "", "Find somebody's card by name", "people:find", ""),
            (
                "people.accounts",
                "",
                "People and their accounts: roles, names, deactivation",
                "people:accounts",
                "",
            ),
            ("people.groups", "", "User groups: members, permissions", "people:groups", ""),
            ("people.invitations", "", "Invitations by email, and links to join", "people:invitations", ""),
            ("people.muted", "", "Muted people", "people:muted", "Gate.MUTED_USERS"),
        ),
    ),
    (
        "Account",
        (
            ("account.profile", "", "My profile: name, time zone, profile fields", "account:profile", ""),
            ("account.picture", "", "My picture: choose one, or remove it", "account:picture", ""),
            ("account.settings", "", "My settings", "account:settings", "Gate.SETTINGS_ENDPOINT"),
            ("account.bots", "", "My bots and their keys", "account:bots", ""),
            ("account.email", "", "Change my email address", "account:email", "Gate.SETTINGS_ENDPOINT"),
            ("account.password", "", "Change my password", "account:password", "Gate.SETTINGS_ENDPOINT"),
            ("account.key", "", "My API key: show it, make a new one", "account:key", ""),
            ("account.deactivate", "", "Deactivate my account", "account:deactivate", ""),
        ),
    ),
    (
        "Organization",
        (
            (
                "organization.settings",
                "",
                "Organization: settings and permissions",
                "organization:settings",
                "",
            ),
            (
                "organization.newcomers",
                "",
                "Organization: settings of newcomers",
                "organization:newcomers",
                "",
            ),
            ("organization.domains", "", "Organization: allowed domains", "organization:domains", ""),
            ("organization.emoji", "", "Organization: its own emoji", "organization:emoji", ""),
            ("organization.linkifiers", "", "Organization: linkifiers", "organization:linkifiers", ""),
            (
                "organization.playgrounds",
                "",
                "Organization: code playgrounds",
                "organization:playgrounds",
                "",
            ),
            ("organization.fields", "", "Organization: profile fields", "organization:fields", ""),
            (
                "organization.server",
                "",
                "The server: version, level, what it lacks",
                "organization:server",
                "",
            ),
        ),
    ),
)
"""Rows by the heading under which help lists them. Plain tuples: they cost nothing at the start."""
