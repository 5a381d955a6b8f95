"""Describes for the operator what an archive contains and lacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from narrowcast_server.zulip_archive.layout import NEWER_FIELDS
from narrowcast_server.zulip_archive.writing.export import Export

_ALWAYS: Final = (
    "Passwords and API keys: people use 'Forgot your password?' to log in; bots get new keys.",
    "The name of the organization: Zulip uses the subdomain of the import; set it again in the settings.",
)
_TABLES: Final = (
    ("drafts", "drafts"),
    ("extra_keys", "additional API keys"),
    ("second_factors", "accounts with two-factor authentication: people set it up again"),
    ("sent_emails", "sent emails"),
    ("invites", "invitations: their links point to this server"),
    ("acts", "entries of the audit log"),
)


def report(export: Export, counts: dict[str, int]) -> str:
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


def _left_out(export: Export) -> Iterator[str]:
    for table, words in _TABLES:
        if number := export.source.count(table):
            yield f"{number:,} {words}"
    groups = export.source.settings["default_channel_groups"]
    if isinstance(groups, list) and groups:
        yield f"{len(groups)} default channel groups"
    fields = {name for table in NEWER_FIELDS for name in export.target.unsupported_fields(table)}
    if fields:
        yield f"fields added after level {export.target.level}: {', '.join(sorted(fields))}"
    for words, number in sorted(export.left_out.items()):
        yield f"{number:,} {words}"
