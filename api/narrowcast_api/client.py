"""The library's front door: one account, all operations in groups.

async with Client.from_zuliprc("~/zuliprc") as client:
    await client.messages.send(to="general", topic="lunch", content="Soup today")
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

import httpx

from narrowcast_api.account import Account
from narrowcast_api.clock import Clock
from narrowcast_api.http.connection import Connection
from narrowcast_api.routes.avatar import Avatar
from narrowcast_api.routes.bots import Bots
from narrowcast_api.routes.calls import Calls
from narrowcast_api.routes.channel_folders import ChannelFolders
from narrowcast_api.routes.channels import Channels
from narrowcast_api.routes.custom_emoji import CustomEmoji
from narrowcast_api.routes.default_channel_groups import DefaultChannelGroups
from narrowcast_api.routes.drafts import Drafts
from narrowcast_api.routes.events import Events
from narrowcast_api.routes.exports import Exports
from narrowcast_api.routes.flags import Flags
from narrowcast_api.routes.invites import Invites
from narrowcast_api.routes.linkifiers import Linkifiers
from narrowcast_api.routes.messages import Messages
from narrowcast_api.routes.narrows import Narrows
from narrowcast_api.routes.navigation_views import NavigationViews
from narrowcast_api.routes.organization import Organization
from narrowcast_api.routes.organization_pictures import OrganizationPictures
from narrowcast_api.routes.playgrounds import Playgrounds
from narrowcast_api.routes.presence import Presences
from narrowcast_api.routes.profile_fields import ProfileFields
from narrowcast_api.routes.reactions import Reactions
from narrowcast_api.routes.register import Registration
from narrowcast_api.routes.reminders import Reminders
from narrowcast_api.routes.saved_snippets import SavedSnippets
from narrowcast_api.routes.scheduled_messages import ScheduledMessages
from narrowcast_api.routes.server_settings import Server
from narrowcast_api.routes.settings import Settings
from narrowcast_api.routes.status import Statuses
from narrowcast_api.routes.submessages import Submessages
from narrowcast_api.routes.subscriptions import Subscriptions
from narrowcast_api.routes.topics import Topics
from narrowcast_api.routes.typing import Typing
from narrowcast_api.routes.uploads import Uploads
from narrowcast_api.routes.user_groups import UserGroups
from narrowcast_api.routes.users import Users
from narrowcast_api.server_info import ServerInfo


class Client:
    """Every operation of the service, for one account; each group holds the routes of one resource.

    The server's level is asked for once, at the first call that depends on it. Close it with `aclose`, or use
    `async with`. All calls raise the errors of `narrowcast_api.errors`.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.server = Server(connection)
        self.registration = Registration(connection)
        self.events = Events(connection)
        self.messages = Messages(connection)
        self.narrows = Narrows(connection)
        self.typing = Typing(connection)
        self.flags = Flags(connection)
        self.reactions = Reactions(connection)
        self.channels = Channels(connection)
        self.presence = Presences(connection)
        self.settings = Settings(connection)
        self.status = Statuses(connection)
        self.submessages = Submessages(connection)
        self.subscriptions = Subscriptions(connection)
        self.topics = Topics(connection)
        self.uploads = Uploads(connection)
        self.users = Users(connection)
        self.avatar = Avatar(connection)
        self.bots = Bots(connection)
        self.calls = Calls(connection)
        self.channel_folders = ChannelFolders(connection)
        self.custom_emoji = CustomEmoji(connection)
        self.default_channel_groups = DefaultChannelGroups(connection)
        self.drafts = Drafts(connection)
        self.exports = Exports(connection)
        self.invites = Invites(connection)
        self.linkifiers = Linkifiers(connection)
        self.navigation_views = NavigationViews(connection)
        self.organization = Organization(connection)
        self.organization_pictures = OrganizationPictures(connection)
        self.playgrounds = Playgrounds(connection)
        self.profile_fields = ProfileFields(connection)
        self.reminders = Reminders(connection)
        self.saved_snippets = SavedSnippets(connection)
        self.scheduled_messages = ScheduledMessages(connection)
        self.user_groups = UserGroups(connection)

    @classmethod
    def open(
        cls,
        account: Account | str,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Clock | None = None,
        server: ServerInfo | None = None,
        ca_bundle: Path | None = None,
    ) -> Self:
        """A client for an account, or for an address where nobody is signed in. Nothing is sent yet.

        `ca_bundle` is a PEM file of further certificate authorities to trust, where the account names none.
        """
        return cls(Connection(account, transport=transport, clock=clock, server=server, ca_bundle=ca_bundle))

    @classmethod
    def from_zuliprc(cls, path: Path | str, *, allow_shared: bool = False) -> Self:
        """A client for the account of a zuliprc file; AccountError when the file cannot be used.

        That is so, too, for a file that others may read, as it holds the key: `chmod 600` it, or say
        `allow_shared`.
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
