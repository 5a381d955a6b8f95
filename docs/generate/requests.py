"""What users of other clients ask for, and how each is done here: for docs/requests.md.

`<id>` stands for the key of a command, or for its name in the palette if it has no key.
"""

from __future__ import annotations

Request = tuple[str, str, str]
"""What is asked for; where; how it is done here."""

ZT, WEB, DESKTOP = "zulip-terminal", "web app", "desktop app"

REQUESTS: dict[str, tuple[Request, ...]] = {
    "Keys": (
        (
            "Give every command another key",
            f"{ZT} #680, #1439; {WEB} #36702; gomuks #734",
            "<app.settings>, *Keys of each command*: press the new key, or type it; or `[keys]` in config.toml",
        ),
        ("The keys of the web app", f"{ZT} #50", 'the defaults; more of them with `preset = "zulip-web"`'),
        (
            "The keys of vim and emacs",
            f"{WEB} #1679; gomuks #129, #142, #349",
            '`preset = "vim"`, which edits text as vim does, or `"emacs"`',
        ),
        (
            "A key for sending that the terminal does not take",
            f"{ZT} #176",
            "<compose.enter> or <compose.send>; what Enter does is in *App settings*",
        ),
        ("See all keys in the app, and search them", f"{WEB} #12246", "<app.help>, then <help.find>"),
        ("Reply to the selected message by one key", "gomuks #750", "<message.reply>"),
        (
            "Go to the first and the last message by one key",
            f"{WEB} #38351; {DESKTOP} #1509",
            "<message.oldest>, <message.newest>",
        ),
        (
            "Begin a message from recent conversations and the inbox too",
            f"{WEB} #17543",
            "<write.channel>, <write.direct> close them and begin",
        ),
    ),
    "Reading": (
        ("A list of recent conversations", f"{ZT} #1558, #1565", "<go.recent>"),
        ("Choose the view at the start", f"{ZT} #1367", "<account.settings>, *Home view*"),
        (
            "One conversation without the others between",
            "matterhorn #541, #762",
            "<message.topic>, or select it on the left",
        ),
        ("Only what is unread", f"{WEB} #1423; iamb #332", "<go.inbox>; `is:unread` in a search"),
        (
            "The next and the previous unread conversation, also while writing",
            f"{WEB} #4199, #5923",
            "<go.next-unread-topic>, <go.previous-unread-topic>; `Alt-j`, `Alt-p` in compose too",
        ),
        ("The next unread topic that I follow", f"{WEB} #27323; {ZT} #1485", "<go.next-unread-followed>"),
        ("A list of my mentions", "iamb #382", "<go.mentions>"),
        (
            "The number of unread messages in the list of channels",
            "iamb #677",
            "shown; for which channels is in <account.settings>, *Show unread counts for*",
        ),
        (
            "Mark all as read, or something as unread again",
            "iamb #332, #637",
            "<own.read-all>; <message.unread>; <topic.mark-unread>",
        ),
        ("Mute topics, and unmute them", f"{ZT} #745", "<topic.mute>"),
        ("Follow topics", f"{ZT} #1485", "<topic.follow>"),
        ("Mute people", f"{ZT} #1001", "<people.muted>, or on the card of a person"),
        ("Notifications by channel", "iamb #304", "<channel.own>"),
        ("Open links in a browser", f"{ZT} #38, #1030", "<message.hints>, then a letter; or click it"),
        (
            "Open links that are longer than a row",
            "matterhorn #307",
            "each of their rows is the whole link for the terminal",
        ),
        (
            "Links to messages open in the app",
            f"{ZT} #352; matterhorn #661",
            "<message.hints>; <message.goto>, paste it; `narrowcast open LINK`",
        ),
        ("Copy a link to a message", f"{ZT} #898; matterhorn #677", "<message.link>"),
        ("Copy a message whole, not with what stands beside it", f"{ZT} #546", "<message.copy>"),
        (
            "Images in the terminal",
            f"not in {ZT}",
            "shown below messages where the terminal can; <message.image> for the whole window",
        ),
    ),
    "Writing": (
        (
            "Leaving the text must not delete it",
            "gomuks #129",
            "<compose.leave> keeps it as a draft, which other devices have too",
        ),
        ("Several drafts, and a list of them", f"not in {ZT}", "<go.drafts>; <compose.new-draft>"),
        (
            "Bold, italic, code and links by keys",
            f"{ZT} #1525",
            "<compose.bold>, <compose.italic>, <compose.code>, <compose.link>",
        ),
        (
            "Preview by a key",
            f"{WEB} #18471, #30851",
            "<write.preview>; *App settings*, *Keys of each command* gives it a key",
        ),
        (
            "Upload an image from the clipboard",
            "iamb #127",
            "<compose.paste>; over SSH too if the terminal tells programs its clipboard",
        ),
        (
            "React with any emoji",
            "nchat #216",
            "<message.react>; <message.thumbs-up>; <message.react-first> joins the first one",
        ),
        ("Go to the conversation of the message that I write", f"{WEB} #9499", "<go.composed>"),
        ("Insert a saved snippet by keys", f"{WEB} #31829", "<write.snippets>"),
        ("Send later", f"{WEB} #20218", "<write.schedule>"),
        (
            "Select several messages to delete them",
            f"{WEB} #16427",
            "<message.choose> on each, then <message.delete>",
        ),
        (
            "Select several messages to move them",
            f"{WEB} #15983",
            "<message.choose> on each, then <topic.move>",
        ),
        ("Vote in polls", f"not in {ZT}", "<message.vote>"),
    ),
    "Connections and accounts": (
        (
            "Connect again after an outage, and send what was written meanwhile",
            f"not in {ZT}",
            "by itself; <go.outbox> shows what waits",
        ),
    ),
}
"""Requests by heading."""
