"""File uploads with progress, which can be cancelled and resumed at any time, even after a restart.

    WAITING ──> SENDING ──> DONE (a Markdown link) ── dismiss() ──> gone
       ^         │   │
       │ resume()│   └──> FAILED ───┐
       └─────────┴─ CANCELLED <─────┘ cancel()

The journal keeps each upload until it is dismissed. The server's URL of a partial upload is kept too
(`resume_from`): a resumable upload continues from there, even after a restart, if the file has not changed.
Uploads that the network interrupted are resumed automatically once the connection is live again; those that
the user stopped wait for the user.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from narrowcast_api.errors import TEMPORARY, InvalidInput, NarrowcastError
from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.routes.uploads import markdown_link, upload_file
from narrowcast_api.state.changes import UploadsChanged
from narrowcast_api.storage.journal import JournalChanges
from narrowcast_api.storage.records import FileStamp, UploadRecord, UploadState
from narrowcast_api.tasks import Tasks

if TYPE_CHECKING:
    from narrowcast_api.client import Client

log = logging.getLogger(__name__)

__all__ = ["Upload", "UploadQueue", "UploadState"]

WAITING, SENDING, DONE = UploadState.WAITING, UploadState.SENDING, UploadState.DONE
FAILED, CANCELLED = UploadState.FAILED, UploadState.CANCELLED

_ENDED = (FAILED, CANCELLED)
_AT_ONCE = 2


class SendFile(Protocol):
    """Uploads a file; returns the Markdown link to it.

    `progress(sent, size)` in bytes. `resume_from` is what an earlier attempt passed to `resumable`.
    """

    async def __call__(
        self,
        client: Client,
        path: Path,
        *,
        progress: Callable[[int, int], None],
        resume_from: str | None,
        resumable: Callable[[str], None],
    ) -> str: ...


async def send_file(
    client: Client,
    path: Path,
    *,
    progress: Callable[[int, int], None],
    resume_from: str | None,
    resumable: Callable[[str], None],
) -> str:
    """POST /user_uploads, or tus for large files."""
    done = await upload_file(
        client.connection, path=path, progress=progress, resume_from=resume_from, resumable=resumable
    )
    return markdown_link(done.filename or path.name, done.url)


async def file_stamp(path: Path) -> FileStamp:
    """Returns the current size and modification time of a file. Raises OSError."""
    status = await asyncio.to_thread(path.stat)
    return FileStamp(status.st_size, status.st_mtime_ns)


class Upload:
    """One file. `size` and `sent` are bytes; `link` is Markdown once it is DONE; `error` is a message for the
    user.

    `destination` is the conversation, `draft_id` the draft whose text the link belongs to. `edited_id` is the
    message whose edit it belongs to instead; it is not kept for the next run, in which the edit is a draft.
    """

    def __init__(self, queue: UploadQueue, record: UploadRecord, edited_id: int | None = None) -> None:
        self.record = record
        self.edited_id = edited_id
        self.sent = 0
        self.interrupted = False
        """Whether it failed because of the network, so that it is resumed automatically."""
        self._queue = queue

    @property
    def id(self) -> str:
        """The id of the upload, which stays the same after a restart."""
        return self.record.upload_id

    @property
    def path(self) -> Path:
        """The path of the file on this machine."""
        return self.record.path

    @property
    def name(self) -> str:
        return self.record.path.name

    @property
    def destination(self) -> Destination | None:
        """The conversation for which it was chosen."""
        return self.record.destination

    @property
    def draft_id(self) -> str | None:
        """The draft for which it was chosen."""
        return self.record.draft_id

    @property
    def state(self) -> UploadState:
        return self.record.state

    @property
    def link(self) -> str | None:
        """The Markdown link to the file, once it is DONE."""
        return self.record.link

    @property
    def error(self) -> str | None:
        """What went wrong and what to do, for the user."""
        return self.record.error

    @property
    def resume_from(self) -> str | None:
        """The server's URL of the partial upload."""
        return self.record.resume_from

    @property
    def size(self) -> int:
        """Bytes of the file; 0 before it was examined."""
        return self.record.stamp.size if self.record.stamp is not None else 0

    @property
    def fraction(self) -> float:
        """The uploaded part, 0 to 1."""
        if self.state is DONE:
            return 1.0
        return min(1.0, self.sent / self.size) if self.size else 0.0

    def cancel(self) -> None:
        """Stops sending. The server discards the partial upload after a while."""
        self._queue.cancel(self)

    def resume(self) -> None:
        """Continues after a failure or a cancellation."""
        self._queue.resume(self)


