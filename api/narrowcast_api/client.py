"""The entry point of the library: one account, with all operations in groups.

async with Client.from_zuliprc("~/zuliprc") as client:
    await client.messages.send(to="general", topic="lunch", content="Soup today")
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Self

import httpx2

from narrowcast_api.account import Account
from narrowcast_api.clock import Clock
from narrowcast_api.http.connection import Connection
from narrowcast_api.server_info import ServerInfo

if TYPE_CHECKING:
    from narrowcast_api.http.operations import Group
    from narrowcast_api.resources.bots import Bots
    from narrowcast_api.resources.channel_folders import ChannelFolders
    from narrowcast_api.resources.custom_emoji import CustomEmojis
    from narrowcast_api.resources.default_channel_groups import DefaultChannelGroups
    from narrowcast_api.resources.drafts import Drafts
    from narrowcast_api.resources.exports import Exports
    from narrowcast_api.resources.invites import Invites
    from narrowcast_api.resources.linkifiers import Linkifiers
    from narrowcast_api.resources.navigation_views import NavigationViews
    from narrowcast_api.resources.playgrounds import Playgrounds
    from narrowcast_api.resources.profile_fields import ProfileFields
    from narrowcast_api.resources.reminders import Reminders
    from narrowcast_api.resources.saved_snippets import SavedSnippets
    from narrowcast_api.resources.scheduled_messages import ScheduledMessages
    from narrowcast_api.resources.status import StatusGroup
    from narrowcast_api.routes.avatar import Avatar
    from narrowcast_api.routes.calls import Calls
    from narrowcast_api.routes.channels import Channels
    from narrowcast_api.routes.events import Events
    from narrowcast_api.routes.flags import Flags
    from narrowcast_api.routes.messages import Messages
    from narrowcast_api.routes.narrows import Narrows
    from narrowcast_api.routes.organization import Organization
    from narrowcast_api.routes.organization_pictures import OrganizationPictures
    from narrowcast_api.routes.presence import Presences
    from narrowcast_api.routes.reactions import Reactions
    from narrowcast_api.routes.register import Registration
    from narrowcast_api.routes.server_settings import Server
    from narrowcast_api.routes.settings import Settings
    from narrowcast_api.routes.submessages import Submessages
    from narrowcast_api.routes.subscriptions import Subscriptions
    from narrowcast_api.routes.topics import Topics
    from narrowcast_api.routes.typing import Typing
    from narrowcast_api.routes.uploads import Uploads
    from narrowcast_api.routes.user_groups import UserGroups
    from narrowcast_api.routes.users import Users

_RESOURCES = frozenset(
    {
        "bots",
        "channel_folders",
        "custom_emoji",
        "default_channel_groups",
        "drafts",
        "exports",
        "invites",
        "linkifiers",
        "navigation_views",
        "playgrounds",
        "profile_fields",
        "reminders",
        "saved_snippets",
        "scheduled_messages",
        "status",
    }
)
"""Groups in `narrowcast_api.resources`, in modules of the same names."""
_ROUTES = {"registration": "register", "server": "server_settings"}
"""Modules of `narrowcast_api.routes` whose names differ from those of their groups, by group."""


class Client:
    """Every operation of the service, for one account; each group holds the routes of one resource, and is
    imported when it is first used.

    The server's feature level is requested once, at the first call that depends on it. Close the client with
    `aclose`, or use `async with`. All calls raise the errors of `narrowcast_api.errors`.
    """

    server: Server
    registration: Registration
    events: Events
    messages: Messages
    narrows: Narrows
    typing: Typing
    flags: Flags
    reactions: Reactions
    channels: Channels
    presence: Presences
    settings: Settings
    status: StatusGroup
    submessages: Submessages
    subscriptions: Subscriptions
    topics: Topics
    uploads: Uploads
    users: Users
    avatar: Avatar
    bots: Bots
    calls: Calls
    channel_folders: ChannelFolders
    custom_emoji: CustomEmojis
    default_channel_groups: DefaultChannelGroups
    drafts: Drafts
    exports: Exports
    invites: Invites
    linkifiers: Linkifiers
    navigation_views: NavigationViews
    organization: Organization
    organization_pictures: OrganizationPictures
    playgrounds: Playgrounds
    profile_fields: ProfileFields
    reminders: Reminders
    saved_snippets: SavedSnippets
    scheduled_messages: ScheduledMessages
    user_groups: UserGroups

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def __getattr__(self, name: str) -> object:
        """Creates a group when it is first used."""
        of = Client.__annotations__.get(name)
        if of is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        place = f"resources.{name}" if name in _RESOURCES else f"routes.{_ROUTES.get(name, name)}"
        module = import_module(f"narrowcast_api.{place}")
        group: object = getattr(module, of)(self.connection)
        setattr(self, name, group)
        return group

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *Client.__annotations__]

    def groups(self) -> dict[str, Group]:
        """Returns all groups by name."""
        return {name: getattr(self, name) for name in Client.__annotations__}

    @classmethod
    def open(
        cls,
        account: Account | str,
        *,
        transport: httpx2.AsyncBaseTransport | None = None,
        clock: Clock | None = None,
        server: ServerInfo | None = None,
        ca_bundle: Path | None = None,
    ) -> Self:
        """A client for an account, or for the address of an organization without logging in. Nothing is sent yet.

        `ca_bundle` is a PEM file of additional certificate authorities to trust, used if the account has none.
        """
        return cls(Connection(account, transport=transport, clock=clock, server=server, ca_bundle=ca_bundle))

    @classmethod
    def from_zuliprc(cls, path: Path | str, *, allow_shared: bool = False) -> Self:
        """A client for the account of a zuliprc file. Raises AccountError if the file cannot be used.

        A file that other users may read is rejected, as it holds the key: `chmod 600` it, or pass `allow_shared`.
        """
        return cls.open(Account.from_zuliprc(path, allow_shared=allow_shared))

    def __repr__(self) -> str:
        return f"<Client {self.connection!r}>"

    async def aclose(self) -> None:
        await self.connection.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
