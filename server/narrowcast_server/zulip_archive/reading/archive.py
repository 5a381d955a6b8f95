"""Imports an archive into a new data folder: completely, or not at all with the reason."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path

from narrowcast_server.checking import check
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.organization import Organization
from narrowcast_server.zulip_archive import layout
from narrowcast_server.zulip_archive.layout import ArchiveError
from narrowcast_server.zulip_archive.reading import (
    channels,
    files,
    groups,
    messages,
    people,
    realm,
)
from narrowcast_server.zulip_archive.reading.intake import Intake
from narrowcast_server.zulip_archive.reading.recipients import RecipientReader
from narrowcast_server.zulip_archive.reading.unpacking import LIMITS, Archive, ArchiveLimits, opened


def read_archive(
    source: Path, data: Path, *, limits: ArchiveLimits = LIMITS, say: Callable[[str], None] = print
) -> None:
    """Makes a data folder from an archive (a tar file or a folder) written by this program, by Zulip, or by
    Zulip's converters from other services. Raises ArchiveError, and then leaves nothing behind.
    """
    if data.exists() and (not data.is_dir() or any(data.iterdir())):
        raise ArchiveError(f"{data} is not empty: an archive is imported into a new or empty folder")
    data = data.absolute()
    try:
        data.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=data.parent, prefix=".import-") as name:
            made = Path(name) / "data"
            with opened(source, Path(name), limits) as archive:
                lines = asyncio.run(_made(archive, made))
            if faults := check(made):
                raise ArchiveError(f"the archive does not make a valid organization: {faults[0]}")
            if data.exists():
                data.rmdir()
            made.replace(data)
    except (OSError, sqlite3.Error, OverflowError) as error:
        raise ArchiveError(f"{source} cannot be imported: {error}") from error
    for line in lines:
        say(line)
    say(f"{data}: verified. Nobody has a password yet: narrowcast serve admin password WHO --data {data}")


async def _made(archive: Archive, folder: Path) -> list[str]:
    organization = Organization(folder, ServerConfig(durable=False))
    try:
        tables = archive.tables(layout.REALM_FILE)
        attachments = archive.tables(layout.ATTACHMENTS_FILE)
        own = archive.tables(layout.OWN_FILE) if archive.has(layout.OWN_FILE) else {}
        intake = Intake(organization, archive, {**tables, **attachments}, own)
        with organization.transaction():
            # References between tables are circular, so foreign keys are checked when all rows are inserted.
            organization.store.execute("PRAGMA defer_foreign_keys = ON")
            await _take_in(intake)
            _check_references(organization)
        return _summary(intake)
    finally:
        await organization.workers.stop()
        await organization.renderings.stop()
        organization.close()


async def _take_in(intake: Intake) -> None:
    realm.begin(intake)
    people.people(intake)
    groups.groups(intake)
    groups.permissions_of_groups(intake)
    channels.folders(intake)
    channels.channels(intake)
    recipients = RecipientReader(intake)
    channels.subscriptions(intake, recipients)
    channels.topic_policies(intake)
    realm.settings(intake)
    realm.domains_and_linkifiers(intake)
    messages.new_ids(intake)
    files.uploads(intake)
    files.avatars(intake)
    files.emoji(intake)
    files.icons(intake)
    people.profiles(intake)
    people.belongings(intake)
    await messages.messages(intake, recipients)
    messages.reactions(intake)
    messages.submessages(intake)
    await messages.waiting(intake, recipients)
    messages.drafts(intake)


def _check_references(organization: Organization) -> None:
    row = organization.store.one("PRAGMA foreign_key_check")
    if row is not None:
        raise ArchiveError(f"a row of {row[0]} refers to one of {row[2]} that is not in the archive")


def _summary(intake: Intake) -> list[str]:
    count = intake.organization.store.integer
    kinds = ("messages", "channels", "attachments", "reactions")
    lines = [f"{len(intake.users) - len(intake.system_bots):,} people"]
    lines += [f"{count(f'SELECT count(*) FROM {kind}') or 0:,} {kind}" for kind in kinds]
    lines += [f"left out: {number:,} {words}" for words, number in sorted(intake.left_out.items())]
    lines += [f"changed: {number:,} {words}" for words, number in sorted(intake.texts.changed.items())]
    return lines
