"""Writes an archive: all tables and files at one point in time, using little memory."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from narrowcast_api.wire.vocabulary import ExportType
from narrowcast_server.zulip_archive import layout
from narrowcast_server.zulip_archive.layout import ArchiveError, TargetServer
from narrowcast_server.zulip_archive.writing import (
    channels,
    files,
    groups,
    messages,
    own,
    people,
    realm,
)
from narrowcast_server.zulip_archive.writing.export import ArchiveExport, Record
from narrowcast_server.zulip_archive.writing.report import report
from narrowcast_server.zulip_archive.writing.source import Source
from narrowcast_server.zulip_archive.writing.tarball import Tarball, written

Table = Callable[[ArchiveExport], Iterable[Record]]


def _nothing(export: ArchiveExport) -> tuple[Record, ...]:
    return ()


TABLES: Final[tuple[tuple[str, Table], ...]] = (
    ("zerver_userprofile", people.profiles),
    ("zerver_userprofile_mirrordummy", _nothing),
    ("zerver_userprofile_crossrealm", people.system_bots),
    # Everything with permissions comes before groups; recipients come after everything that creates them.
    ("zerver_realm", realm.realm),
    ("zerver_stream", channels.channels),
    ("zerver_namedusergroup", groups.named),
    ("zerver_usergroup", groups.all_groups),
    ("zerver_usergroupmembership", groups.members),
    ("zerver_groupgroupmembership", groups.subgroups),
    ("zerver_scheduledmessage", messages.waiting),
    ("zerver_huddle", channels.direct_groups),
    ("zerver_recipient", channels.recipients),
    ("zerver_subscription", channels.subscriptions),
    ("zerver_defaultstream", channels.default_channels),
    ("zerver_channelfolder", channels.folders),
    ("zerver_usertopic", channels.topic_policies),
    ("zerver_reaction", messages.reactions),
    ("zerver_submessage", messages.submessages),
    ("zerver_realmauthenticationmethod", realm.authentication_methods),
    ("zerver_realmuserdefault", realm.new_people),
    ("zerver_realmdomain", realm.domains),
    ("zerver_realmfilter", realm.linkifiers),
    ("zerver_realmplayground", realm.playgrounds),
    ("zerver_realmemoji", realm.emoji),
    ("zerver_realmauditlog", realm.audit_log),
    ("zerver_presencesequence", people.presence_sequence),
    ("zerver_userpresence", people.presence),
    ("zerver_userstatus", people.statuses),
    ("zerver_customprofilefield", people.profile_fields),
    ("zerver_customprofilefieldvalue", people.profile_values),
    ("zerver_muteduser", people.muted_users),
    ("zerver_alertword", people.alert_words),
    ("zerver_savedsnippet", people.snippets),
    ("zerver_navigationview", people.navigation_views),
    ("zerver_onboardingstep", people.onboarding_steps),
    ("zerver_service", people.bot_services),
    ("zerver_botstoragedata", people.bot_storage),
    ("zerver_botconfigdata", _nothing),
    ("zerver_useractivity", _nothing),
    ("zerver_useractivityinterval", _nothing),
    ("zerver_onboardingusermessage", _nothing),
    ("zerver_realmexport", _nothing),
)
_OWN: Final[tuple[tuple[str, Table], ...]] = (
    ("drafts", own.drafts),
    ("reminders", own.reminders),
    ("reactions", own.reactions),
    ("addresses", own.addresses),
    ("upload_names", own.upload_names),
    ("settings", own.settings),
)
_ANALYTICS: Final = ("analytics_realmcount", "analytics_usercount", "analytics_streamcount")


def write_archive(
    data: Path,
    target: Path,
    *,
    server: TargetServer = layout.NEWEST_KNOWN,
    kind: ExportType = ExportType.FULL_WITHOUT_CONSENT,
    should_continue: Callable[[], bool] = lambda: True,
    now: Callable[[], float] = time.time,
    say: Callable[[str], None] = print,
) -> None:
    """Writes the archive of a data folder, which may be in use by a server; an existing `target` is replaced
    only at the end. Stops once `should_continue` returns false. Raises ArchiveError.
    """
    target = target.absolute()
    try:
        with (
            tempfile.TemporaryDirectory(dir=target.parent, prefix=".archive-") as name,
            closing(Source(data, kind)) as source,
        ):
            made = Path(name) / "archive.tar"
            export = ArchiveExport.of(source, server, int(now()))
            with written(target, made, Path(name), export.now, should_continue) as archive:
                text = _write(export, archive)
            made.replace(target)
    except (OSError, sqlite3.Error) as error:
        raise ArchiveError(f"the archive could not be written: {error}") from error
    for line in text.splitlines():
        say(line)
    first, last = server.levels
    say(f"{target}: for Zulip {server.version} (feature levels {first} to {last})")


def _write(export: ArchiveExport, archive: Tarball) -> str:
    statistics: dict[str, object] = {}
    counts: dict[str, int] = {"zerver_message": 0, "zerver_usermessage": 0}
    for number, tables in enumerate(messages.files(export), 1):
        archive.add_tables(layout.messages_file(number), tables.items())
        for table, rows in tables.items():
            counts[table] += len(rows)
    kinds = files.write_files(export, archive)
    tables_of_realm = archive.add_tables(layout.REALM_FILE, _tables(export), import_source=layout.SOURCE)
    attachments = archive.add_tables(
        layout.ATTACHMENTS_FILE, [("zerver_attachment", files.attachments(export))]
    )
    archive.add_tables(layout.ANALYTICS_FILE, ((table, ()) for table in _ANALYTICS))
    # Only the importing server knows its migrations; the import just compares versions.
    archive.add_json(
        layout.MIGRATIONS_FILE, {"migrations_by_app": {}, "zulip_version": export.target.version}
    )
    archive.add_tables(layout.OWN_FILE, ((table, rows(export)) for table, rows in _OWN))
    statistics |= {"realm": tables_of_realm, "messages": counts, "attachment": attachments, **kinds}
    archive.add_json(layout.STATISTICS_FILE, statistics)
    text = report(export, {**counts, **attachments, **kinds, **tables_of_realm})
    archive.add_text(layout.REPORT_FILE, text.encode())
    return text


def _tables(export: ArchiveExport) -> Iterator[tuple[str, Iterable[Record]]]:
    for table, rows in TABLES:
        if export.target.has_table(table):
            yield table, _without_unsupported(export, table, rows(export))
        elif lost := sum(1 for _ in rows(export)):
            words = f"rows of {table}, which a server of level {export.target.level} does not have"
            export.left_out[words] = lost
    # Last, because writing the other tables collects the clients.
    yield "zerver_client", export.clients.rows()


def _without_unsupported(export: ArchiveExport, table: str, rows: Iterable[Record]) -> Iterable[Record]:
    """Rows without the fields that the server would reject."""
    lacking = export.target.unsupported_fields(table)
    return ({k: v for k, v in row.items() if k not in lacking} for row in rows) if lacking else rows
