"""Messages: read, send, edit, delete (outside the contract except for matches_narrow, CONV-23)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime

from msgspec.structs import replace

from narrowcast_api.errors import BadRequest, ExpectationMismatch, InvalidInput, NarrowcastError
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.conversations import (
    Addressee,
    ChannelDestination,
    DirectDestination,
    NamedTopic,
    PeopleByEmail,
    addressed,
    channel_id,
    checked_content,
    message_type,
    people_to,
    wire_topic,
)
from narrowcast_api.http.operations import (
    OMIT,
    Bound,
    Done,
    Omit,
    Operations,
    drop_unsupported,
    ids,
    read,
    segment,
)
from narrowcast_api.routes.narrows import Narrowing, anchor_params, wire_narrow
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.messages import (
    EditResult,
    MessageHistory,
    MessagePage,
    MessageResponse,
    MessagesSummary,
    ReadReceipts,
    RenderedMessage,
    SentMessage,
)
from narrowcast_api.wire.vocabulary import Anchor, PropagateMode


async def list_messages(
    connection: Connection,
    *,
    narrow: Narrowing = (),
    anchor: int | Anchor | str | datetime = Anchor.NEWEST,
    num_before: int = 0,
    num_after: int = 0,
    include_anchor: bool = True,
    apply_markdown: bool = True,
    client_gravatar: bool = True,
    allow_empty_topic_name: bool = True,
) -> MessagePage:
    """GET /messages: a page around `anchor` (an id, 'newest', 'oldest', 'first_unread', or a time: the first message
    since then, from level 445), oldest first.

    With `apply_markdown` the content is HTML, else the source. The page's own `anchor` is the id that the
    server resolved; messages that cannot be parsed are left out. Without `allow_empty_topic_name` the empty
    topic is replaced by the organization's name for it. Raises BadNarrow for unknown operators.
    """
    server = await connection.identified()
    params: dict[str, object] = {
        **anchor_params(server, anchor),
        "num_before": num_before,
        "num_after": num_after,
        "apply_markdown": apply_markdown,
        "client_gravatar": client_gravatar,
    }
    terms = wire_narrow(narrow)
    if terms:
        params["narrow"] = terms
    one_sided = not (num_before and num_after)  # else the server rejects it; the anchor is removed below
    if not include_anchor and one_sided and server.supports(Gate.INCLUDE_ANCHOR):
        params["include_anchor"] = False
    if server.supports(Gate.EMPTY_TOPIC) and allow_empty_topic_name:
        params["allow_empty_topic_name"] = True
    page = read(MessagePage, await connection.request("GET", "/messages", params))
    if include_anchor:
        return page
    kept = [fetched for fetched in page.fetched if fetched.message.id != page.anchor]
    return replace(page, fetched=kept)


async def list_messages_by_id(
    connection: Connection, *, message_ids: Iterable[int], apply_markdown: bool = True
) -> MessagePage:
    """GET /messages with `message_ids`: those that the current user may read; level 300, else Unsupported."""
    checked_ids = ids(message_ids, "message_ids")
    server = await connection.identified()
    server.require(Gate.MESSAGE_IDS)
    params = {"message_ids": checked_ids, "apply_markdown": apply_markdown, "allow_empty_topic_name": True}
    if not server.supports(Gate.EMPTY_TOPIC):
        del params["allow_empty_topic_name"]
    return read(MessagePage, await connection.request("GET", "/messages", params))


async def get_message(
    connection: Connection, *, message_id: int, apply_markdown: bool = True
) -> MessageResponse:
    """GET /messages/{message_id}: one message; below level 120 only `raw_content`, its source.

    Raises BadRequest if it does not exist or the current user may not read it.
    """
    path = f"/messages/{segment(message_id, 'message_id')}"
    server = await connection.identified()
    params: dict[str, object] = {}
    if server.supports(Gate.MESSAGE_OBJECT):
        params["apply_markdown"] = apply_markdown
    if server.supports(Gate.EMPTY_TOPIC):
        params["allow_empty_topic_name"] = True
    return read(MessageResponse, await connection.request("GET", path, params))


async def send_message(
    connection: Connection,
    *,
    to: Addressee,
    content: str,
    topic: str | Omit = OMIT,
    local_id: str | Omit = OMIT,
    queue_id: str | Omit = OMIT,
    read_by_sender: bool = True,
) -> SentMessage:
    """POST /messages: send `content` (Markdown); returns the message's id.

    `to` is a channel by name or id, with its `topic`; or users, as a list of user ids or of emails; or a
    destination, which includes the topic.

    With `local_id` (any text, unique within the queue) and `queue_id`, the queue's own event about the
    message contains the local id. A `DirectDestination` contains the other participants; an empty one, like
    an empty list, is a note to self. Before sending, InvalidInput is raised for blank or over-long content,
    users with a topic, or a channel without one; Unsupported for an empty topic below level 334. The server
    may reject it with StreamDoesNotExist, BadRequest or InsufficientPermission. After OutcomeUnknown and
    ServerFault it is not known whether the message was sent.
    """
    where = addressed(to, topic)
    server = await connection.identified()
    params: dict[str, object] = {
        "type": message_type(server, where),
        "content": checked_content(connection, content),
        "local_id": local_id,
        "queue_id": queue_id,
    }
    match where:
        case ChannelDestination():
            params["to"] = channel_id(where)
            params["topic"] = wire_topic(connection, where.topic)
        case NamedTopic():
            params["to"] = where.wire_name
            params["topic"] = wire_topic(connection, where.topic)
        case DirectDestination():
            params["to"] = await people_to(connection, where)
        case PeopleByEmail(emails):
            params["to"] = list(emails)
    params["read_by_sender"] = read_by_sender
    notices = (
        [] if not read_by_sender else drop_unsupported(server, Gate.READ_BY_SENDER, params, "read_by_sender")
    )
    return read(SentMessage, await connection.request("POST", "/messages", params), notices)


async def edit_message(
    connection: Connection,
    *,
    message_id: int,
    content: str | Omit = OMIT,
    topic: str | Omit = OMIT,
    channel: int | Omit = OMIT,
    propagate_mode: PropagateMode | Omit = OMIT,
    notify_old_thread: bool | Omit = OMIT,
    notify_new_thread: bool | Omit = OMIT,
    expected_content: str | Omit = OMIT,
) -> EditResult:
    """PATCH /messages/{message_id}: change the content, or move the message to a topic or channel, with
    others of its topic.

    `expected_content` is the source on which the edit is based: from level 379 ExpectationMismatch is raised
    if the message was changed in the meantime; below, the edit is sent unchecked, with a notice.
    `propagate_mode` selects the messages of the topic that are moved too. An edit may also empty the content,
    which most servers then mark as deleted. Raises InvalidInput if nothing would change.
    """
    path = f"/messages/{segment(message_id, 'message_id')}"
    if all(isinstance(value, Omit) for value in (content, topic, channel)):
        raise InvalidInput("an edit changes the content, the topic or the channel")
    server = await connection.identified()
    params: dict[str, object] = {
        "content": content
        if isinstance(content, Omit) or not content
        else checked_content(connection, content),
        "topic": topic if isinstance(topic, Omit) else wire_topic(connection, topic),
        "stream_id": channel if isinstance(channel, Omit) else int(segment(channel, "channel")),
        "propagate_mode": propagate_mode,
        "send_notification_to_old_thread": notify_old_thread,
        "send_notification_to_new_thread": notify_new_thread,
    }
    notices: list[str] = []
    if not isinstance(expected_content, Omit) and not isinstance(content, Omit):
        params["prev_content_sha256"] = _sha256(expected_content)
        notices = drop_unsupported(server, Gate.EDIT_EXPECTATION, params, "prev_content_sha256")
    try:
        response = await connection.request("PATCH", path, params)
    except BadRequest as error:
        # The general code, with a message in any language: whether it is a conflict, the text of the message says.
        expected = params.get("prev_content_sha256")
        if (
            type(error) is BadRequest
            and expected is not None
            and await _has_changed(connection, path, expected)
        ):
            raise ExpectationMismatch(error.code, error.msg, error.status, error.extra) from error
        raise
    return read(EditResult, response, notices)


async def _has_changed(connection: Connection, path: str, expected_sha256: object) -> bool:
    """Whether the message has another text than the expected one; False if it cannot be fetched."""
    try:
        response = read(MessageResponse, await connection.request("GET", path, {"apply_markdown": False}))
    except NarrowcastError:
        return False
    source = response.raw_content or ("" if response.message is None else response.message.content)
    return _sha256(source) != expected_sha256


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


async def delete_message(connection: Connection, *, message_id: int) -> Done:
    """DELETE /messages/{message_id}: permanently, for everybody. Raises BadRequest if the message does not
    exist or the current user may not delete it.
    """
    path = f"/messages/{segment(message_id, 'message_id')}"
    return read(Done, await connection.request("DELETE", path))


async def get_message_history(connection: Connection, *, message_id: int) -> MessageHistory:
    """GET /messages/{message_id}/history: all versions of the message, oldest first."""
    path = f"/messages/{segment(message_id, 'message_id')}/history"
    server = await connection.identified()
    params = {"allow_empty_topic_name": True} if server.supports(Gate.EMPTY_TOPIC) else {}
    return read(MessageHistory, await connection.request("GET", path, params))


async def get_read_receipts(connection: Connection, *, message_id: int) -> ReadReceipts:
    """GET /messages/{message_id}/read_receipts: the users who have read it; level 137, else Unsupported."""
    path = f"/messages/{segment(message_id, 'message_id')}/read_receipts"
    (await connection.identified()).require(Gate.READ_RECEIPTS)
    return read(ReadReceipts, await connection.request("GET", path))


async def render_message(connection: Connection, *, content: str) -> RenderedMessage:
    """POST /messages/render: returns the HTML of `content`."""
    params = {"content": checked_content(connection, content)}
    return read(RenderedMessage, await connection.request("POST", "/messages/render", params))


async def summarize_messages(connection: Connection, *, narrow: Narrowing) -> str:
    """GET /messages/summary: a summary of a conversation in a few sentences, as Markdown.

    Raises BadRequest if the server has no language model or the current user's quota is used up;
    InsufficientPermission if the current user may not have topics summarized.
    """
    response = await connection.request("GET", "/messages/summary", {"narrow": wire_narrow(narrow)})
    return read(MessagesSummary, response).summary


async def report_message(
    connection: Connection, *, message_id: int, report_type: str, description: str | Omit = OMIT
) -> Done:
    """POST /messages/{message_id}/report: report a message to the moderators; level 382, else Unsupported.

    `report_type` is one of 'spam', 'harassment', 'inappropriate', 'norms', 'other'; 'other' needs a description.
    """
    path = f"/messages/{segment(message_id, 'message_id')}/report"
    (await connection.identified()).require(Gate.REPORT_MESSAGE)
    params = {"report_type": report_type, "description": description}
    return read(Done, await connection.request("POST", path, params))


class MessageOperations(Operations):
    """Messages: list, send, edit, move, delete."""

    list = Bound(list_messages)
    list_by_id = Bound(list_messages_by_id)
    get = Bound(get_message)
    send = Bound(send_message)
    edit = Bound(edit_message)
    delete = Bound(delete_message)
    history = Bound(get_message_history)
    read_receipts = Bound(get_read_receipts)
    render = Bound(render_message)
    report = Bound(report_message)
    summarize = Bound(summarize_messages)
