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
    from narrowcast_api.http.operations import Operations
    from narrowcast_api.resources.bots import BotOperations
    from narrowcast_api.resources.channel_folders import ChannelFolderOperations
    from narrowcast_api.resources.custom_emoji import CustomEmojiOperations
    from narrowcast_api.resources.default_channel_groups import DefaultChannelGroupOperations
    from narrowcast_api.resources.drafts import DraftOperations
    from narrowcast_api.resources.exports import ExportOperations
    from narrowcast_api.resources.invites import InviteOperations
    from narrowcast_api.resources.linkifiers import LinkifierOperations
    from narrowcast_api.resources.navigation_views import NavigationViewOperations
    from narrowcast_api.resources.playgrounds import PlaygroundOperations
    from narrowcast_api.resources.presence import PresenceOperations
    from narrowcast_api.resources.profile_fields import ProfileFieldOperations
    from narrowcast_api.resources.reminders import ReminderOperations
    from narrowcast_api.resources.saved_snippets import SavedSnippetOperations
    from narrowcast_api.resources.scheduled_messages import ScheduledMessageOperations
    from narrowcast_api.resources.status import StatusOperations
    from narrowcast_api.resources.typing import TypingOperations
    from narrowcast_api.routes.auth import ServerOperations
    from narrowcast_api.routes.calls import CallOperations
    from narrowcast_api.routes.channels import ChannelOperations
    from narrowcast_api.routes.events import EventOperations
    from narrowcast_api.routes.flags import FlagOperations
    from narrowcast_api.routes.messages import MessageOperations
    from narrowcast_api.routes.narrows import NarrowOperations
    from narrowcast_api.routes.organization import OrganizationOperations
    from narrowcast_api.routes.pictures import AvatarOperations, OrganizationPictureOperations
    from narrowcast_api.routes.reactions import ReactionOperations
    from narrowcast_api.routes.register import RegistrationOperations
    from narrowcast_api.routes.settings import SettingOperations
    from narrowcast_api.routes.submessages import SubmessageOperations
    from narrowcast_api.routes.subscriptions import SubscriptionOperations
    from narrowcast_api.routes.topics import TopicOperations
    from narrowcast_api.routes.uploads import UploadOperations
    from narrowcast_api.routes.user_groups import UserGroupOperations
    from narrowcast_api.routes.users import UserOperations

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
        "presence",
        "profile_fields",
        "reminders",
        "saved_snippets",
        "scheduled_messages",
        "status",
        "typing",
    }
)
"""Groups in `narrowcast_api.resources`, in modules of the same names."""
_ROUTES = {
    "avatar": "pictures",
    "organization_pictures": "pictures",
    "registration": "register",
    "server": "auth",
}
"""Modules of `narrowcast_api.routes` whose names differ from those of their groups, by group."""


class Client:
    """Every operation of the service, for one account; each group holds the routes of one resource, and is
    imported when it is first used.

    The server's feature level is requested once, at the first call that depends on it. Close the client with
    `aclose`, or use `async with`. All calls raise the errors of `narrowcast_api.errors`.
    """

    server: ServerOperations
    registration: RegistrationOperations
    events: EventOperations
    messages: MessageOperations
    narrows: NarrowOperations
    typing: TypingOperations
    flags: FlagOperations
    reactions: ReactionOperations
    channels: ChannelOperations
    presence: PresenceOperations
    settings: SettingOperations
    status: StatusOperations
    submessages: SubmessageOperations
    subscriptions: SubscriptionOperations
    topics: TopicOperations
    uploads: UploadOperations
    users: UserOperations
    avatar: AvatarOperations
    bots: BotOperations
    calls: CallOperations
    channel_folders: ChannelFolderOperations
    custom_emoji: CustomEmojiOperations
    default_channel_groups: DefaultChannelGroupOperations
    drafts: DraftOperations
    exports: ExportOperations
    invites: InviteOperations
    linkifiers: LinkifierOperations
    navigation_views: NavigationViewOperations
    organization: OrganizationOperations
    organization_pictures: OrganizationPictureOperations
    playgrounds: PlaygroundOperations
    profile_fields: ProfileFieldOperations
    reminders: ReminderOperations
    saved_snippets: SavedSnippetOperations
    scheduled_messages: ScheduledMessageOperations
    user_groups: UserGroupOperations

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

    def groups(self) -> dict[str, Operations]:
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
