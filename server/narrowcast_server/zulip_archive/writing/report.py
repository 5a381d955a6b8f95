"""Describes for the operator what an archive contains and lacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from narrowcast_server.zulip_archive.layout import NEWER_FIELDS
from narrowcast_server.zulip_archive.writing.export import ArchiveExport

_ALWAYS: Final = (
    "Passwords and API keys: people use 'Forgot your password?' to log in; bots get new keys.",
    "The name of the organization: Zulip uses the subdomain of the import; set it again in the settings.",
)
_TABLES: Final = (
    ("extra_keys", "additional API keys"),
    ("second_factors", "accounts with two-factor authentication: people set it up again"),
    ("sent_emails", "sent emails"),
    ("invites", "invitations: their links point to this server"),
    ("acts", "entries of the audit log"),
)

_PREPARED: Final = (
    ("drafts", "drafts", "1"),
    ("scheduled_messages", "scheduled messages that failed here, and are not sent there", "failed"),
    ("reminders", "links of reminders to their messages (their texts are there)", "1"),
)
"""Table, words, and which of its rows."""


def report(export: ArchiveExport, counts: dict[str, int]) -> str:
    """The report, which is printed and included in the archive."""
    return "\n".join(
        [
            "What is in this archive",
            *(f"  {name}: {number:,}" for name, number in counts.items() if number),
            "",
            "What is not in this archive",
            *(f"  {line}" for line in _ALWAYS),
            *(f"  {line}" for line in _left_out(export)),
            *(
                ["", "What had to be changed", *(f"  {line}" for line in export.changed)]
                if export.changed
                else []
            ),
            "",
        ]
    )


def _left_out(export: ArchiveExport) -> Iterator[str]:
    for table, words in _TABLES:
        if number := export.source.count(table):
            yield f"{number:,} {words}"
    yield from _of_people(export)
    groups = export.source.settings["default_channel_groups"]
    if isinstance(groups, list) and groups:
        yield f"{len(groups)} default channel groups"
    fields = {name for table in NEWER_FIELDS for name in export.target.unsupported_fields(table)}
    if fields:
        yield f"fields added after level {export.target.level}: {', '.join(sorted(fields))}"
    for words, number in sorted(export.left_out.items()):
        yield f"{number:,} {words}"


def _of_people(export: ArchiveExport) -> Iterator[str]:
    """What people have prepared and would miss, by their names."""
    for table, words, where in _PREPARED:
        query = (
            f"SELECT user_id, count(*) AS number FROM {table} WHERE {where} GROUP BY user_id ORDER BY user_id"
        )
        found = {row["user_id"]: row["number"] for row in export.source.rows(query)}
        if found:
            users = export.source.users
            each = ", ".join(f"{users[user_id].full_name} {number:,}" for user_id, number in found.items())
            yield f"{sum(found.values()):,} {words}: {each}"
