"""Changes of polls and to-do lists (outside the contract)."""

from __future__ import annotations

import json

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import Bound, Done, Operations, read, segment


async def send_submessage(connection: Connection, *, message_id: int, content: object) -> Done:
    """POST /submessage: add a part to a poll or to-do list; `content` is any JSON value.

    Raises BadRequest if the message contains neither, or if the content is not valid for it.
    """
    try:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput("content cannot be represented in JSON") from None
    params = {"message_id": int(segment(message_id, "message_id")), "msg_type": "widget", "content": text}
    return read(Done, await connection.request("POST", "/submessage", params))


async def vote(connection: Connection, *, message_id: int, option_key: str, yes: bool = True) -> Done:
    """Votes for an option of a poll, or retracts the vote.

    `option_key` is 'canned,N' for the Nth option of the message itself, and 'SENDER,N' for one that a user
    added.
    """
    content = {"type": "vote", "key": option_key, "vote": 1 if yes else -1}
    return await send_submessage(connection, message_id=message_id, content=content)


async def add_poll_option(connection: Connection, *, message_id: int, number: int, option: str) -> Done:
    """Adds an option to a poll; `number` counts the current user's options, from 1."""
    content = {"type": "new_option", "idx": number, "option": option}
    return await send_submessage(connection, message_id=message_id, content=content)


async def change_poll_question(connection: Connection, *, message_id: int, question: str) -> Done:
    """Changes the question of the current user's own poll."""
    content = {"type": "question", "question": question}
    return await send_submessage(connection, message_id=message_id, content=content)


async def add_task(
    connection: Connection, *, message_id: int, number: int, task: str, description: str = ""
) -> Done:
    """Adds a task to a to-do list; `number` counts the current user's tasks, from 1."""
    content = {"type": "new_task", "key": number, "task": task, "desc": description, "completed": False}
    return await send_submessage(connection, message_id=message_id, content=content)


async def toggle_task(connection: Connection, *, message_id: int, task_key: str) -> Done:
    """Checks or unchecks a task; `task_key` is 'N,canned' for a task of the message itself, else 'N,SENDER'."""
    content = {"type": "strike", "key": task_key}
    return await send_submessage(connection, message_id=message_id, content=content)


class SubmessageOperations(Operations):
    """Votes in polls, and tasks of to-do lists."""

    send = Bound(send_submessage)
    vote = Bound(vote)
    add_option = Bound(add_poll_option)
    change_question = Bound(change_poll_question)
    add_task = Bound(add_task)
    toggle_task = Bound(toggle_task)
