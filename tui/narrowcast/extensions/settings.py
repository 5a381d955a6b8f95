"""Settings of extensions on the settings screen: the fields of their dataclasses, and whether they are loaded."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from narrowcast.config.config_file import ConfigKey, Value
from narrowcast.extensions.loading import FoundExtension

__all__ = ["ExtensionSettings"]

Tables = Mapping[str, Mapping[str, object]]
"""``[extensions.NAME]`` of the configuration, by name."""


class ExtensionSettings:
    """The settings of the extensions that were found."""

    def __init__(self, found: Sequence[FoundExtension]) -> None:
        self._found = {one.name: one for one in found if one.extension is not None}

    def keys(self) -> dict[str, tuple[ConfigKey, ...]]:
        """The settings by heading; only those that can be edited as one line of text."""
        return {f"Extension {name}": tuple(self._keys_of(one)) for name, one in self._found.items()}

    def _keys_of(self, one: FoundExtension) -> list[ConfigKey]:
        assert one.extension is not None
        about = one.extension.about
        keys = [ConfigKey(f"extensions.{one.name}.enabled", f"Load {one.name}", about)]
        for field in self._fields(one):
            if _is_shown(_default(field)):
                help_text = str(field.metadata.get("help", about))
                keys.append(ConfigKey(f"extensions.{one.name}.{field.name}", field.name, help_text))
        return keys

    @staticmethod
    def _fields(one: FoundExtension) -> Sequence[dataclasses.Field[object]]:
        settings = one.extension.settings if one.extension is not None else None
        return dataclasses.fields(settings) if dataclasses.is_dataclass(settings) else ()

    def value(self, tables: Tables, key: str) -> Value:
        """The value in the configuration, or the default."""
        _, name, field_name = key.split(".", 2)
        default: object = True
        if field_name != "enabled":
            field = next(field for field in self._fields(self._found[name]) if field.name == field_name)
            default = _default(field)
        value = tables.get(name, {}).get(field_name, default)
        if isinstance(value, bool | str | int | float):
            return value
        return [str(part) for part in value] if isinstance(value, list | tuple) else str(value)

    def problem(self, tables: Tables, key: str) -> str:
        """The problem with the settings of the extension that ``key`` belongs to; empty if there is none."""
        name = key.split(".", 2)[1]
        extension = self._found[name].extension
        table = dict(tables.get(name, {}))
        table.pop("enabled", None)
        try:
            if extension is not None:
                extension.checked_settings(table)
        except Exception as error:
            return str(error)
        return ""


def _default(field: dataclasses.Field[object]) -> object:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def _is_shown(default: object) -> bool:
    if isinstance(default, list | tuple):
        return all(isinstance(part, str) for part in default)
    return isinstance(default, bool | str | int | float)
