"""An organization on a live Zulip server, with the interface of `support.server.TestServer`."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import httpx2

from narrowcast_api.account import Account
from narrowcast_api.client import Client
from narrowcast_api.wire.parameters import is_quoted
from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.organization.personal import DEFAULTS
from support.history_steps import REALM_PERMISSIONS
from support.server import Bare
from support.world import PEOPLE

JsonObject = dict[str, Any]

_CAST: Final[Mapping[Role, Sequence[str]]] = {
    Role.OWNER: ("ada",),
    Role.ADMINISTRATOR: ("bruno",),
    Role.MODERATOR: ("chiyo",),
    Role.MEMBER: ("dario", "elif", "farid", "greta", "jon", "kaja"),
    Role.GUEST: ("hugo",),
}
"""The role needed for each user of `support.world`."""
_CHANNELS: Final[Mapping[str, tuple[str, tuple[str, ...], Mapping[str, object]]]] = {
    "general": ("ada", ("ada", "bruno", "chiyo", "dario", "elif", "farid", "greta"), {}),
    "announcements": ("ada", ("ada", "bruno", "chiyo", "dario", "elif", "farid", "greta"), {}),
    "engineering": ("ada", ("ada", "bruno", "chiyo", "dario", "elif", "farid"), {}),
    "design": ("elif", ("elif", "dario", "hugo"), {}),
    "support": ("ada", ("ada",), {}),
    "operations": (
        "bruno",
        ("bruno", "dario"),
        {"invite_only": True, "history_public_to_subscribers": False},
    ),
    "leads": ("ada", ("ada", "chiyo"), {"invite_only": True, "history_public_to_subscribers": True}),
}
"""name -> (creator, subscribers, settings): the channels of `support.world`."""

_NAMES: Final = {name.split()[0].lower(): name for name, _ in PEOPLE} | {
    "jon": "Jon Abara",
    "kaja": "Kaja Berg",
}
_FIRST_NAMES: Final = {full_name.split()[0]: name for name, full_name in _NAMES.items()}
_DELETED_ROWS: Final = (
    ("/realm/filters", "/realm/linkifiers", "linkifiers"),
    ("/realm/profile_fields", "/realm/profile_fields", "custom_fields"),
)
"""(path to delete one, path of the list, key of the list in the response)."""
_LINKS: Final = ("create_multiuse_invite_group", "role:members")
"""Who may create invitation links, as in `support.world`."""
_SETTINGS: Final = (
    "automatically_follow_topics_policy",
    "automatically_unmute_topics_in_muted_streams_policy",
    "automatically_follow_topics_where_mentioned",
    "enter_sends",
    "twenty_four_hour_time",
    "send_private_typing_notifications",
)
"""Personal settings that affect the outcome of steps, or that steps change."""
_REALM_SETTINGS: Final = {
    "topics_policy": "allow_empty_topic",
    "mandatory_topics": False,
    "message_edit_history_visibility_policy": "all",
    "allow_edit_history": True,
}
"""Settings of the organization, of newer and of older servers, that affect the outcome of calls."""
_MAX_FAULTS: Final = 3
"""Retries of a request while the server is overloaded."""


class MissingRoleError(Exception):
    """No known account has a required role."""


class LiveSite:
    """An organization on a running server. `accounts`: by the names of `support.world`, the accounts used for them."""

    def __init__(self, http: httpx2.AsyncClient, url: str, accounts: Mapping[str, Account]) -> None:
        self.url = url
        self.accounts = accounts
        self.level = 0
        self._http = http
        self._ids: dict[str, int] = {}
        self._addresses: dict[str, str] = {}
        self._channels: dict[str, int] = {}
        self._archived: set[str] = set()
        self._groups: dict[str, int] = {}

    @classmethod
    async def open(cls, http: httpx2.AsyncClient, url: str, known: Iterable[Account]) -> LiveSite:
        """Returns the organization at `url`, with its accounts among those that are known."""
        site = cls(http, url.rstrip("/"), {})
        cast: dict[str, Account] = {}
        found: dict[Role, list[Account]] = {}
        for account in known:
            if account.site.rstrip("/") != site.url:
                continue
            row = await site._request(account, "GET", "/users/me", {})
            if not row["is_bot"]:
                site._ids[account.email] = row["user_id"]
                site._addresses[account.email] = row["email"]
                if name := _FIRST_NAMES.get(row["full_name"].split()[0]):
                    cast[name] = account
                else:
                    found.setdefault(Role(row["role"]), []).append(account)
        for role, names in _CAST.items():
            cast |= dict(zip([name for name in names if name not in cast], found.get(role, ()), strict=False))
            if names[0] not in cast:
                raise MissingRoleError(f"no known account at {site.url} has the role {role.name}")
        site.accounts = cast
        site.level = (await site.call("ada", "GET", "/server_settings"))["zulip_feature_level"]
        return site

    async def lay_out(self) -> None:
        """Creates the data of `support.world`. Channels of earlier runs are renamed and archived. Features that an
        older server lacks are left out.
        """
        await self.look()
        for name in {*_CHANNELS, "new"} & self._channels.keys():
            path = f"/streams/{self.channel(name)}"
            if name in self._archived:
                await self.raw("ada", "PATCH", path, {"is_archived": False})
            await self.call("ada", "PATCH", path, {"new_name": f"{self.channel(name)} {name}"})
            await self.raw("ada", "DELETE", path)
        for name, group_id in self._groups.items():
            if not name.startswith("role:"):
                await self.raw("ada", "PATCH", f"/user_groups/{group_id}", {"name": f"{name} {group_id}"})
                await self.raw("ada", "POST", f"/user_groups/{group_id}/deactivate", {})
        for table, path, key in _DELETED_ROWS:
            for row in (await self.call("ada", "GET", path))[key]:
                await self.raw("ada", "DELETE", f"{table}/{row['id']}")
        for row in (await self.call("ada", "GET", "/users"))["members"]:
            if row["is_bot"] and row["bot_type"]:
                await self.raw("ada", "DELETE", f"/bots/{row['user_id']}")
        await self._reset_users()
        for setting, role in (*REALM_PERMISSIONS.items(), _LINKS):
            await self.raw("ada", "PATCH", "/realm", {setting: {"new": self.group(role)}})
        for setting, value in _REALM_SETTINGS.items():
            await self.raw("ada", "PATCH", "/realm", {setting: value})
        for name, (maker, members, settings) in _CHANNELS.items():
            people = [self.id(one) for one in members]
            params = {"subscriptions": [{"name": name}], "principals": people, **settings}
            await self.call(maker, "POST", "/users/me/subscriptions", params)
        await self.look()
        await self.call("ada", "POST", "/default_streams", {"stream_id": self.channel("general")})
        moderators = {"new": self.group("role:moderators")}
        path = f"/streams/{self.channel('announcements')}"
        await self.raw("ada", "PATCH", path, {"can_send_message_group": moderators})
        await self.call("ada", "DELETE", "/users/me/subscriptions", {"subscriptions": ["support"]})

    async def _reset_users(self) -> None:
        roles = {name: role for role, names in _CAST.items() for name in names}
        for name in self.accounts:
            path = f"/users/{self.id(name)}"
            if name != "ada":
                await self.raw("ada", "POST", f"{path}/reactivate")
                await self.raw("ada", "PATCH", path, {"role": int(roles[name])})
            await self.raw("ada", "PATCH", path, {"full_name": _NAMES.get(name, name)})
            await self.raw(name, "PATCH", "/settings", {key: DEFAULTS[key] for key in _SETTINGS})
            rows = (await self.call(name, "GET", "/users/me/subscriptions"))["subscriptions"]
            await self.call(
                name, "DELETE", "/users/me/subscriptions", {"subscriptions": [row["name"] for row in rows]}
            )
            for other in self.accounts:
                await self.raw(name, "DELETE", f"/users/me/muted_users/{self.id(other)}")

    async def look(self) -> None:
        """Fetches the current channels and groups."""
        every = {"include_all": True, "include_all_active": True, "exclude_archived": False}
        rows = (await self.call("ada", "GET", "/streams", every))["streams"]
        self._channels = {row["name"]: row["stream_id"] for row in rows}
        self._archived = {row["name"] for row in rows if row.get("is_archived")}
        rows = (await self.call("ada", "GET", "/user_groups", {}))["user_groups"]
        self._groups = {row["name"].removeprefix("@"): row["id"] for row in rows}

    def now(self) -> float:
        """The time of this machine."""
        return time.time()

    def id(self, name: str) -> int:
        """The id of a user by the name of `support.world`."""
        return self._ids[self.accounts[name].email]

    def address(self, name: str) -> str:
        """The email address of a user that everybody sees: not the real one, if that is hidden."""
        return self._addresses[self.accounts[name].email]

    def channel(self, name: str) -> int:
        """The id of a channel. Raises LookupError."""
        return self._channels[name]

    def group(self, name: str) -> int:
        """The id of a user group. Raises LookupError."""
        return self._groups[name]

    def client(self, name: str) -> Client:
        """A user's client."""
        return Client.open(self.accounts[name])

    async def raw(
        self, name: str | None, method: str, path: str, params: Mapping[str, object] | None = None
    ) -> httpx2.Response:
        """Sends one request as a user (None: without credentials), and repeats it after rate limits."""
        return await self._send(self.accounts[name] if name else None, method, path, params or {})

    async def call(
        self, name: str | None, method: str, path: str, params: Mapping[str, object] | None = None
    ) -> JsonObject:
        """Like `raw`; returns the JSON of the response, which must be a success."""
        return await self._request(self.accounts[name] if name else None, method, path, params or {})

    async def _request(
        self, account: Account | None, method: str, path: str, params: Mapping[str, object]
    ) -> JsonObject:
        response = await self._send(account, method, path, params)
        body: JsonObject = response.json()
        assert body["result"] == "success", (method, path, params, body)
        return body

    async def _send(
        self, account: Account | None, method: str, path: str, params: Mapping[str, object]
    ) -> httpx2.Response:
        encoded = {
            key: value
            if isinstance(value, Bare)
            or (isinstance(value, str) and not is_quoted(method, path, key, self.level))
            else json.dumps(value)
            for key, value in params.items()
        }
        auth = httpx2.BasicAuth(account.email, account.key.reveal()) if account else None
        url = path if path.startswith("http") else f"{self.url}/api/v1{path}"
        options: dict[str, Any] = {"params" if method == "GET" else "data": encoded or None}
        faults = 0
        while True:
            response = await self._http.request(method, url, auth=auth, **options)
            faults += response.is_server_error
            if faults > _MAX_FAULTS or not (response.is_server_error or _is_too_often(response)):
                return response
            await asyncio.sleep(float(response.headers.get("Retry-After", 1)) + 0.1)


def _is_too_often(response: httpx2.Response) -> bool:
    return response.status_code == httpx2.codes.TOO_MANY_REQUESTS
