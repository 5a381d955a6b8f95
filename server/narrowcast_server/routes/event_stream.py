"""Event queues over a WebSocket: `GET /api/v1/events/stream?queue_id=Q&last_event_id=N`, Basic credentials.

The server sends text frames `{"events": [...]}`, heartbeats included; the client acknowledges with
`{"last_event_id": N}`. Events that are not acknowledged are sent again on the next connection. When the queue
is gone the server sends the BAD_EVENT_QUEUE_ID error as a frame and closes with 4400; bad credentials close
with 4401.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from starlette.responses import JSONResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from narrowcast_server.http import auth
from narrowcast_server.http.browsers import check_page
from narrowcast_server.http.params import integer
from narrowcast_server.organization.errors import ServiceError, unauthorized
from narrowcast_server.organization.events import EventQueue
from narrowcast_server.routes.server_settings import STREAM_PATH

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

__all__ = ["STREAM_PATH", "event_stream"]

CLOSE_BAD_QUEUE: Final = 4400
CLOSE_UNAUTHORIZED: Final = 4401
CLOSE_REPLACED: Final = 4409
_BATCH: Final = 500


def event_stream(organization: Organization) -> Callable[[WebSocket], Awaitable[None]]:
    """The WebSocket endpoint."""

    async def serve(socket: WebSocket) -> None:
        try:
            check_page(organization, socket.headers)
        except ServiceError as error:
            await socket.send_denial_response(JSONResponse(error.body(), error.status))
            return
        await socket.accept()
        try:
            user, extra = auth.unlimited_caller(organization, socket.headers.get("authorization"))
            queue = organization.hub.get(socket.query_params.get("queue_id", ""), user.id)
            position = integer("last_event_id", socket.query_params.get("last_event_id", "-1"))
            queue.acknowledge(position)
        except ServiceError as error:
            code = CLOSE_UNAUTHORIZED if error.status == 401 else CLOSE_BAD_QUEUE
            await _refuse(socket, error, code)
            return
        queue.streams += 1
        try:
            await _converse(organization, socket, queue, position, None if extra is None else extra.expires)
        finally:
            queue.streams -= 1
            queue.last_seen = organization.clock.monotonic()

    return serve


async def _converse(
    organization: Organization, socket: WebSocket, queue: EventQueue, position: int, expires: int | None
) -> None:
    """Runs until the connection ends; `expires`: when its API key does, in UTC seconds."""
    tasks = {
        asyncio.create_task(_send(organization, socket, queue, position)),
        asyncio.create_task(_receive(socket, queue)),
    }
    if expires is not None:
        tasks.add(asyncio.create_task(_end(organization, socket, expires)))
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        with suppress(WebSocketDisconnect, asyncio.CancelledError):
            task.result()


async def _send(organization: Organization, socket: WebSocket, queue: EventQueue, position: int) -> None:
    while True:
        # A client may acknowledge events that were not sent yet, here or on another connection.
        position = max(position, queue.pruned_to)
        if queue.next_id > position + 1:
            await organization.hub.pace(queue)
            if rows := queue.after(position, _BATCH, organization.config.limits.characters_a_response):
                await socket.send_text('{"events":[' + ",".join(text for _, text in rows) + "]}")
                position = rows[-1][0]
            continue
        try:
            if not await organization.hub.wait(queue, position):
                await socket.close(CLOSE_REPLACED)
                return
        except ServiceError as error:
            await _refuse(socket, error, CLOSE_BAD_QUEUE)
            return


async def _end(organization: Organization, socket: WebSocket, expires: int) -> None:
    """Ends the connection when its API key expires."""
    while (left := expires - organization.clock.now()) > 0:
        await organization.clock.sleep(left)
    await _refuse(socket, unauthorized("Invalid API key"), CLOSE_UNAUTHORIZED)


async def _receive(socket: WebSocket, queue: EventQueue) -> None:
    while True:
        frame = await socket.receive()
        if frame["type"] == "websocket.disconnect":
            return
        with suppress(ValueError, ServiceError, RecursionError):
            message = json.loads(frame.get("text") or "null")
            if isinstance(message, dict) and type(message.get("last_event_id")) is int:
                queue.acknowledge(message["last_event_id"])


async def _refuse(socket: WebSocket, error: ServiceError, code: int) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        await socket.send_text(json.dumps(error.body()))
        await socket.close(code)
