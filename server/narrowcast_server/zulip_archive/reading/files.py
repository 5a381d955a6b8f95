"""Uploads, avatars, custom emoji, icon and logos."""

from __future__ import annotations

import re
import shutil
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Final

from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.queries.organization import Picture
from narrowcast_server.resources.custom_emoji import MAX_NAME, PICTURES
from narrowcast_server.uploads.files import (
    ORGANIZATION,
    Folder,
    content_type,
    image_size,
    path_name,
    stored_name,
)
from narrowcast_server.uploads.pictures import MAX_PICTURE_MIB, bad_image, keep_picture
from narrowcast_server.zulip_archive.layout import AVATARS, EMOJI, ICONS, UPLOADS
from narrowcast_server.zulip_archive.reading.intake import Intake
from narrowcast_server.zulip_archive.reading.rows import ArchiveRow, identities, rows

_ORIGINAL: Final = ".original"
_NO_NAME: Final = re.compile(r"[^a-z0-9_-]")
_PICTURES: Final[tuple[Picture, ...]] = ("icon", "logo", "night_logo")


def _records(intake: Intake, folder: str) -> Iterator[ArchiveRow]:
    return rows({folder: intake.archive.records(folder)}, folder)


def uploads(intake: Intake) -> None:
    """Uploads with their bytes. Path ids not in this server's form are replaced, also in texts."""
    files = {record.text("s3_path"): record for record in _records(intake, UPLOADS)}
    ids = identities(intake.tables, "zerver_attachment")
    folder = Folder(intake.organization)
    names = {row.integer("id"): row.text("name") for row in intake.own_rows("upload_names")}
    for row in intake.rows("zerver_attachment"):
        theirs = row.text("path_id")
        name = stored_name(names.get(row.integer("id"), row.text("file_name")))
        record = files.pop(theirs, None)
        if record is None:
            row.fault(f"the upload {theirs!r} is not in the list of files, or in it twice")
        source = intake.archive.file(UPLOADS, record.text("path"))
        if source is None:
            row.fault(f"the upload {theirs!r} has no file")
        ours = theirs if _is_ours(folder, theirs) else folder.new_path_id(name)
        if ours != theirs:
            intake.paths[theirs] = ours
        _keep(folder, source, ours)
        media_type = content_type(name, row.text("content_type", ""))
        size = _size(source) if media_type.startswith("image/") else None
        intake.execute(
            "INSERT INTO attachments (id, path_id, name, owner_id, size, content_type, created, width, height)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ids[row.integer("id")],
            ours,
            name,
            row.reference("owner", intake.users),
            source.stat().st_size,
            media_type,
            row.time("create_time"),
            *(size or (None, None)),
        )
        for message_id in row.numbers("messages"):
            if message_id not in intake.messages:
                row.fault(f"message {message_id} is not in the archive")
            intake.execute(
                "INSERT OR IGNORE INTO message_attachments (message_id, attachment_id) VALUES (?, ?)",
                intake.messages[message_id],
                ids[row.integer("id")],
            )


def _is_ours(folder: Folder, path_id: str) -> bool:
    last = path_id.rpartition("/")[2]
    return folder.file(path_id) is not None and path_name(last) == last


def _keep(folder: Folder, source: Path, path_id: str) -> None:
    partial = folder.partial()
    try:
        shutil.copyfile(source, partial)
        folder.take(partial, path_id)
    finally:
        partial.unlink(missing_ok=True)


def _size(source: Path) -> tuple[int, int] | None:
    with source.open("rb") as file:
        return image_size(file)


def avatars(intake: Intake) -> None:
    """Avatars; if a user has several files, the original."""
    pictures: dict[int, ArchiveRow] = {}
    for record in _records(intake, AVATARS):
        theirs = record.integer("user_profile_id")
        user_id = intake.users.get(theirs)
        if user_id is None or theirs in intake.system_bots:
            continue
        if user_id not in pictures or record.text("s3_path").endswith(_ORIGINAL):
            pictures[user_id] = record
    for user_id, record in pictures.items():
        stored = _picture(intake, AVATARS, record, "pictures of people")
        if stored is not None:
            intake.organization.users.update(user_id, avatar_url=f"{PICTURES}/{ORGANIZATION}/{stored}")


def emoji(intake: Intake) -> None:
    """Custom emoji; those without a picture are skipped."""
    records: dict[str, ArchiveRow] = {}
    for record in _records(intake, EMOJI):
        name = record.text("file_name")
        if name not in records or record.text("s3_path").endswith(_ORIGINAL):
            records[name] = record
    ids = identities(intake.tables, "zerver_realmemoji")
    taken: set[str] = set()
    for row in intake.rows("zerver_realmemoji"):
        picture = records.get(row.text("file_name", ""))
        stored = None if picture is None else _picture(intake, EMOJI, picture, "emoji")
        if stored is None:
            continue
        theirs, deactivated = row.integer("id"), row.flag("deactivated")
        name = _emoji_name(intake, row, () if deactivated else taken)
        if not deactivated:
            taken.add(name)
        intake.emoji[theirs] = (ids[theirs], name)
        intake.execute(
            "INSERT INTO custom_emoji (id, name, author_id, source_url, deactivated) VALUES (?, ?, ?, ?, ?)",
            ids[theirs],
            name,
            row.optional("author", intake.users),
            f"{PICTURES}/{ORGANIZATION}/emoji/images/{stored}",
            int(deactivated),
        )


def _emoji_name(intake: Intake, row: ArchiveRow, taken: Container[str]) -> str:
    """A unique name that is valid between colons."""
    plain = unique = _NO_NAME.sub("_", row.text("name"))[:MAX_NAME]
    number = 1
    while unique in taken or not unique.strip("_-"):
        number += 1
        suffix = f"_{number}"
        unique = f"{plain[: MAX_NAME - len(suffix)]}{suffix}"
    return intake.texts.record_change("names of emoji", row.text("name"), unique)


def icons(intake: Intake) -> None:
    records = {record.text("path").rpartition("/")[2]: record for record in _records(intake, ICONS)}
    for picture in _PICTURES:
        record = records.get(f"{picture}{_ORIGINAL}") or records.get(f"{picture}.png")
        stored = None if record is None else _picture(intake, ICONS, record, "pictures of the organization")
        if stored is not None:
            intake.organization.set_settings(**{f"{picture}_picture": f"{PICTURES}/{ORGANIZATION}/{stored}"})


def _picture(intake: Intake, folder: str, record: ArchiveRow, words: str) -> str | None:
    """Stores a picture; returns its name, or None if it is missing or not a valid picture, which is counted."""
    source = intake.archive.file(folder, record.text("path"))
    try:
        if source is None or source.stat().st_size > MAX_PICTURE_MIB << 20:
            raise bad_image()
        return keep_picture(intake.organization, source.read_bytes())
    except ServiceError:
        intake.left_out[f"{words} that cannot be read"] += 1
        return None
