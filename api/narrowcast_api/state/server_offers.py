"""Features and restrictions of a server that depend on its configuration, not on its level."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, boolean, optional_bool, rows, text


class ServerOffers(NamedTuple):
    """As sent by registration; false or empty if the server sends nothing."""

    report_types: tuple[tuple[str, str], ...] = ()
    """Key and name of each kind of report to moderators."""
    summaries: bool = False
    """Whether the server can summarize topics with a language model."""
    names_fixed: bool = False
    """Whether only administrators may change names, whatever the organization's settings."""
    pictures_fixed: bool = False
    """Whether only administrators may change profile pictures, whatever the organization's settings."""
    web_public: bool = False
    """Whether organizations may have web-public channels."""
    jitsi_url: str = ""
    """The URL of the Jitsi server for video calls, unless the organization has set its own."""
    webex_login: bool | None = None
    """Whether the current user is logged in at Webex; None if the server does not say (below level 493)."""


def read_server_offers(response: RawRecord) -> ServerOffers:
    """Reads the configuration from a snapshot."""
    return ServerOffers(
        report_types=tuple(
            (key, text(row, "name", key))
            for row in rows(response.get("server_report_message_types"))
            if (key := text(row, "key"))
        ),
        summaries=boolean(response, "server_can_summarize_topics"),
        names_fixed=boolean(response, "server_name_changes_disabled"),
        pictures_fixed=boolean(response, "server_avatar_changes_disabled"),
        web_public=boolean(response, "server_web_public_streams_enabled"),
        webex_login=optional_bool(response, "has_webex_token"),
        jitsi_url=text(response, "server_jitsi_server_url") or text(response, "jitsi_server_url"),
    )
