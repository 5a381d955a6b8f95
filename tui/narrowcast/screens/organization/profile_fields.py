"""The custom profile fields of the organization."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import Field, LineField, OneOf, Text, UnusableValue, Values, YesNo
from narrowcast.screens.dialogs.manage import ORDERED_KEYS, ManageScreen, shift
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.text.profile_values import options
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.http.encoding import OMIT, Omit
from narrowcast_api.resources.profile_fields import ProfileField
from narrowcast_api.state.changes import ProfileFieldsChanged
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ProfileFieldType

if TYPE_CHECKING:
    from narrowcast_api.state.state import State

TYPE_NAMES = {
    int(ProfileFieldType.SHORT_TEXT): "Text (short)",
    int(ProfileFieldType.LONG_TEXT): "Text (long)",
    int(ProfileFieldType.SELECT): "List of options",
    int(ProfileFieldType.DATE): "Date",
    int(ProfileFieldType.LINK): "Link",
    int(ProfileFieldType.USERS): "Users",
    int(ProfileFieldType.EXTERNAL_ACCOUNT): "External account",
    int(ProfileFieldType.PRONOUNS): "Pronouns",
}
_CUSTOM = "custom"


class ProfileFieldsScreen(ManageScreen[ProfileField]):
    """Lists the fields in the order in which user cards show them."""

    TITLE_TEXT = "Custom profile fields"
    KEYS = ORDERED_KEYS
    EMPTY = Empty("No custom profile fields", "They are shown on user cards, beside the name.")
    LINES = 2
    FOLLOWS = (ProfileFieldsChanged,)

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.ORDERED)]

    def refusal(self) -> str:
        return permissions.only_administrators(self.state, "change profile fields")

    def rows(self) -> Sequence[ListRow[ProfileField]]:
        return [
            ListRow(field.id, field, field.name, TYPE_NAMES.get(field.type, "unknown"), _note(field))
            for field in sorted(self.state.profile_fields, key=lambda field: field.order)
        ]

    def new(self) -> None:
        if self.refused():
            return
        profile_fields = self.session.client.profile_fields

        async def create(values: Values) -> object:
            field_type = values["type"]
            if not isinstance(field_type, int):
                raise UnusableValue("type", "Select a type.")
            return await profile_fields.create(
                field_type=field_type,
                name=values.text("name"),
                hint=values.text("hint"),
                field_data=field_data(values, field_type, None),
                display_in_profile_summary=values.flag("summary"),
                required=values.new_flag("required"),
                editable_by_user=values.new_flag("editable"),
                use_for_user_matching=values.new_flag("matching"),
            )

        types = OneOf("type", "Type", "Cannot be changed later", options=list(TYPE_NAMES.items()), value=1)
        fields = [types, *_definition(self.state, None, None)]
        self.form("Add custom profile field", fields, create, verb="adds", done="Added.")

    def open(self, item: ProfileField) -> None:
        profile_fields = self.session.client.profile_fields

        async def change(values: Values) -> object:
            data = field_data(values, item.type, item)
            return await profile_fields.update(
                field_id=item.id,
                name=values.text("name"),
                hint=values.new_text("hint"),
                field_data=data,
                display_in_profile_summary=values.new_flag("summary"),
                required=values.new_flag("required"),
                editable_by_user=values.new_flag("editable"),
                use_for_user_matching=values.new_flag("matching"),
            )

        title = f"Custom profile field: {TYPE_NAMES.get(item.type, 'unknown')}"
        self.form(title, _definition(self.state, item, item.type), change, done="Saved.")

    def question(self, item: ProfileField) -> Question | None:
        if self.refused():
            return None
        return Question(f"Delete {item.name}?", "Delete field", "The values of all users will be lost.")

    async def delete(self, item: ProfileField) -> None:
        await self.session.client.profile_fields.delete(field_id=item.id)

    def action_shift(self, by: int) -> None:
        shift(self, by, self._reorder)

    async def _reorder(self, keys: list[Hashable]) -> None:
        order = [key for key in keys if isinstance(key, int)]
        await self.session.client.profile_fields.reorder(order=order)


def _note(field: ProfileField) -> str:
    marks = [
        field.hint,
        "required" if field.required else "",
        "" if field.editable_by_user else "editable by administrators only",
        "displayed on user card" if field.display_in_profile_summary else "",
        "users are found by it" if field.use_for_user_matching else "",
        ", ".join(options(field).values()),
    ]
    return " · ".join(mark for mark in marks if mark)


def _definition(state: State, item: ProfileField | None, field_type: int | None) -> list[Field]:
    """The fields of the form; those that belong to one type only for that type, or for any type if none is given."""
    fields: list[Field] = [
        LineField("name", "Name", value=item.name if item else "", required=True, limit=40),
        LineField("hint", "Hint", "Shown to users who fill it in", value=item.hint if item else "", limit=80),
    ]
    if field_type in (None, ProfileFieldType.SELECT):
        listed = "\n".join(options(item).values()) if item else ""
        fields.append(Text("choices", "Choices", "For a list of options: one per line", value=listed, rows=4))
    if field_type in (None, ProfileFieldType.EXTERNAL_ACCOUNT):
        kind, pattern = _account(item)
        fields += [
            OneOf("account", "External account type", options=_account_kinds(state), value=kind),
            LineField(
                "pattern", "URL pattern", "For custom types: contains %(username)s", value=pattern, limit=200
            ),
        ]
    return [
        *fields,
        YesNo("summary", "Display on user card", value=item.display_in_profile_summary if item else False),
        YesNo(
            "required",
            "Required field",
            needs=permissions.level_needed(state, Gate.PROFILE_FIELD_REQUIRED),
            value=item.required if item else False,
        ),
        YesNo(
            "editable",
            "Users can edit this field",
            needs=permissions.level_needed(state, Gate.PROFILE_FIELD_EDITABLE),
            value=item.editable_by_user if item else True,
        ),
        YesNo(
            "matching",
            "Find users by this field",
            needs=permissions.level_needed(state, Gate.PROFILE_FIELD_MATCHING),
            value=item.use_for_user_matching if item else False,
        ),
    ]


def _account_kinds(state: State) -> list[tuple[object, str]]:
    accounts = state.organization.get("default_external_accounts")
    kinds: list[tuple[object, str]] = []
    if isinstance(accounts, dict):
        for key, entry in accounts.items():
            label = entry.get("text") if isinstance(entry, dict) else None
            kinds.append((str(key), label if isinstance(label, str) else str(key)))
    return [*kinds, (_CUSTOM, "Custom")]


def _account(item: ProfileField | None) -> tuple[str, str]:
    try:
        data = json.loads(item.field_data) if item and item.field_data else {}
    except (ValueError, RecursionError):
        data = {}
    if not isinstance(data, dict):
        data = {}
    return str(data.get("subtype", _CUSTOM)), str(data.get("url_pattern", ""))


def field_data(values: Values, field_type: int, item: ProfileField | None) -> dict[str, object] | Omit:
    """The extra data of a list or an external account; choices that stay keep their keys, so users keep their
    values.
    """
    if field_type == ProfileFieldType.SELECT:
        lines = [line.strip() for line in values.text("choices").splitlines() if line.strip()]
        if not lines:
            raise UnusableValue("choices", "Enter at least one option.")
        return choices_data(lines, options(item) if item else {})
    if field_type == ProfileFieldType.EXTERNAL_ACCOUNT:
        subtype = str(values["account"])
        if subtype != _CUSTOM:
            return {"subtype": subtype}
        pattern = values.text("pattern")
        if "%(username)s" not in pattern:
            raise UnusableValue("pattern", "The URL pattern must contain %(username)s.")
        return {"subtype": _CUSTOM, "url_pattern": pattern}
    return OMIT


def choices_data(lines: Sequence[str], known: dict[str, str]) -> dict[str, object]:
    """The choices of a list in the server's format."""
    keys = {text: key for key, text in known.items()}
    taken = [int(key) for key in known if key.isdecimal()]
    following = max(taken, default=-1) + 1
    data: dict[str, object] = {}
    for order, line in enumerate(lines, start=1):
        key = keys.get(line)
        if key is None:
            key, following = str(following), following + 1
        data[key] = {"text": line, "order": str(order)}
    return data
