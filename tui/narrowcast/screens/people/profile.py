"""The user's own profile: name, time zone, custom profile fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from narrowcast.screens.dialogs.form import FormScreen
from narrowcast.screens.dialogs.form_fields import (
    Field,
    LineField,
    OneOf,
    People,
    Text,
    UnusableValue,
    Values,
)
from narrowcast.text.profile_values import options, people_of
from narrowcast.text.time_zones import preload, time_zones
from narrowcast_api import permissions
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ProfileFieldType

if TYPE_CHECKING:
    from narrowcast_api.model.users import User
    from narrowcast_api.resources.profile_fields import ProfileField
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

_PREFIX = "field-"


def profile_form(session: Session) -> FormScreen:
    """The form; the server receives name and fields in separate requests."""
    preload()
    state = session.state
    user = state.users.get(state.me)
    fixed = permissions.name_refusal(state)
    no_settings = permissions.level_needed(state, Gate.SETTINGS_ENDPOINT)

    async def save(values: Values) -> object:
        changed = profile_values(state, values)
        required = [
            field.name
            for field in state.profile_fields
            if field.required and changed.get(field.id, "") is None
        ]
        if required:
            raise UnusableValue("", f"{required[0]} is required.")
        if values.changed("name"):
            await session.client.settings.update(settings={"full_name": values.text("name")})
        if values.changed("timezone"):
            await session.client.settings.update(settings={"timezone": values.text("timezone")})
        written = {key: value for key, value in changed.items() if value is not None}
        if written:
            await session.client.users.update_my_profile(values=written)
        if emptied := [key for key, value in changed.items() if value is None]:
            await session.client.users.clear_my_profile(field_ids=emptied)
        return True

    fields: list[Field] = [
        LineField(
            "name",
            "Name",
            needs=fixed.short or no_settings,
            value=user.full_name if user else "",
            required=True,
            limit=100,
        ),
        LineField(
            "timezone",
            "Time zone",
            "Such as Europe/Madrid",
            no_settings,
            value=state.settings.text("timezone"),
            suggest=lambda _: time_zones(),
        ),
    ]
    if user is not None:
        for number, field in enumerate(profile_fields(state, user, administering=False)):
            fields.append(field if number else replace(field, section="Custom profile fields"))
    return FormScreen("Edit profile", fields, state=state, submit=save)


def profile_fields(state: State, user: User, *, administering: bool) -> list[Field]:
    """A form field for each custom profile field, with the user's current values."""
    return [
        _field(
            field,
            _value(user, field),
            "" if administering or field.editable_by_user else "editable by administrators only",
        )
        for field in sorted(state.profile_fields, key=lambda field: field.order)
    ]


def _value(user: User, field: ProfileField) -> str:
    filled = user.profile.get(field.id)
    return filled.value if filled is not None else ""


def _field(field: ProfileField, value: str, needs: str) -> Field:
    name, label = f"{_PREFIX}{field.id}", field.name + (" *" if field.required else "")
    if field.type == ProfileFieldType.SELECT:
        listed: list[tuple[object, str]] = [("", "–"), *options(field).items()]
        return OneOf(name, label, field.hint, needs, options=listed, value=value)
    if field.type == ProfileFieldType.USERS:
        return People(name, label, field.hint, needs, value=people_of(value))
    if field.type == ProfileFieldType.LONG_TEXT:
        return Text(name, label, field.hint, needs, value=value, rows=4)
    placeholder = {
        int(ProfileFieldType.DATE): "YYYY-MM-DD",
        int(ProfileFieldType.LINK): "https://…",
        int(ProfileFieldType.EXTERNAL_ACCOUNT): "username",
    }.get(field.type, "")
    return LineField(name, label, field.hint, needs, value=value, placeholder=placeholder)


def profile_values(state: State, values: Values) -> Mapping[int, object]:
    """The changed fields, in the API's format; None clears a field."""
    changed: dict[int, object] = {}
    for field in state.profile_fields:
        name = f"{_PREFIX}{field.id}"
        if not values.changed(name):
            continue
        if field.type == ProfileFieldType.USERS:
            changed[field.id] = list(values.ids(name)) or None
        else:
            changed[field.id] = values.text(name) or None
    return changed
