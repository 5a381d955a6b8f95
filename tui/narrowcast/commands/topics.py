"""Commands on topics: move, rename, resolve, mute, follow, mark as read, delete, link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from narrowcast.commands import targets
from narrowcast.commands.writing import rendered
from narrowcast.content.addresses import view_address
from narrowcast.panes.messages.reactions import UNTIL_ANOTHER_VIEW, stay_read
from narrowcast.runtime.context import app_of, in_app
from narrowcast.screens.dialogs.asking import ask
from narrowcast.screens.dialogs.confirm import Question, ask_first
from narrowcast.screens.dialogs.form_fields import (
    ChannelName,
    Field,
    LineField,
    OneOf,
    UnusableValue,
    Values,
    YesNo,
)
from narrowcast.screens.dialogs.late import RequestOrigin
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.dialogs.progress import ProgressScreen
from narrowcast.screens.main.moves import follow_topic
from narrowcast.text import names
from narrowcast.text.formats import counted
from narrowcast.widgets.transfer_row import done
from narrowcast_api import permissions
from narrowcast_api.errors import MoveTimeLimitExceeded
from narrowcast_api.http.encoding import OMIT
from narrowcast_api.model.topics import is_resolved, resolved_name, unresolved_name
from narrowcast_api.narrow.destinations import ChannelDestination, same_conversation
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.permissions import ALLOWED, Refusal
from narrowcast_api.state.changes import Change, MessagesRemoved
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import PropagateMode, VisibilityPolicy

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.model.messages import Message
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

VISIBILITIES = (
    (VisibilityPolicy.FOLLOWED, "Follow", Gate.FOLLOW_TOPICS),
    (VisibilityPolicy.UNMUTED, "Unmute", Gate.TOPIC_VISIBILITY),
    (VisibilityPolicy.NONE, "Default for channel", None),
    (VisibilityPolicy.MUTED, "Mute", None),
)


def move(screen: Workspace) -> None:
    """Renames a topic, moves it to another channel, or moves only some of its messages: those that are chosen."""
    if screen.messages.parts.several.move():
        return
    where = targets.topic_or_notify(screen)
    if where is None:
        return
    state = screen.session.state
    message = targets.message_of(screen, where)
    within, out = _move_refusals(screen, message)
    if within and out:
        screen.refuse(within)
        return

    async def submit(values: Values) -> Callable[[], object]:
        try:
            await _move(screen, where, message, values)
        except MoveTimeLimitExceeded as error:
            if not error.movable or error.first_movable is None:
                raise
            return partial(_offer_rest, screen, where, error, values)
        return partial(screen.tell, "Messages moved.")

    title = f"Move {names.destination(state, where)}"
    fields = _move_fields(state, where, message, within, out)
    ask(screen, title, fields, submit, verb="moves", then=lambda after: after())


def _offer_rest(
    screen: Workspace, where: ChannelDestination, error: MoveTimeLimitExceeded, values: Values
) -> None:
    """Offers to move the messages that are not too old yet."""
    new = ChannelDestination(values.channel("channel") or where.channel_id, values.text("topic"))

    async def rest() -> None:
        await screen.session.client.messages.edit(
            message_id=error.first_movable or 0,
            topic=new.topic if new.topic != where.topic else OMIT,
            channel=new.channel_id if new.channel_id != where.channel_id else OMIT,
            propagate_mode=PropagateMode.CHANGE_LATER,
            notify_old_thread=values.flag("old"),
            notify_new_thread=values.flag("new"),
        )
        screen.tell(f"{counted(error.movable, 'message')} moved.")

    ask_first(
        screen,
        Question(
            f"Move only the newest {error.movable} of {counted(error.total, 'message')}?",
            "Move these messages",
            "You can no longer move the older ones.",
        ),
        lambda: screen.spawn(rest(), "move messages"),
    )


def _move_refusals(screen: Workspace, message: Message | None) -> tuple[Refusal, Refusal]:
    """Why the current user may not move the message to another topic, and to another channel; the server decides
    what the client cannot know.
    """
    if message is None:
        return ALLOWED, ALLOWED
    state, now = screen.session.state, screen.session.clock.now()
    return (
        permissions.move_topic_refusal(state, message, now),
        permissions.move_channel_refusal(state, message, now),
    )


def _move_fields(
    state: State, where: ChannelDestination, message: Message | None, within: Refusal, out: Refusal
) -> list[Field]:
    def topics(_typed: str) -> list[str]:
        return [topic.name for topic in state.topics.of(where.channel_id) if topic.name]

    which: list[tuple[object, str]] = [(PropagateMode.CHANGE_ALL, "All messages in this topic")]
    if message is not None:
        which += [
            (PropagateMode.CHANGE_LATER, "Only this message and later messages"),
            (PropagateMode.CHANGE_ONE, "Only this message"),
        ]
    limit = state.limits.max_topic_length
    return [
        LineField(
            "topic",
            "Topic",
            "",
            needs=within.short,
            value=where.topic,
            limit=limit,
            suggest=topics,
            new="new topic",
        ),
        ChannelName(
            "channel",
            "Channel",
            needs=out.short,
            value=where.channel_id,
        ),
        OneOf("which", "Move", options=which, value=PropagateMode.CHANGE_ALL),
        YesNo("new", "Notify new topic", "Send an automated notice to the new topic", value=True),
        YesNo("old", "Notify old topic", "Send an automated notice to the old topic", value=False),
    ]


def _moved_meanwhile(state: State, where: ChannelDestination, message: Message | None) -> str:
    """Why a dialog about the topic of the message no longer applies; empty if it does."""
    now = state.messages.get(message.id) if message is not None else None
    there = now.destination(state.me) if now is not None else None
    if there is None or same_conversation(there, where):
        return ""
    return f"The message was moved to {names.destination(state, there)} meanwhile. Start again from there."


async def _move(
    screen: Workspace, where: ChannelDestination, message: Message | None, values: Values
) -> None:
    topic, channel_id = values.text("topic"), values.channel("channel")
    if channel_id is None:
        raise UnusableValue("channel", "Select a channel.")
    if (topic, channel_id) == (where.topic, where.channel_id):
        raise UnusableValue("topic", "Choose a different topic or channel.")
    if problem := _moved_meanwhile(screen.session.state, where, message):
        raise UnusableValue("", problem)
    client = screen.session.client
    new_topic = topic if topic != where.topic else OMIT
    new_channel = channel_id if channel_id != where.channel_id else OMIT
    if message is None:
        await client.topics.move(
            channel_id=where.channel_id,
            topic=where.topic,
            new_topic=new_topic,
            new_channel_id=new_channel,
            notify_old_thread=values.flag("old"),
            notify_new_thread=values.flag("new"),
        )
    else:
        await client.messages.edit(
            message_id=message.id,
            topic=new_topic,
            channel=new_channel,
            propagate_mode=PropagateMode(str(values["which"])),
            notify_old_thread=values.flag("old"),
            notify_new_thread=values.flag("new"),
        )
    new = ChannelDestination(channel_id, topic)
    if message is None or values["which"] == PropagateMode.CHANGE_ALL:
        follow_topic(screen, where, new, is_own=True)
    elif screen.narrow == Narrow.from_destination(where) and not screen.writing.has_focus_within:
        screen.go(Narrow.from_destination(new), message.id)


async def resolve(screen: Workspace) -> None:
    """Marks a topic as resolved or unresolved."""
    where = targets.topic_or_notify(screen)
    if where is None:
        return
    if screen.refuse(permissions.resolve_refusal(screen.session.state, where.channel_id, where.topic)):
        return
    resolved = not is_resolved(where.topic)
    message = targets.message_of(screen, where)
    message_id = message.id if message is not None else None
    await screen.session.client.topics.resolve(
        channel_id=where.channel_id, topic=where.topic, resolved=resolved, message_id=message_id
    )
    name = resolved_name(where.topic) if resolved else unresolved_name(where.topic)
    limit = screen.session.state.limits.max_topic_length
    follow_topic(screen, where, ChannelDestination(where.channel_id, name[:limit]), is_own=True)
    screen.tell("Topic resolved." if resolved else "Topic unresolved.")


async def mute(screen: Workspace) -> None:
    """Mutes a topic, or unmutes it."""
    where = targets.topic_or_notify(screen)
    if where is None:
        return
    policy = screen.session.state.policy_to_toggle_mute(where.channel_id, where.topic)
    await _see(screen, where, VisibilityPolicy(policy))


async def follow(screen: Workspace) -> None:
    """Follows a topic, or stops following it."""
    where = targets.topic_or_notify(screen)
    if where is None:
        return
    now = screen.session.state.topics.visibility(where.channel_id, where.topic)
    followed = int(now) == VisibilityPolicy.FOLLOWED
    await _see(screen, where, VisibilityPolicy.NONE if followed else VisibilityPolicy.FOLLOWED)


def visibility(screen: Workspace) -> None:
    """Chooses whether a topic is muted, unmuted or followed."""
    where = targets.topic_or_notify(screen)
    if where is None:
        return
    state = screen.session.state
    now = int(state.topics.visibility(where.channel_id, where.topic))
    choices = [
        Choice(
            policy,
            words,
            "current" if policy == now else "",
            disabled="" if gate is None else permissions.level_needed(state, gate),
        )
        for policy, words, gate in VISIBILITIES
    ]

    def chosen(policy: VisibilityPolicy | None) -> None:
        if policy is not None:
            screen.spawn(_see(screen, where, policy), "change the topic's visibility")

    screen.app.push_screen(Picker(names.destination(state, where), choices), chosen)


async def _see(screen: Workspace, where: ChannelDestination, policy: VisibilityPolicy) -> None:
    archived = permissions.archived_change_refusal(screen.session.state, where.channel_id, "topics")
    if policy is not VisibilityPolicy.NONE and screen.refuse(archived):
        return
    await screen.session.client.topics.set_visibility(
        channel_id=where.channel_id, topic=where.topic, policy=policy
    )
    words = {VisibilityPolicy.FOLLOWED: "Followed", VisibilityPolicy.MUTED: "Muted"}.get(policy, "Unmuted")
    screen.tell(f"{words}: {names.destination(screen.session.state, where)}")


async def mark_read(screen: Workspace) -> None:
    """Marks all messages in the topic as read."""
    if (where := targets.topic_or_notify(screen)) is not None:
        await screen.session.client.flags.mark_topic_as_read(channel_id=where.channel_id, topic=where.topic)


async def mark_unread(screen: Workspace) -> None:
    """Marks all messages in the topic as unread."""
    if (where := targets.topic_or_notify(screen)) is not None:
        session = screen.session
        channel = session.state.channels.get(where.channel_id)
        if channel is not None and not channel.is_subscribed:
            screen.refuse(stay_read(f"#{names.channel(session.state, where.channel_id)}"))
            return
        async with session.read_marks.suspended():
            changed = await session.client.flags.change_whole_narrow(
                narrow=[
                    {"operator": "channel", "operand": where.channel_id},
                    {"operator": "topic", "operand": where.topic},
                ],
                op="remove",
            )
        topic, state = Narrow.from_destination(where), session.state
        session.show_unread([m.id for m in state.messages if topic.matches(m, state)])
        for view in screen.session.views_on_screen:
            first = next((m.id for m in state.messages.known(view.ids) if topic.matches(m, state)), None)
            if first is not None:
                session.kept_unread.add(view.narrow)
                view.move_unread_line(first)
        screen.tell(f"{counted(changed, 'message')} marked as unread. {UNTIL_ANOTHER_VIEW}")


def delete(screen: Workspace) -> None:
    """Deletes a topic with all its messages, after asking; the user can stop the deletion."""
    where = targets.topic_or_notify(screen)
    if where is None:
        return
    if screen.refuse(permissions.delete_topic_refusal(screen.session.state, where.channel_id)):
        return
    message = targets.message_of(screen, where)
    name = names.destination(screen.session.state, where)

    def begin() -> None:
        if screen.refuse(_moved_meanwhile(screen.session.state, where, message)):
            return

        work = partial(_delete, screen.session, where)
        screen.app.push_screen(ProgressScreen(f"Deleting {name}", work))

    question = Question(
        f"Delete {name} and all its messages?", "Delete topic", "They are deleted for everybody."
    )
    ask_first(screen, question, begin)


async def _delete(session: Session, where: ChannelDestination, progress: ProgressScreen) -> str:
    """Deletes a topic in batches. Responses do not say how many messages are deleted, events do."""
    name, deleted = names.destination(session.state, where), 0

    def count(changes: Sequence[Change]) -> None:
        nonlocal deleted
        gone = sum(len(change.ids) for change in changes if isinstance(change, MessagesRemoved))
        if gone:
            deleted += gone
            progress.show(done(deleted, None, "message"))

    def round_done(rounds: int) -> bool:
        if not deleted:  # whoever is not subscribed is sent no events
            progress.show([(counted(rounds, "batch", "batches"), "")])
        return not progress.stopped

    unfollow = session.subscribe(in_app(count))
    try:
        result = await session.client.topics.delete(
            channel_id=where.channel_id, topic=where.topic, progress=round_done
        )
    finally:
        unfollow()
    return f"{name} deleted." if result.complete else f"Stopped. Some messages in {name} were not deleted."


async def summarize(screen: Workspace) -> None:
    """Shows a summary of the topic by the server's language model."""
    where = targets.topic_or_notify(screen)
    if where is None:
        return
    state, client = screen.session.state, screen.session.client
    if screen.refuse(permissions.summary_refusal(state)):
        return
    attention = RequestOrigin(screen.messages)
    narrow = Narrow.from_destination(where).to_wire(state.server, state)
    summary = await client.messages.summarize(narrow=narrow)
    html = (await client.messages.render(content=summary)).rendered
    attention.open(rendered(screen, html), what="The summary", again="<topic.summarize> requests it again.")


def copy_link(screen: Workspace) -> None:
    """Copies the link to a topic."""
    where = targets.topic_or_notify(screen)
    if where is not None:
        address = view_address(Narrow.from_destination(where), screen.session.state)
        app_of(screen).copy(address, lambda: screen.tell(f"Copied: {address}"))
