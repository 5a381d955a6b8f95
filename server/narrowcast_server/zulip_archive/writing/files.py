"""Uploads, avatars, custom emoji, icon and logos, each kind with a list of its files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from narrowcast_server.queries.organization import Picture
from narrowcast_server.uploads.files import UPLOADS as UPLOADS_HERE
from narrowcast_server.uploads.files import dashed, place
from narrowcast_server.uploads.pictures import stored_picture
from narrowcast_server.zulip_archive.layout import AVATARS, EMOJI, ICONS, REALM_ID, UPLOADS
from narrowcast_server.zulip_archive.writing.export import ArchiveExport, Record
from narrowcast_server.zulip_archive.writing.realm import emoji_file
from narrowcast_server.zulip_archive.writing.tarball import Tarball

_PICTURES: Final[tuple[Picture, ...]] = ("icon", "logo", "night_logo")


def write_files(export: ArchiveExport, archive: Tarball) -> dict[str, int]:
    """Writes all files and their lists to the archive; returns the number of files of each kind."""
    kinds = {UPLOADS: _uploads, AVATARS: _avatars, EMOJI: _emoji, ICONS: _icons}
    counts: dict[str, int] = {}
    for folder, write in kinds.items():
        records = sorted(write(export, archive), key=lambda record: str(record["path"]))
        archive.add_json(f"{folder}/records.json", records)
        counts[f"{folder}_records"] = len(records)
    return counts


def _uploads(export: ArchiveExport, archive: Tarball) -> Iterator[Record]:
    for row in export.source.rows("SELECT * FROM attachments ORDER BY id"):
        path_id = row["path_id"]
        source = place(export.source.folder / UPLOADS_HERE, path_id)
        size = None if source is None else _add(archive, f"{UPLOADS}/{path_id}", source)
        if size is None:
            export.lost_files.add(path_id)
            export.changed.append(f"the upload {row['name']} ({path_id}) has no file and is left out")
            continue
        yield {
            "realm_id": REALM_ID,
            "user_profile_id": row["owner_id"],
            "user_profile_email": export.source.users[row["owner_id"]].delivery_email,
            "s3_path": path_id,
            "path": path_id,
            "size": size,
            "last_modified": row["created"],
            "content_type": row["content_type"],
        }


def attachments(export: ArchiveExport) -> Iterator[Record]:
    """The records of uploads; to be written after the files, some of which may be missing, and the scheduled
    messages.
    """
    for row in export.source.rows("SELECT * FROM attachments ORDER BY id"):
        if row["path_id"] in export.lost_files:
            continue
        messages = export.source.rows(
            "SELECT message_id FROM message_attachments WHERE attachment_id = ? ORDER BY message_id",
            row["id"],
        )
        yield {
            "id": row["id"],
            "realm": REALM_ID,
            "owner": row["owner_id"],
            "file_name": listed_name(row["name"], row["path_id"]),
            "path_id": row["path_id"],
            "size": row["size"],
            "content_type": row["content_type"],
            "create_time": row["created"],
            "is_realm_public": None,
            "is_web_public": None,
            "messages": [message_id for (message_id,) in messages],
            "scheduled_messages": sorted(set(export.scheduled_uploads.get(row["path_id"], ()))),
        }


def listed_name(name: str, path_id: str) -> str:
    """The name of an upload, or a name derived from the path id: Zulip's import fails if the path does not
    end with the name.
    """
    last = path_id.rpartition("/")[2]
    names = (name, name.lstrip("."), *(last[start:] for start in range(len(last))))
    fitting = (
        candidate
        for candidate in names
        if dashed(candidate).strip(".") and path_id.endswith(dashed(candidate))
    )
    return next(fitting, name)


def _avatars(export: ArchiveExport, archive: Tarball) -> Iterator[Record]:
    for user in export.source.people:
        source = _picture(export, user.avatar_url)
        path = f"{REALM_ID}/{user.id}.original"
        size = None if source is None else _add(archive, f"{AVATARS}/{path}", source)
        if size is not None:
            yield {
                "realm_id": REALM_ID,
                "user_profile_id": user.id,
                "user_profile_email": user.delivery_email,
                "avatar_version": user.avatar_version,
                "s3_path": path,
                "path": path,
                "size": size,
                "last_modified": export.now,
                "content_type": None,
                # Only one size is exported.
                "importer_should_thumbnail": True,
            }


def _emoji(export: ArchiveExport, archive: Tarball) -> Iterator[Record]:
    for row in export.source.rows("SELECT * FROM custom_emoji ORDER BY id"):
        source = _picture(export, row["source_url"])
        name = emoji_file(row["id"], row["source_url"])
        path = f"{REALM_ID}/emoji/images/{name}"
        if source is None or _add(archive, f"{EMOJI}/{path}", source) is None:
            export.changed.append(f"the emoji {row['name']} has no picture and is left out")
            continue
        yield {
            "realm_id": REALM_ID,
            "author": row["author_id"],
            "path": path,
            "s3_path": path,
            "file_name": name,
            "name": row["name"],
            "deactivated": bool(row["deactivated"]),
        }


def _icons(export: ArchiveExport, archive: Tarball) -> Iterator[Record]:
    """The original, and the same file as the displayed picture: Zulip's import does not create smaller ones."""
    for picture in _PICTURES:
        source = _picture(export, export.source.settings[f"{picture}_picture"])
        if source is None:
            continue
        for suffix in ("original", "png"):
            path = f"{REALM_ID}/{picture}.{suffix}"
            if _add(archive, f"{ICONS}/{path}", source) is not None:
                yield {"realm_id": REALM_ID, "path": path, "s3_path": path}


def _picture(export: ArchiveExport, url: object) -> Path | None:
    name = stored_picture(url)
    return None if name is None else export.source.folder / UPLOADS_HERE / "public" / name


def _add(archive: Tarball, name: str, source: Path) -> int | None:
    """Adds a file; returns its size, or None if it does not exist."""
    try:
        content: IO[bytes] = source.open("rb")
    except FileNotFoundError:
        return None
    with content:
        return archive.add(name, content)
