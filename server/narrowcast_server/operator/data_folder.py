"""What an operator does with a whole data folder: check it, keep a copy of it, exchange it with Zulip."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from narrowcast_server.operator.backup import BackupError, backup, restore
from narrowcast_server.operator.server_file import ServerFileError, read
from narrowcast_server.storage import checking
from narrowcast_server.zulip_archive.errors import ArchiveError
from narrowcast_server.zulip_archive.layout import NEWEST_KNOWN, LevelError, Target
from narrowcast_server.zulip_archive.reading.archive import read_archive
from narrowcast_server.zulip_archive.writing.archive import write_archive

__all__ = ["CopyError", "LevelError", "check", "copy"]


class CopyError(Exception):
    """Why nothing was copied, in words for the operator."""


def check(data: Path) -> list[str]:
    """Nothing, or one line for each fault of the data and of the operator's file beside them."""
    faults = checking.check(data)
    try:
        read(data)
    except ServerFileError as error:
        faults.append(str(error))
    return faults


def copy(
    kind: str,
    data: Path,
    file: Path,
    *,
    with_keys: bool = False,
    level: int | None = None,
    say: Callable[[str], None],
) -> None:
    """Copies all of ``data`` to a file, or from one: "backup", "restore", "export_zulip" or "import_zulip".

    ``with_keys``: the keys of accounts are in a backup; ``level``: of the Zulip server that shall import an archive,
    the newest known unless given. Raises CopyError; LevelError where no archive can be made for a level.
    """
    try:
        match kind:
            case "backup":
                backup(data, file, with_keys=with_keys, say=say)
            case "restore":
                restore(file, data, say=say)
            case "export_zulip":
                write_archive(data, file, server=NEWEST_KNOWN if level is None else Target(level), say=say)
            case _:
                read_archive(file, data, say=say)
    except (BackupError, ArchiveError) as error:
        raise CopyError(str(error)) from error
