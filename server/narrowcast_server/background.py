"""Background tasks of the server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from narrowcast_server.resources.messages.retention import delete_expired
from narrowcast_server.resources.reminders import reminders_due
from narrowcast_server.resources.scheduled_messages import deliveries
from narrowcast_server.storage.store import fold_log
from narrowcast_server.zulip_archive.requested import make_exports

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_DELIVERY_SECONDS = 1.0
"""How late a scheduled message or a reminder may be sent."""

_RETENTION_SECONDS = 600.0
"""How late an expired message may be deleted."""
_BATCH_PAUSE_SECONDS = 0.05

_WATCH_SECONDS = 1.0
_REST_SECONDS = 60.0
"""Idle time after which a worker process ends."""

_FOLD_SECONDS = 1.0
_FOLD_CHANGES = 2000
"""Changed rows after which the write-ahead log is folded into the database file."""

_log = logging.getLogger("narrowcast.server")
Task = Callable[["Organization"], Awaitable[None]]


async def _collect_queues(organization: Organization) -> None:
    await organization.hub.collect_forever()


async def _beat(organization: Organization) -> None:
    await organization.hub.beat_forever()


async def _deliver(organization: Organization) -> None:
    while True:
        for due in (deliveries, reminders_due):
            while works := due(organization):
                await _one_by_one(organization, works)
        await organization.clock.sleep(_DELIVERY_SECONDS)


async def _one_by_one(organization: Organization, works: Iterable[Callable[[], None]]) -> None:
    """Runs the due work items; requests are served between any two."""
    for work in works:
        await organization.renderings.with_renderings(work)
        await asyncio.sleep(0)


async def _watch_loop(organization: Organization) -> None:
    loop = asyncio.get_running_loop()
    while True:
        # Real time, not the passed-in clock: this measures how long requests wait for the event loop.
        due = loop.time() + _WATCH_SECONDS
        await asyncio.sleep(_WATCH_SECONDS)
        organization.measures.record_delay(loop.time() - due)


async def _rest(organization: Organization) -> None:
    while True:
        await organization.clock.sleep(_REST_SECONDS)
        await organization.workers.rest()
        await organization.renderings.rest()


async def _retain(organization: Organization) -> None:
    while True:
        # Requests are served between two batches.
        await organization.clock.sleep(
            _BATCH_PAUSE_SECONDS if delete_expired(organization) else _RETENTION_SECONDS
        )


async def _fold_log(organization: Organization) -> None:
    folded = organization.store.changes
    while True:
        await organization.clock.sleep(_FOLD_SECONDS)
        if organization.store.changes - folded >= _FOLD_CHANGES:
            folded = organization.store.changes
            await asyncio.to_thread(fold_log, organization.store.path)


async def _send_mail(organization: Organization) -> None:
    # Imported late: few servers send email.
    from narrowcast_server.actions.mail_delivery import deliver_mail

    assert organization.config.mail is not None
    await deliver_mail(organization, organization.config.mail)


async def _watch_missed(organization: Organization) -> None:
    from narrowcast_server.actions.mail_delivery import watch_missed

    await watch_missed(organization)


MAIL_TASKS: list[Task] = [_send_mail, _watch_missed]
"""Further tasks, if the server sends email."""
TASKS: list[Task] = [_collect_queues, _beat, _deliver, _retain, _fold_log, _rest, _watch_loop, make_exports]
"""Tasks that run as long as the server does."""


@asynccontextmanager
async def background(organization: Organization) -> AsyncIterator[None]:
    """Runs every task until the block ends."""
    tasks = TASKS if organization.config.mail is None else TASKS + MAIL_TASKS
    running = [asyncio.create_task(guarded(organization, task)) for task in tasks]
    try:
        yield
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await organization.workers.stop()
        await organization.renderings.stop()


async def guarded(organization: Organization, task: Task) -> None:
    """Runs one task, and restarts it if it fails, unless the database is damaged."""
    while True:
        try:
            await task(organization)
        except Exception as error:
            if organization.store.notice(error):
                return  # what it would do cannot be stored
            _log.exception("background work failed; it is restarted in a second")
            await organization.clock.sleep(1)
