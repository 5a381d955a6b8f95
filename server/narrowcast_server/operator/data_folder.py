"""Operations on a whole data folder: check, backup and restore, exchange with Zulip."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from narrowcast_server import checking
from narrowcast_server.operator.backup import BackupError, backup, restore
from narrowcast_server.operator.server_file import ServerFileError, read
from narrowcast_server.zulip_archive.layout import NEWEST_KNOWN, ArchiveError, LevelError, TargetServer
from narrowcast_server.zulip_archive.reading.archive import read_archive
from narrowcast_server.zulip_archive.writing.archive import write_archive

__all__ = ["CopyError", "LevelError", "check", "copy"]


class CopyError(Exception):
    """Why nothing was copied; shown to the operator."""


def check(data: Path) -> list[str]:
    """One line for each fault in the data and in the operator's `server.toml`; empty if there is none."""
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
    """Copies all of ``data`` to or from a file: "backup", "restore", "export_zulip" or "import_zulip".

    ``with_keys``: a backup includes the secret of the API keys; ``level``: feature level of the Zulip server
    that will import an archive, by default the newest known. Raises CopyError; LevelError if no archive can
    be made for the level.
    """
    try:
        match kind:
            case "backup":
                backup(data, file, with_keys=with_keys, say=say)
            case "restore":
                restore(file, data, say=say)
            case "export_zulip":
                write_archive(
                    data, file, server=NEWEST_KNOWN if level is None else TargetServer(level), say=say
                )
            case _:
                read_archive(file, data, say=say)
    except (BackupError, ArchiveError) as error:
        raise CopyError(str(error)) from error
