"""Calls that change settings, each to every value that the app offers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from live.call_recorder import CallRecorder
from narrowcast.screens.settings.catalog import Catalog, SettingKind
from narrowcast.screens.settings.organization import ORGANIZATION, REPLACED
from narrowcast.screens.settings.own import ELSEWHERE, OWN

_NOT_DEFAULTS: Final = frozenset(
    {
        "allow_private_data_export",
        "default_language",
        "enable_login_emails",
        "enable_marketing_emails",
        "timezone",
    }
)
"""Settings that are not part of the default user settings, and one that not every server has."""


def _offered(catalog: Catalog, known: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yields the settings of the app that the server has, each with every choice, or with a value of its kind."""
    for settings in catalog.values():
        for setting in settings:
            if prefix + setting.name not in known or setting.name in {*_NOT_DEFAULTS, *REPLACED}:
                continue
            now = known[prefix + setting.name]
            match setting.kind:
                case SettingKind.CHOICE if setting.options:
                    yield from ((setting.name, value) for value, _ in setting.options)
                case SettingKind.FLAG:
                    yield from ((setting.name, value) for value in (not now, now))
                case SettingKind.SECONDS:
                    yield from ((setting.name, value) for value in ("unlimited", 600))
                case SettingKind.DAYS:
                    yield from ((setting.name, value) for value in (30, "unlimited"))
                case _ if now is not None:
                    yield setting.name, now


async def settings(t: CallRecorder) -> None:
    """Every choice of the app's settings: personal, the defaults of new users, and the organization's."""
    known = await t("ada", "registration.register")
    for name, value in _offered({**OWN, **ELSEWHERE}, known["user_settings"]):
        await t("elif", "settings.update", settings={name: value})
    for name, value in _offered({**OWN, **ELSEWHERE}, known["realm_user_settings_defaults"]):
        await t("ada", "organization.update_user_defaults", settings={name: value})
    for name, value in _offered(ORGANIZATION, known, "realm_"):
        new = (
            {"new": value}
            if name.endswith("_group") or name in ("can_create_groups", "can_manage_all_groups")
            else value
        )
        await t("ada", "organization.update", settings={name: new})
