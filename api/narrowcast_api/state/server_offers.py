"""What a server can do, and what it lets people do, beyond its level: as it was set up."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, boolean, rows, text


class ServerOffers(NamedTuple):
    """As registration says it; a server that says nothing has none of it."""

    report_types: tuple[tuple[str, str], ...] = ()
    """Key and name of each kind of report to moderators."""
    summaries: bool = False
    """Whether it has a language model."""
    names_fixed: bool = False
    """Whether nobody but administrators changes names, whatever the organization says."""
    pictures_fixed: bool = False
    """Whether nobody but administrators changes profile pictures, whatever the organization says."""
    web_public: bool = False
    """Whether organizations may have web-public channels."""
    jitsi_url: str = ""
    """Where video calls on Jitsi are, unless the organization has an address of its own."""


def read_server_offers(answer: RawRecord) -> ServerOffers:
    """The offers in a snapshot."""
    return ServerOffers(
        report_types=tuple(
            (key, text(row, "name", key))
            for row in rows(answer.get("server_report_message_types"))
            if (key := text(row, "key"))
        ),
        summaries=boolean(answer, "server_can_summarize_topics"),
        names_fixed=boolean(answer, "server_name_changes_disabled"),
        pictures_fixed=boolean(answer, "server_avatar_changes_disabled"),
        web_public=boolean(answer, "server_web_public_streams_enabled"),
        jitsi_url=text(answer, "server_jitsi_server_url") or text(answer, "jitsi_server_url"),
    )
