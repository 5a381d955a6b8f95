"""Editing, moving and deleting messages, one or those of a topic (rows DTOP); their edit history and read receipts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import RESOLVED_TOPIC_PREFIX, PropagateMode, Result
from narrowcast_server.computing.differences import plain_difference
from narrowcast_server.http.params import boolean, choice, defaulted, natural, optional, required, string
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Channel, Message
from narrowcast_server.queries.messages import audience_of, has_widget, readers_of
from narrowcast_server.resources.messages import edits as message_edits
from narrowcast_server.resources.messages import moves as message_moves
from narrowcast_server.resources.messages.changes import delete_messages, emit_update, stored
from narrowcast_server.resources.messages.moves import post_move_notices
from narrowcast_server.resources.messages.sending import truncated_content
from narrowcast_server.rules import access, topics
from narrowcast_server.rules.edit_history import EditHistoryFilter, Entry
from narrowcast_server.rules.messages import check_may_delete, check_may_edit
from narrowcast_server.rules.moves import MessageMove, check_move
from narrowcast_server.rules.permissions import Callers

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

routes = Routes()

CONTENT = optional("content", string)
TOPIC = optional("topic", string, aliases=("subject",))
STREAM_ID = optional("stream_id", natural)
MODE = defaulted("propagate_mode", choice("change_one", "change_later", "change_all"), "change_one")
OLD_THREAD = defaulted("send_notification_to_old_thread", boolean, False)
NEW_THREAD = defaulted("send_notification_to_new_thread", boolean, True)
PREV_SHA = optional("prev_content_sha256", string)
TOPIC_NAME = required("topic_name", string)
ALLOW_EMPTY_TOPIC = defaulted("allow_empty_topic_name", boolean, False)

_MARK: Final = RESOLVED_TOPIC_PREFIX.strip()
_DIFFERENCE_SECONDS: Final = 1.0


@routes.patch("/messages/{message_id}", STREAM_ID, TOPIC, MODE, OLD_THREAD, NEW_THREAD, PREV_SHA, CONTENT)
def update_message(call: Call) -> ResponseBody:
    """Changes a message's text, channel or topic; `propagate_mode` may move other messages of the topic with it."""
    organization, user = call.organization, call.user
    message = access.changeable_message(organization, user, call.path_id("message_id"))
    content, topic, stream_id = call[CONTENT], call[TOPIC], call[STREAM_ID]
    if content is None and topic is None and stream_id is None:
        raise ServiceError("Nothing to change")
    if content is not None and stream_id is not None:
        raise ServiceError("Cannot change message content while changing channel")
    if call[MODE] != "change_one" and topic is None and stream_id is None:
        raise ServiceError("Invalid propagate_mode without topic edit")
    if topic is not None and topic.strip() in (
        _MARK,
        f"{RESOLVED_TOPIC_PREFIX}{organization.empty_topic_name}",
    ):
        raise ServiceError("General chat cannot be marked as resolved")
    if content is not None and has_widget(organization, message.id):
        raise ServiceError("Widgets cannot be edited.")
    event: dict[str, object] = {"user_id": user.id, "edit_timestamp": organization.now()}
    if message.channel_id is not None:
        event |= {
            "stream_name": organization.channels[message.channel_id].name,
            "stream_id": message.channel_id,
        }
    move = _planned_move(call, message)
    audience = {user_id: [message.id] for user_id in audience_of(organization, message)}
    texts: dict[str, object] = {}
    if content is not None:
        check_may_edit(organization, user, message)
        message_edits.check_base(message, call[PREV_SHA])
        texts = message_edits.edit_content(
            organization, user, message, truncated_content(organization, content)
        )
    if move is not None:
        # The move is planned again, from the messages as the edit left them.
        move = _planned_move(call, stored(organization, message.id)) or move
        changes, audience, newcomers = message_moves.apply(organization, user, move)
        event |= {**changes, "propagate_mode": call[MODE]}
        emit_update(organization, message, {**event, **message_moves.arrival(move)}, {}, newcomers)
    emit_update(organization, message, event, texts, audience)
    if move is not None:
        post_move_notices(organization, user, move, old_thread=call[OLD_THREAD], new_thread=call[NEW_THREAD])
    return {"detached_uploads": []}


def _planned_move(call: Call, message: Message) -> MessageMove | None:
    """The move that the request asks for, after permission checks; None if it only edits the text."""
    organization, topic, stream_id = call.organization, call[TOPIC], call[STREAM_ID]
    if topic is None and stream_id is None:
        return None
    channel: Channel | None = None
    if stream_id is not None:
        channel = access.readable_channel(organization, call.user, stream_id)
    if topic is not None and message.channel_id is not None:
        topic = topics.checked(organization, topics.truncated(organization, topic))
    unchanged = message.topic == topic and channel is None
    if unchanged and call[CONTENT] is not None:
        return None
    move = message_moves.plan(organization, call.user, message, topic, channel, PropagateMode(call[MODE]))
    check_move(organization, call.user, move)
    return move


