"""Every setting by its title, for the command palette."""

from __future__ import annotations

from collections.abc import Iterator

from narrowcast.config.config_file import CONFIG_KEYS
from narrowcast.keys.registry import by_id
from narrowcast.screens.dialogs.palette import ChosenCommand
from narrowcast.screens.dialogs.picker import Choice
from narrowcast.screens.settings.catalog import SettingKind
from narrowcast.screens.settings.organization import ORGANIZATION, is_current
from narrowcast.screens.settings.own import ACCOUNT, OWN, WEB_APP
from narrowcast_api.state.state import State

__all__ = ["IMPORT", "KEYS_OF_COMMANDS", "LISTS", "setting_choices"]

KEYS_OF_COMMANDS = "keys"
IMPORT = "import"
LISTS = {KEYS_OF_COMMANDS: "Keys of each command", IMPORT: "Import from a zuliprc file"}
"""The settings of the app that are more than a value, by the keys of their rows."""


def setting_choices(state: State) -> list[Choice[ChosenCommand]]:
    """The settings of the app, the user and the organization, which are found by title, heading and name."""
    return [*_of_app(state), *_own(state), *_of_organization(state)]


def _own(state: State) -> Iterator[Choice[ChosenCommand]]:
    for heading, settings in {**ACCOUNT, **OWN}.items():
        for setting in settings:
            if setting.kind is not SettingKind.COMMAND and setting.name in state.settings:
                yield _choice(state, "account.settings", setting.name, setting.title, heading)


def _of_organization(state: State) -> Iterator[Choice[ChosenCommand]]:
    for heading, settings in ORGANIZATION.items():
        for setting in settings:
            if is_current(setting, state.organization):
                yield _choice(state, "organization.settings", setting.name, setting.title, heading)


def _of_app(state: State) -> Iterator[Choice[ChosenCommand]]:
    for heading, keys in CONFIG_KEYS.items():
        for one in keys:
            yield _choice(state, "app.settings", one.key, one.title, heading)
    for row, title in LISTS.items():
        yield _choice(state, "app.settings", row, title, "")


_WHOSE = {"account.settings": "personal", "organization.settings": "organization", "app.settings": "app"}
OTHER_NAMES = {
    "appearance.pictures": "kitty sixel graphics",
    KEYS_OF_COMMANDS: "rebind remap keybindings keyboard shortcuts change",
    "appearance.theme": "dark light mode colors",
    "twenty_four_hour_time": "time format clock am pm",
}
"""Words under which people look for a setting, by its name."""
_RANKS = {"app.settings": 2, "account.settings": 2, "organization.settings": 3}
"""Behind the commands."""
_RANK_OF_OTHER_APPS = 4


def _choice(state: State, command_id: str, row: str, title: str, heading: str) -> Choice[ChosenCommand]:
    command = by_id()[command_id]
    is_elsewhere = heading == WEB_APP
    return Choice(
        ChosenCommand(command, row),
        title,
        "web app setting" if is_elsewhere else f"{_WHOSE[command_id]} setting",
        also=f"{heading} {row} {OTHER_NAMES.get(row, '')}",
        disabled=command.unsupported(state.server),
        rank=_RANK_OF_OTHER_APPS if is_elsewhere else _RANKS[command_id],
    )
