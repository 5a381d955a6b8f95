"""Importing zuliprc files of other programs: the account, and the settings of zulip-terminal."""

from __future__ import annotations

from configparser import ConfigParser, Error
from pathlib import Path

from msgspec import Struct

from narrowcast.config import account_files
from narrowcast.config.config_file import Value
from narrowcast_api.regular_files import regular

__all__ = ["Imported", "add_account", "read_zuliprc"]

_LIGHT = ("light", "gruvbox_light", "zt_light")


class Imported(Struct, frozen=True):
    """``changes`` to our configuration, and ``left``: settings without a counterpart here. ``has_account``:
    whether the file also contains an account.
    """

    changes: tuple[tuple[str, Value], ...]
    left: tuple[str, ...]
    has_account: bool = False


def read_zuliprc(path: Path) -> Imported:
    """The section ``[zterm]`` of a zuliprc file. Raises OSError, or ValueError if it is not a zuliprc file."""
    parser = ConfigParser(interpolation=None)
    try:
        parser.read_string(regular(path).read_text(encoding="utf-8"))
    except (Error, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not a zuliprc file") from error
    has_account = parser.has_section("api")
    if not parser.has_section("zterm"):
        return Imported((), (), has_account)
    changes: list[tuple[str, Value]] = []
    left: list[str] = []
    for name, value in parser.items("zterm"):
        match name, value.strip().lower():
            case "theme", theme:
                changes.append(("appearance.theme", "paper" if theme in _LIGHT else "narrowcast"))
            case "autohide", wanted:
                changes.append(("appearance.people", wanted != "autohide"))
            case "notify", wanted:
                changes.append(("notifications.popup", "auto" if wanted == "enabled" else "off"))
            case "color-depth", "1" | "16":
                changes.append(("appearance.theme", "terminal"))
            case "editor", _:
                changes.append(("compose.editor", value.strip()))
            case _:
                left.append(name)
    return Imported((*changes, ("preset", "zulip-terminal")), tuple(left), has_account)


def add_account(path: Path, folder: Path) -> Path | None:
    """Stores the account of a zuliprc file in ``folder``; returns the new file, or None if it is stored
    already. Raises AccountError.
    """
    account = account_files.read(path)
    stored = account_files.file_of(folder, account_files.name_for(account))
    return None if stored.exists() else account_files.store(account, folder)
