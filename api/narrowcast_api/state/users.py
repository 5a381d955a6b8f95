"""Users and bots, muted users, and alert words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from narrowcast_api.model.reading import (
    RawRecord,
    boolean,
    id_of_key,
    integer,
    optional_int,
    optional_text,
    required_int,
    rows,
    table,
    text,
)
from narrowcast_api.model.users import ProfileValue, User, UserChange

UNKNOWN_NAME = "Unknown user"
"""The name of users that the server does not reveal (guests may not see everybody)."""


class Users:
    """All users who are visible to the current user, by id."""

    def __init__(self) -> None:
        self._by_id: dict[int, User] = {}
        self._ids_by_email: dict[str, int] | None = None
        self._ids_by_name: dict[str, int | None] | None = None
        self.revision = 0
        """Differs after each change of any user."""
        self.muted: dict[int, int] = {}
        """Muted users, with the time of muting in UTC seconds."""
        self.alert_words: tuple[str, ...] = ()
        """The user's alert words."""

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[User]:
        return iter(self._by_id.values())

    def get(self, user_id: int) -> User | None:
        """The user with this id, if the server sent one."""
        return self._by_id.get(user_id)

    def name(self, user_id: int) -> str:
        """The full name; a placeholder for unknown users."""
        user = self._by_id.get(user_id)
        return user.full_name if user is not None else UNKNOWN_NAME

    def active(self) -> list[User]:
        """All users who are not deactivated, bots included."""
        return [user for user in self._by_id.values() if user.is_active]

    def id_of(self, text: str) -> int | None:
        """The id of the user with an email address, ``name|id``, or a full name that only one active user
        has, ignoring case; None for an ambiguous name.
        """
        if self._ids_by_email is None or self._ids_by_name is None:
            self._ids_by_email = {user.email.lower(): user.user_id for user in self._by_id.values()}
            self._ids_by_email.update(
                (user.delivery_email.lower(), user.user_id)
                for user in self._by_id.values()
                if user.delivery_email
            )
            self._ids_by_name = self._unique_names()
        _, bar, number = text.rpartition("|")
        number_id = id_of_key(number) if bar else None
        if number_id in self._by_id:
            return number_id
        lowered = text.lower()
        by_email = self._ids_by_email.get(lowered)
        return by_email if by_email is not None else self._ids_by_name.get(lowered)

    def _unique_names(self) -> dict[str, int | None]:
        ids: dict[str, int | None] = {}
        for active in (False, True):  # active users take precedence over deactivated ones with the same name
            taken: set[str] = set()
            for user in self._by_id.values():
                if user.is_active is active:
                    name = user.full_name.lower()
                    ids[name] = user.user_id if name not in taken else None
                    taken.add(name)
        return ids

    def put(self, users: Iterable[User]) -> None:
        """Adds users, replacing older records of them."""
        self._by_id.update((user.user_id, user) for user in users)
        self._changed()

    def remove(self, user_id: int) -> None:
        """Removes a user who is no longer visible."""
        self._by_id.pop(user_id, None)
        self._changed()

    def update(self, change: UserChange) -> None:
        """Sets new values of a known user."""
        user = self._by_id.get(change.user_id)
        if user is not None:
            self.put([_updated(user, change.values)])

    def _changed(self) -> None:
        self.revision += 1
        self._ids_by_email = self._ids_by_name = None

    def keep_profile_fields(self, field_ids: set[int]) -> tuple[int, ...]:
        """Removes the values of all other profile fields; returns the ids of the users that changed."""
        changed = [
            replace(user, profile={key: user.profile[key] for key in user.profile if key in field_ids})
            for user in self._by_id.values()
            if user.profile and not user.profile.keys() <= field_ids
        ]
        self.put(changed)
        return tuple(user.user_id for user in changed)

    def mute(self, value: object) -> None:
        """Replaces the muted users by the list in `muted_users`."""
        muted = [(optional_int(row, "id"), integer(row, "timestamp")) for row in rows(value)]
        self.muted = {user_id: timestamp for user_id, timestamp in muted if user_id is not None}


def _updated(user: User, row: RawRecord) -> User:
    profile = dict(user.profile)
    field = table(row.get("custom_profile_field"))
    if field:
        field_id, content = required_int(field, "id"), field.get("value")
        if content is None:
            profile.pop(field_id, None)
        else:
            profile[field_id] = ProfileValue(str(content), optional_text(field, "rendered_value"))
    return replace(
        user,
        full_name=text(row, "full_name", user.full_name),
        email=text(row, "new_email", user.email),
        delivery_email=optional_text(row, "delivery_email")
        if "delivery_email" in row
        else user.delivery_email,
        role=integer(row, "role", user.role),
        is_active=boolean(row, "is_active", user.is_active),
        is_deleted=boolean(row, "is_deleted", user.is_deleted),
        timezone=text(row, "timezone", user.timezone),
        date_joined=text(row, "date_joined", user.date_joined),
        bot_owner_id=optional_int(row, "bot_owner_id") if "bot_owner_id" in row else user.bot_owner_id,
        profile=profile,
    )
