"""Downloads, above the status line: their bars, what stopped them, and the keys that cancel or repeat them."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from textual.containers import Vertical

from narrowcast.keys.hints import hint_words, keys_of
from narrowcast.runtime.context import app_of
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.one_line import OneLine
from narrowcast.widgets.transfer_row import arrived, transfer_row
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.storage.records import UploadState

if TYPE_CHECKING:
    from narrowcast.runtime.context import AppContext
    from narrowcast_api.sync.session import Session

__all__ = ["Download", "DownloadRows"]

SHOWN_AFTER = 0.3
"""Seconds after which a download has a row: most have ended by then."""


class Download:
    """A file on its way. ``error``: what stopped it, until it is tried again."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.name = unquote(urlsplit(url).path.rpartition("/")[2]) or "file"
        self.received = 0
        self.total: int | None = None
        self.error = ""
        self.task: asyncio.Task[None] | None = None
        self.row: OneLine | None = None
        """None while it has none: see `SHOWN_AFTER`."""

    def cancel(self) -> None:
        """What has arrived is deleted."""
        if self.task is not None:
            self.task.cancel()
            self.task = None


class DownloadRows(Vertical):
    """One row per download that takes its time or has failed, the newest first: it is cancelled or repeated. Those
    that do not fit are scrolled to with the mouse.
    """

    DEFAULT_CSS = """
    DownloadRows { height: auto; max-height: 4; overflow-y: auto; scrollbar-size-vertical: 1; }
    """

    def __init__(self, session: Session) -> None:
        super().__init__(id="downloads")
        self._session = session
        self._downloads: list[Download] = []

    def start(self, url: str) -> None:
        """Downloads a file of the organization into the user's download folder."""
        download = Download(url)
        self._downloads.append(download)
        self.set_timer(SHOWN_AFTER, partial(self._show, download))
        self._begin(download)

    def cancel(self) -> bool:
        """Cancels the newest download, or removes it if it has failed; False if there is none."""
        if not self._downloads:
            return False
        download = self._downloads[-1]
        was_running = not download.error
        download.cancel()
        self._take_away(download)
        if was_running:
            app_of(self).tell(f"Download canceled: {download.name}")
        return True

    def retry(self) -> bool:
        """Tries the newest failed download again; False if there is none."""
        failed = [download for download in self._downloads if download.error]
        if failed:
            failed[-1].error = ""
            self._begin(failed[-1])
            self._show(failed[-1])
        return bool(failed)

    def refresh_rows(self) -> None:
        """Shows the keys that act on downloads now: while there are uploads, they act on those."""
        for download in self._downloads:
            if download.row is not None:
                self._show(download)

    def on_unmount(self) -> None:
        """Downloads go on without rows, as when another account is shown."""
        self._downloads.clear()

    def _begin(self, download: Download) -> None:
        download.received, download.total = 0, None
        app = app_of(self)
        download.task = app.spawn(self._fetch(download, app), "download the file")

    async def _fetch(self, download: Download, app: AppContext) -> None:
        """Downloads under a safe and unused name."""
        progress = partial(self._arrived, download)
        try:
            folder = await asyncio.to_thread(_downloads)
            fetched = await self._session.client.uploads.download(
                url=download.url, folder=folder, progress=progress
            )
        except (NarrowcastError, OSError) as error:
            download.error = error.user_message if isinstance(error, NarrowcastError) else str(error)
            app.tell(f"{download.name}: {download.error}", severity="error")
            self._show(download)
            return
        self._take_away(download)
        app.tell(f"Downloaded to {fetched.path}", seconds=10)

    def _arrived(self, download: Download, received: int, total: int | None) -> None:
        download.received, download.total = received, total
        if download.row is not None:
            self._show(download)

    def _show(self, download: Download) -> None:
        if download not in self._downloads or not self.is_attached:
            return
        if download.row is None:
            download.row = OneLine()
            newer = self._downloads[self._downloads.index(download) + 1 :]
            above = next((one.row for one in newer if one.row is not None), None)
            first = self.children[0] if self.children else None
            self.mount(download.row, after=above, before=None if above else first)
        keys = keys_of(self)
        if download.error:
            does = hint_words(keys, (("download.retry", "tries again"), ("download.cancel", "removes")))
            about = [(f" {safe_line(download.error, 300)}", "bad")]
        else:
            does = hint_words(keys, (("download.cancel", "cancels"),))
            about = arrived(download.received, download.total)
        uploads = self._session.uploads.all()
        is_meant = all(upload.state is UploadState.DONE for upload in uploads)
        download.row.show_pieces(*transfer_row(download.name, about, does if is_meant else ()))

    def _take_away(self, download: Download) -> None:
        if download not in self._downloads:
            return
        self._downloads.remove(download)
        if download.row is not None:
            download.row.remove()
            download.row = None


def _downloads() -> Path:
    from platformdirs import user_downloads_path

    folder = user_downloads_path()
    folder.mkdir(parents=True, exist_ok=True)
    return folder
