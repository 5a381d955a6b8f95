<<<<<<< HEAD
"""Everyday tasks and how to do them in the app and, where possible, on the command line: for docs/tasks.md.

`<id>` stands for the key of a command, or for its title in the palette if it has no key.
=======
"""Everyday tasks, and how to do each in the app and on the command line: for docs/tasks.md.

`<id>` stands for the key of a command, or for its name in the palette if it has no key.
>>>>>>> e409c75e (docs: Reword the generated pages)
"""

from __future__ import annotations

Task = tuple[str, str, str]
"""The task; how to do it in the app; how on the command line, or ''."""

TASKS: dict[str, tuple[Task, ...]] = {
    "Getting started": (
        ("Try it without an account", "*Try the demo* on the welcome screen", "narrowcast demo"),
        ("Log in", "*Log in* on the welcome screen", "narrowcast login https://chat.example.com"),
<<<<<<< HEAD
        ("Log in with an account file of Zulip's tools", "", "narrowcast --rc ~/zuliprc"),
=======
        ("Log in with a zuliprc file", "", "narrowcast --rc ~/zuliprc"),
>>>>>>> e409c75e (docs: Reword the generated pages)
        ("Accept an invitation", "", "narrowcast login https://chat.example.com/join/abc/"),
        ("Add another account", "<account.switch>", "narrowcast login https://other.example.com"),
        ("Switch to another account", "<account.switch>, select it", "narrowcast --account NAME"),
        ("Log out", "<account.sign-out>", ""),
        ("Quit; drafts are kept", "<app.quit>", ""),
        ("See all keys, search them", "<app.help>, then <help.find>", "narrowcast doctor --keys"),
        ("Find a command by its name", "<app.palette>", ""),
        ("Find out why something does not work", "", "narrowcast doctor"),
    ),
    "Navigation": (
        ("Go to any channel, topic, person or view", "<go.switcher>, type a part of the name", ""),
        ("Go to the next topic with unread messages", "<go.next-unread-topic>", ""),
        ("Go to the next unread direct message", "<go.next-unread-direct>", ""),
        ("See what is unread, by channel", "<go.inbox>", "narrowcast read is:unread"),
        ("See recent conversations", "<go.recent>", ""),
        ("See all messages", "<go.all>", "narrowcast read"),
        ("See mentions", "<go.mentions>", "narrowcast read is:mentioned"),
        ("See starred messages", "<go.starred>", "narrowcast read is:starred"),
        ("See direct messages", "<go.direct>", "narrowcast read is:dm"),
        (
            "Open the channel, or the conversation, of a message",
            "<message.channel>, <message.topic>; or click its heading",
            "narrowcast read channel:design topic:logo",
        ),
        ("Go back, and forward again", "<go.back>, <go.forward>", ""),
        ("Move between channels, messages and compose", "<pane.next>, <pane.previous>", ""),
        ("Show or hide channels, people", "<pane.navigation>, <pane.people>", ""),
        ("Filter the list of channels", "<pane.find-channel>", ""),
        ("Open a link to a message", "<message.goto>, paste it", "narrowcast open LINK"),
    ),
    "Reading": (
        ("Next, previous message", "<message.down>, <message.up>", ""),
        (
            "First unread, first, last message",
            "<message.first-unread>, <message.oldest>, <message.newest>",
            "",
        ),
        ("Go to a date", "<message.date>", ""),
        ("Find a word in this view", "<message.find>", ""),
        ("Search all messages", "<go.search>", "narrowcast search gateway from:ada"),
        (
            "Search without a network",
            "<go.search> searches what is cached",
            "narrowcast search --local gateway",
        ),
        ("Follow a conversation live", "open it", "narrowcast read channel:design --follow"),
        ("Mark as unread from here", "<message.unread>", ""),
        (
            "Mark a topic, a channel, everything as read",
            "<topic.mark-read>; <channel.mark-read>; <own.read-all>",
            "",
        ),
        ("Open a link in a message", "<message.hints>, then its letter", ""),
        ("View an image, or open a file", "<message.image>", ""),
        ("Open a spoiler, or a long message", "<message.enter>", ""),
        ("Scroll a wide table", "<message.pan-left>, <message.pan-right>", ""),
        ("Copy a message, or a part of it", "<message.copy>", ""),
        (
            "Copy a link to a message, a topic, a channel",
            "<message.link>; <topic.copy-link>; <channel.copy-link>",
            "",
        ),
        (
            "See who reacted, who read it, earlier versions",
            "<message.info>; <message.receipts>; <message.history>",
            "",
        ),
        ("Export messages to a file", "", "narrowcast export channel:design --output design.jsonl"),
    ),
    "Writing": (
        ("Reply", "<message.reply>", "narrowcast send --channel design --topic logo 'Blue it is'"),
        (
            "Write to a channel, in a new topic",
            "<write.channel>",
            "narrowcast send --channel design --topic new 'Hi'",
        ),
        ("Write to one person", "<write.direct>, type a name", "narrowcast send --to ada@example.com 'Hi'"),
        (
            "Write to several people",
            "<write.direct>, names separated by commas",
            "narrowcast send --to ada@example.com --to bruno@example.com 'Hi'",
        ),
        ("Write to the sender of a message", "<message.reply-sender>", ""),
        ("Quote a message", "<message.quote>", ""),
        ("Send, begin a new line", "<compose.enter>, <compose.other-enter>", ""),
<<<<<<< HEAD
        ("Complete @names, #channels, :emoji:", "<compose.complete>, or just keep typing", ""),
=======
        ("Complete @names, #channels, :emoji:", "<compose.complete>, or keep typing", ""),
>>>>>>> e409c75e (docs: Reword the generated pages)
        ("Write in your editor", "<compose.editor>", ""),
        (
            "Upload a file",
            "<compose.attach>",
            "narrowcast send --to ada@example.com --file plan.pdf 'The plan'",
        ),
<<<<<<< HEAD
        ("See how it will look", "<write.preview>", ""),
=======
        ("Preview a message", "<write.preview>", ""),
>>>>>>> e409c75e (docs: Reword the generated pages)
        ("Leave compose; the text is kept as a draft", "<compose.leave>", ""),
        ("Restore a draft, or delete one", "<go.drafts>, then <list.select> or <manage.delete>", ""),
        ("Schedule a message", "<write.schedule>", ""),
        ("See, change or send scheduled messages", "<go.scheduled>", ""),
        ("Set a reminder for a message", "<message.remind>", ""),
        ("Save a text as a snippet, insert one", "<write.save-snippet>; <write.snippets>", ""),
        ("Create a poll, a to-do list", "<write.poll>; <write.todo>", ""),
        ("Vote, or check off a task", "<message.vote>", ""),
        ("See unsent messages", "<go.outbox>", "narrowcast outbox"),
        (
            "Resend or cancel a message that failed",
            "<write.outbox-retry>, <write.outbox-cancel>",
            "narrowcast outbox retry all",
        ),
    ),
    "Message actions": (
        ("React", "<message.react>; <message.thumbs-up> for 👍", ""),
        ("Edit your message", "<message.edit>", ""),
        ("Delete a message", "<message.delete>", ""),
        ("Star or unstar it", "<message.star>", ""),
        ("Move it, or rename its topic", "<topic.move>", ""),
        ("Resolve or unresolve its topic", "<topic.resolve>", ""),
        ("Report it to moderators", "<message.report>", ""),
    ),
    "Channels and topics": (
        ("Browse channels, subscribe, unsubscribe", "<channel.browse>, then <channels.subscribe>", ""),
        ("Create a channel", "<channel.new>", ""),
        ("Add a subscriber", "<channel.members>, then <manage.new>", ""),
        ("Mute or unmute a topic", "<topic.mute>", ""),
        ("Mute or unmute a channel", "<navigation.mute> in the list of channels, or <channel.mute>", ""),
        ("Follow a topic", "<topic.follow>", ""),
        ("Pin a channel to the top", "<navigation.pin> in the list of channels", ""),
        ("Choose a channel's color and notifications", "<channel.own>", ""),
        ("Change a channel's name, description, privacy", "<channel.edit>", ""),
        ("Archive a channel", "<channel.archive>", ""),
    ),
    "People and your account": (
        ("See a user card", "<message.sender> on a message, or <people.find>", ""),
        ("Set your status, become invisible", "<own.status>; <own.presence>", ""),
        ("Edit your profile, your picture", "<account.profile>; <account.picture>", ""),
        ("Manage user groups", "<people.groups>", ""),
        ("Invite people", "<people.invitations>, then <invitations.link> for a link", ""),
<<<<<<< HEAD
        ("Choose what you are notified of", "<account.settings>", "narrowcast watch"),
        ("Turn on two-factor authentication", "<account.two-factor>", "narrowcast authenticator"),
        ("Set alert words", "<own.alert-words>", ""),
    ),
    "Customize": (
=======
        ("Choose what notifies", "<account.settings>", "narrowcast watch"),
        ("Turn on two-factor authentication", "<account.two-factor>", "narrowcast authenticator"),
        ("Be notified of certain words", "<own.alert-words>", ""),
    ),
    "Customization": (
>>>>>>> e409c75e (docs: Reword the generated pages)
        ("Change the theme", "<app.theme>", ""),
        ("Change a setting of the app", "<app.settings>", ""),
        (
            "Change a key, or use the keys of another program",
            "<app.settings>, *Keys of each command* or *Key preset*",
            "",
        ),
        ("Show all senders in one color", "<app.settings>, *Color senders by person*", ""),
        ("Complete commands in the shell", "", "narrowcast completion bash"),
    ),
<<<<<<< HEAD
    "Host": (
        ("Run a server for this machine", "", "narrowcast serve --data ~/team"),
        ("Invite others to it", "<people.invitations>", "narrowcast serve admin invite"),
=======
    "Running a server": (
        ("Run a team server", "", "narrowcast serve --data ~/team"),
        ("Invite others", "<people.invitations>", "narrowcast serve admin invite"),
>>>>>>> e409c75e (docs: Reword the generated pages)
        ("Check its data", "", "narrowcast serve --data ~/team --check"),
    ),
}
"""Tasks by heading."""