@routes.delete("/messages/{message_id}")
def delete_message(call: Call) -> ResponseBody:
    """Deletes a message for everyone."""
    message = access.changeable_message(call.organization, call.user, call.path_id("message_id"))
    check_may_delete(call.organization, call.user, message)
    delete_messages(call.organization, [message])
    return {}


@routes.get("/messages/{message_id}/history", ALLOW_EMPTY_TOPIC)
async def get_message_history(call: Call) -> ResponseBody:
    """All versions of a message, oldest first."""
    organization = call.organization
    policy = organization.settings["message_edit_history_visibility_policy"]
    if policy == "none":
        raise ServiceError("Message edit history is disabled in this organization")
    message = access.visible_message(organization, call.user, call.path_id("message_id"))
    entries = EditHistoryFilter(organization, call.user).visible_entries(
        message.id, json.loads(message.history)
    )
    versions = _versions(message, entries, with_texts=policy == "all")
    await _add_differences(organization, versions)
    empty = "" if call[ALLOW_EMPTY_TOPIC] or message.channel_id is None else organization.empty_topic_name
    for version in versions:
        for key in ("topic", "prev_topic"):
            if version.get(key) == "":
                version[key] = empty
    return {"message_history": versions}


def _versions(message: Message, entries: Sequence[Entry], *, with_texts: bool) -> list[dict[str, object]]:
    """All versions, oldest first; without `with_texts` each has the current text, and text edits are left out."""
    content, rendered, topic = message.content, message.rendered, message.topic
    versions: list[dict[str, object]] = []
    for entry in entries:
        if "prev_content" in entry and not with_texts:
            continue
        version: dict[str, object] = {
            **{key: value for key, value in entry.items() if key != "prev_rendered_content_version"},
            "content": content,
            "rendered_content": rendered,
            "topic": topic,
        }
        if "prev_content" in entry:
            content, rendered = entry["prev_content"], entry["prev_rendered_content"]
        topic = entry.get("prev_topic", topic)
        versions.append(version)
    versions.append(
        {
            "content": content,
            "rendered_content": rendered,
            "topic": topic,
            "timestamp": message.timestamp,
            "user_id": message.sender_id,
        }
    )
    return versions[::-1]


async def _add_differences(organization: Organization, versions: list[dict[str, object]]) -> None:
    """Adds the HTML difference to each version that changed the text, within one time limit for all of them."""
    edits = [version for version in versions if "prev_content" in version]
    pairs = [(str(version["prev_content"]), str(version["content"])) for version in edits]
    differences = await organization.workers.compute("difference", pairs, _DIFFERENCE_SECONDS)
    for version, pair, difference in zip(edits, pairs, differences, strict=True):
        version["content_html_diff"] = plain_difference(*pair) if difference is None else difference


@routes.get("/messages/{message_id}/read_receipts")
def get_read_receipts(call: Call) -> ResponseBody:
    """Users who have read a message and share it, except its sender and users muted by or muting the caller."""
    organization, user = call.organization, call.user
    if not organization.setting("enable_read_receipts", bool):
        raise ServiceError("Read receipts are disabled in this organization.")
    message = access.visible_message(organization, user, call.path_id("message_id"))
    return {"user_ids": readers_of(organization, user, message)}


@routes.post("/streams/{stream_id}/delete_topic", TOPIC_NAME, callers=Callers.ADMINISTRATORS)
async def delete_topic(call: Call) -> ResponseBody:
    """Deletes the messages of a topic that the caller can see: newest first, in batches of one transaction
    each.

    A request stops after `limits.delete_batches_a_request` batches, in place of the time limit of larger
    servers; the messages deleted by then stay deleted, and the client repeats the request (DTOP-07, DTOP-08).
    """
    channel = access.readable_channel(call.organization, call.user, call.path_id("stream_id"))
    topic = topics.mapped(call.organization, call[TOPIC_NAME])
    for _ in range(call.organization.config.limits.delete_batches_a_request):
        if not _delete_batch(call, channel, topic):
            break
    complete = not access.newest_in_topic(call.organization, call.user, channel, topic, 1)
    if call.level >= Gate.DELETE_TOPIC_COMPLETE.level:
        return {"complete": complete}
    if complete:
        return {}
    # DTOP-10: a third value of `result`, only below level 211.
    return {"result": Result.PARTIALLY_COMPLETED.value, "code": "REQUEST_TIMEOUT"}


def _delete_batch(call: Call, channel: Channel, topic: str) -> int:
    organization = call.organization
    messages = access.newest_in_topic(
        organization, call.user, channel, topic, organization.config.limits.delete_batch
    )
    if messages:
        with organization.transaction():
            delete_messages(organization, messages)
    return len(messages)