class UploadQueue:
    """Uploads files while the connection is live, two at a time, in the order in which they were started.

    Needs a running loop. Call `wake` when the connection is live: unfinished uploads of an earlier run start
    then.
    """

    def __init__(
        self,
        context: SessionContext,
        *,
        send: SendFile = send_file,
        stamp: Callable[[Path], Awaitable[FileStamp]] = file_stamp,
    ) -> None:
        self._context = context
        self._journal = journal = context.journal
        self._send_file = send
        self._stamp = stamp
        self._tasks = Tasks()
        self._cancels: dict[str, Callable[[], object]] = {}
        self._closed = False
        kept = [record for record in journal.load_uploads() if self._is_own(record)]
        self._uploads = {record.upload_id: Upload(self, _left_over(record)) for record in kept}
        self._position = max((record.position for record in kept), default=0)

    def start(
        self,
        path: Path,
        destination: Destination | None = None,
        draft_id: str | None = None,
        edited_id: int | None = None,
    ) -> Upload:
        """Queues a file. If it is missing or unreadable it ends as FAILED; nothing is raised."""
        self._position += 1
        record = UploadRecord(self._context.new_id(), self._position, path.absolute(), destination, draft_id)
        upload = Upload(self, record, edited_id)
        self._uploads[upload.id] = upload
        self._set(upload)
        self._start_next()
        return upload

    def _is_own(self, record: UploadRecord) -> bool:
        """Whether this window sends the file: the link belongs where the file was chosen."""
        return record.owner == self._journal.window and self._journal.read_only is None

    def on_journal(self, changes: JournalChanges) -> None:
        """Takes over unfinished uploads of windows that have closed."""
        left = [
            record
            for upload_id, record in changes.uploads().items()
            if record is not None and self._is_own(record) and upload_id not in self._uploads
        ]
        for record in sorted(left, key=lambda record: record.position):
            upload = self._uploads[record.upload_id] = Upload(self, _left_over(record))
            self._position = max(self._position, record.position)
            self._publish(upload)
        self._start_next()

    def all(self) -> list[Upload]:
        """Every upload that was not dismissed, oldest first."""
        return list(self._uploads.values())

    def get(self, upload_id: str) -> Upload | None:
        """An upload by its id; None once its row is gone."""
        return self._uploads.get(upload_id)

    def dismiss(self, upload: Upload) -> None:
        """Removes an upload from the list, and cancels it if it is not done."""
        self.cancel(upload)
        if self._uploads.pop(upload.id, None) is not None:
            self._journal.delete_upload(upload.id)
            self._publish(upload)

    def cancel(self, upload: Upload) -> None:
        """Stops an upload; does nothing if it is done."""
        if upload.state is DONE or upload.id not in self._uploads:
            return
        upload.interrupted = False
        self._set(upload, state=CANCELLED, error=None)
        cancel = self._cancels.pop(upload.id, None)
        if cancel is not None:
            cancel()
        self._start_next()

    def resume(self, upload: Upload) -> None:
        """Queues an upload again, if it failed or was cancelled."""
        if upload.state in _ENDED and upload.id in self._uploads:
            upload.interrupted = False
            self._set(upload, state=WAITING, error=None)
            self._start_next()

    def readdress(self, upload: Upload, destination: Destination) -> None:
        """Changes the conversation for which a file was chosen, because its topic was moved."""
        self._set(upload, destination=destination)

    def wake(self) -> None:
        """Starts waiting uploads, and those that the network had interrupted, because the connection is live."""
        for upload in self._uploads.values():
            if upload.interrupted:
                self.resume(upload)
        self._start_next()

    async def close(self) -> None:
        """Stops all uploads. The next start resumes those in progress."""
        self._closed = True
        await self._tasks.close()

    def _start_next(self) -> None:
        if self._closed or not self._context.is_live:
            return
        for upload in self._uploads.values():
            if len(self._cancels) >= _AT_ONCE:
                return
            if upload.state is WAITING and upload.id not in self._cancels:
                self._set(upload, state=SENDING)
                task = self._tasks.start(self._send(upload), "upload a file")
                self._cancels[upload.id] = task.cancel

    async def _send(self, upload: Upload) -> None:
        mine = self._cancels.get(upload.id)
        try:
            await self._look_at(upload)
            link = await self._transfer(upload)
        except NarrowcastError as error:
            network = isinstance(error, TEMPORARY)
            self._failed(upload, error.user_message, interrupted=network)
        except OSError as error:
            self._failed(upload, f"{upload.name} cannot be read: {error.strerror}.")
        except Exception as error:
            log.error("upload failed in an unforeseen way", exc_info=error)
            self._failed(upload, "Unexpected error. See the log for details.")
        else:
            if upload.state is SENDING:
                upload.sent = upload.size
                self._set(upload, state=DONE, link=link)
        finally:
            if self._cancels.get(upload.id) is mine:
                self._cancels.pop(upload.id, None)
        self._publish(upload)
        self._start_next()

    async def _look_at(self, upload: Upload) -> None:
        """Raises InvalidInput if the file has changed or is missing since the upload began, OSError if it
        cannot be read.
        """
        begun = upload.record.stamp
        try:
            now = await self._stamp(upload.path)
        except FileNotFoundError:
            if begun is None:
                raise
            raise InvalidInput(
                f"{upload.name} is not in {upload.path.parent} any more. Put it back and resume, or cancel the upload."
            ) from None
        if begun is not None and now != begun:
            upload.sent = 0
            self._set(upload, stamp=None, resume_from=None)
            raise InvalidInput(
                f"{upload.name} has changed since it was attached. Resume to send the new version, or cancel it."
            )
        if begun is None:
            self._set(upload, stamp=now)

    async def _transfer(self, upload: Upload) -> str:
        def progress(sent: int, size: int) -> None:
            upload.sent = sent
            self._publish(upload)

        def resumable(token: str) -> None:
            self._set(upload, resume_from=token)

        client = self._context.client
        return await self._send_file(
            client, upload.path, progress=progress, resume_from=upload.resume_from, resumable=resumable
        )

    def _failed(self, upload: Upload, error: str, *, interrupted: bool = False) -> None:
        if upload.state is SENDING:
            upload.interrupted = interrupted
            self._set(upload, state=FAILED, error=error)

    def _set(self, upload: Upload, **changes: object) -> None:
        """Changes the journal record of an upload, if it has not been dismissed."""
        upload.record = replace(upload.record, **changes)
        if upload.id in self._uploads and not self._closed:
            self._journal.put_upload(upload.record)
        self._publish(upload)

    def _publish(self, upload: Upload) -> None:
        self._context.publish(UploadsChanged((upload.id,)))


def _left_over(record: UploadRecord) -> UploadRecord:
    """Returns the record as WAITING if it was in progress when the program ended, or failed after a part was
    uploaded.
    """
    half_way = record.state is FAILED and record.resume_from is not None
    if record.state is SENDING or half_way:
        return replace(record, state=WAITING, error=None)
    return record
