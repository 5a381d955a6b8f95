"""Files on their way to the server, with progress; cancelled and resumed at will.

    WAITING ──> SENDING ──> DONE (a Markdown link)
       ^         │   │
       │ resume()│   └──> FAILED ───┐
       └─────────┴─ CANCELLED <─────┘ cancel()

What a server has of a file after a cut is kept (`resume_from`): a resumable upload goes on from there.
"""

from __future__ import annotations

import enum
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from narrowcast_api.destinations import Destination
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.protocols.alarm import Tasks, log
from narrowcast_api.state.changes import Change, UploadsChanged


class UploadState(enum.Enum):
    """Where a file is on its way."""

    WAITING = "waiting"
    SENDING = "sending"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class UploadFile(Protocol):
    """Send one file; the Markdown link to it.

    `progress(sent, size)` in bytes. `resume_from` is what an earlier try handed to `resumable`.
    """

    async def __call__(
        self,
        path: Path,
        *,
        progress: Callable[[int, int], None],
        resume_from: str | None,
        resumable: Callable[[str], None],
    ) -> str: ...


class Upload:
    """One file. `size` and `sent` are bytes; `link` is Markdown once it is DONE; `error` is for people.

    `destination` is the conversation in whose compose box the link belongs.
    """

    def __init__(
        self, queue: UploadQueue, upload_id: str, path: Path, destination: Destination | None
    ) -> None:
        self.id = upload_id
        self.path = path
        self.name = path.name
        self.destination = destination
        self.size = 0
        self.sent = 0
        self.state = UploadState.WAITING
        self.link: str | None = None
        self.error: str | None = None
        self.resume_from: str | None = None
        self._queue = queue

    @property
    def fraction(self) -> float:
        """How much of it is there, 0 to 1."""
        return min(1.0, self.sent / self.size) if self.size else float(self.state is UploadState.DONE)

    def cancel(self) -> None:
        """Stop sending. What the server has already is forgotten by it in time."""
        self._queue.cancel(self)

    def resume(self) -> None:
        """Go on after a failure or a cancellation."""
        self._queue.resume(self)


class UploadQueue:
    """Sends files, two at a time, in the order in which they were started. Needs a running loop."""

    def __init__(
        self,
        *,
        upload: UploadFile,
        changed: Callable[[Change], None],
        at_once: int = 2,
        new_id: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        self._upload = upload
        self._changed = changed
        self._at_once = at_once
        self._new_id = new_id
        self._tasks = Tasks()
        self._uploads: dict[str, Upload] = {}
        self._cancels: dict[str, Callable[[], object]] = {}

    def start(self, path: Path, destination: Destination | None = None) -> Upload:
        """Queue a file. A missing or unreadable one ends as FAILED, it does not raise."""
        upload = Upload(self, self._new_id(), path, destination)
        try:
            upload.size = path.stat().st_size
        except OSError as error:
            upload.state, upload.error = UploadState.FAILED, f"{path.name} cannot be read: {error.strerror}."
        self._uploads[upload.id] = upload
        self._publish(upload)
        self._start_next()
        return upload

    def all(self) -> list[Upload]:
        """Every upload that was not dismissed, oldest first."""
        return list(self._uploads.values())

    def get(self, upload_id: str) -> Upload | None:
        """One upload."""
        return self._uploads.get(upload_id)

    def dismiss(self, upload: Upload) -> None:
        """Take it off the list, cancelled if it is not done."""
        self.cancel(upload)
        if self._uploads.pop(upload.id, None) is not None:
            self._publish(upload)

    def cancel(self, upload: Upload) -> None:
        """Stop one; nothing happens if it is done."""
        if upload.state is UploadState.DONE:
            return
        upload.state, upload.error = UploadState.CANCELLED, None
        cancel = self._cancels.pop(upload.id, None)
        if cancel is not None:
            cancel()
        self._publish(upload)
        self._start_next()

    def resume(self, upload: Upload) -> None:
        """Queue it again, if it failed or was cancelled."""
        if upload.state in (UploadState.FAILED, UploadState.CANCELLED) and upload.id in self._uploads:
            upload.state, upload.error = UploadState.WAITING, None
            self._publish(upload)
            self._start_next()

    async def close(self) -> None:
        """Stop all."""
        for upload in self._uploads.values():
            if upload.state is UploadState.WAITING:
                upload.state = UploadState.CANCELLED
        await self._tasks.close()

    def _start_next(self) -> None:
        for upload in self._uploads.values():
            if len(self._cancels) >= self._at_once:
                return
            if upload.state is UploadState.WAITING and upload.id not in self._cancels:
                upload.state = UploadState.SENDING
                task = self._tasks.start(self._send(upload))
                self._cancels[upload.id] = task.cancel
                self._publish(upload)

    async def _send(self, upload: Upload) -> None:
        def progress(sent: int, size: int) -> None:
            upload.sent, upload.size = sent, size
            self._publish(upload)

        def resumable(token: str) -> None:
            upload.resume_from = token

        mine = self._cancels.get(upload.id)
        try:
            link = await self._upload(
                upload.path, progress=progress, resume_from=upload.resume_from, resumable=resumable
            )
        except NarrowcastError as error:
            self._failed(upload, error.user_message)
        except OSError as error:
            self._failed(upload, f"{upload.name} cannot be read: {error.strerror}.")
        except Exception as error:
            log.error("upload failed in an unforeseen way", exc_info=error)
            self._failed(upload, "Something went wrong here; the log has more.")
        else:
            if upload.state is UploadState.SENDING:
                upload.state, upload.link, upload.sent = UploadState.DONE, link, upload.size
        finally:
            if self._cancels.get(upload.id) is mine:
                self._cancels.pop(upload.id, None)
        self._publish(upload)
        self._start_next()

    def _failed(self, upload: Upload, error: str) -> None:
        if upload.state is UploadState.SENDING:
            upload.state, upload.error = UploadState.FAILED, error

    def _publish(self, upload: Upload) -> None:
        self._changed(UploadsChanged((upload.id,)))
