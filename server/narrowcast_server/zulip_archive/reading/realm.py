"""The organization: settings, domains, linkifiers, playgrounds."""

from __future__ import annotations

from typing import Final

from narrowcast_server.actions import new_organization, realm
from narrowcast_server.organization import personal
from narrowcast_server.organization.realm_settings import DEFAULTS, EDITABLE, GROUP_SETTINGS
from narrowcast_server.resources import default_channels
from narrowcast_server.resources.linkifiers import add_linkifier, template_of_format
from narrowcast_server.resources.playgrounds import add_playground
from narrowcast_server.zulip_archive.layout import ArchiveError
from narrowcast_server.zulip_archive.numbers import REALM_CHANNELS, REALM_NUMBERS, word_for
from narrowcast_server.zulip_archive.reading.groups import permissions
from narrowcast_server.zulip_archive.reading.intake import Intake
from narrowcast_server.zulip_archive.reading.people import personal_settings
from narrowcast_server.zulip_archive.reading.rows import ArchiveRow, rows

_MAX_NAME: Final = 40
_MAX_DOMAIN: Final = 200
_MAX_TEXT: Final = 8000
_NO_CHANNEL: Final = -1


def begin(intake: Intake) -> None:
    """Sets up the empty organization with its system groups and system bot."""
    realms = list(intake.rows("zerver_realm"))
    if len(realms) != 1:
        raise ArchiveError(f"the archive holds {len(realms)} organizations, not one")
    row = realms[0]
    name = intake.texts.line("names", row.text("name"), _MAX_NAME, otherwise="Organization")
    new_organization.set_up(intake.organization, name=name, domain=_domain(intake))
    intake.organization.set_settings(date_created=row.time("date_created"))


def _domain(intake: Intake) -> str:
    for row in intake.own_rows("settings"):
        if row.text("name") == "domain":
            return intake.texts.line("settings", row.text("value"), _MAX_DOMAIN) or "localhost"
    return "localhost"


def settings(intake: Intake) -> None:
    """Imports the organization's settings; values that are not valid here are skipped and counted."""
    row = next(intake.rows("zerver_realm"))
    values: dict[str, object] = {}
    for name in EDITABLE.keys() - REALM_CHANNELS.values() - {"name"}:
        if row.has(name) or row.is_null(name):
            with intake.skipping_rejected("settings with a value that this server does not have"):
                values[name] = _checked(intake, row, name)
    if row.has("mandatory_topics") and row.flag("mandatory_topics"):  # from before Zulip had a topics policy
        values["topics_policy"] = "disable_empty_topic"
    for theirs, ours in REALM_CHANNELS.items():
        channel_id = row.optional(theirs, intake.channels)
        values[ours] = _NO_CHANNEL if channel_id is None else channel_id
    values |= permissions(intake, row, "realm", GROUP_SETTINGS)
    values |= _own_settings(intake)
    intake.organization.set_settings(**values)
    for default in intake.rows("zerver_realmuserdefault"):
        intake.organization.set_settings(
            personal_defaults=personal_settings(intake, default, personal.DEFAULTS)
        )


def _own_settings(intake: Intake) -> dict[str, object]:
    """Settings that Zulip lacks, from an archive of this program."""
    values: dict[str, object] = {}
    for row in intake.own_rows("settings"):
        match row.text("name"):
            case "giphy_rating":
                with intake.skipping_rejected("settings with a value that this server does not have"):
                    values["giphy_rating"] = realm.checked(
                        intake.organization, "giphy_rating", row.value("value")
                    )
            case "empty_topic_display_name":
                values["empty_topic_display_name"] = intake.texts.line(
                    "settings",
                    row.text("value"),
                    _MAX_NAME,
                    otherwise=str(DEFAULTS["empty_topic_display_name"]),
                )
            case "default_channel_groups":
                groups = rows({"default_channel_groups": row.value("value")}, "default_channel_groups")
                values["default_channel_groups"] = [_default_channel_group(intake, group) for group in groups]
    return values


def _default_channel_group(intake: Intake, row: ArchiveRow) -> dict[str, object]:
    identity = row.integer("id")
    return {
        "id": identity,
        "name": intake.texts.line(
            "names of groups of default channels",
            row.text("name"),
            default_channels.MAX_NAME,
            otherwise=f"Group {identity}",
        ),
        "description": intake.texts.body(
            "descriptions of groups of default channels",
            row.text("description"),
            default_channels.MAX_DESCRIPTION,
        ),
        "streams": [
            intake.channels[channel_id]
            for channel_id in row.numbers("streams")
            if channel_id in intake.channels
        ],
    }


def _checked(intake: Intake, row: ArchiveRow, name: str) -> object:
    value = row.value(name)
    if name in REALM_NUMBERS:
        value = word_for(REALM_NUMBERS[name], value, str(DEFAULTS[name]))
    if name == "jitsi_server_url" and value is None:
        value = "default"
    if (value is None and name.endswith("_seconds")) or (value == -1 and name == "message_retention_days"):
        value = "unlimited"
    if isinstance(value, str):
        value = intake.texts.body("settings", value, _MAX_TEXT)
    return realm.checked(intake.organization, name, value)


def domains_and_linkifiers(intake: Intake) -> None:
    """Imports domains, linkifiers and playgrounds; those that the server's own rules reject are counted."""
    organization = intake.organization
    for row in intake.rows("zerver_realmdomain"):
        with intake.skipping_rejected("domains"):
            realm.add_domain(organization, row.text("domain"), row.flag("allow_subdomains"))
    for row in sorted(intake.rows("zerver_realmfilter"), key=lambda row: row.integer("order", 0)):
        template = (
            row.text("url_template")
            if row.has("url_template")
            else template_of_format(row.text("url_format_string"))
        )
        with intake.skipping_rejected("linkifiers"):
            add_linkifier(organization, row.text("pattern"), template)
    for row in intake.rows("zerver_realmplayground"):
        with intake.skipping_rejected("playgrounds"):
            add_playground(
                organization, row.text("name"), row.text("pygments_language"), row.text("url_template")
            )
