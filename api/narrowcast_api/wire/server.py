"""Public information about a server, available before logging in: GET /server_settings (SRV rows)."""

from __future__ import annotations

from typing import Annotated

from msgspec.structs import replace

from narrowcast_api.model.reading import RawRecord
from narrowcast_api.server_info import ServerInfo

from .model import Good, GoodList, Int, WireModel, dialects, either
from .vocabulary import Dialect


class ExternalMethod(WireModel):
    """An external login method; the icon may be None. Kept in the server's order (SRV-07)."""

    name: str
    display_name: str = ""
    display_icon: str | None = None
    login_url: str = ""
    signup_url: str = ""


class ServerSettings(WireModel):
    """The server's version, level and login methods.

    Every field has a default, because older servers omit keys and a root domain omits the ``realm_*`` ones
    (SRV-24, SRV-25). The level is 0 if the server does not send one (SRV-10).
    """

    feature_level: Annotated[Int, dialects("feature_level")] = 0
    version: Annotated[str, dialects("version")] = ""
    merge_base: Annotated[str | None, dialects("merge_base")] = None
    authentication_methods: Good[dict[str, bool]] = {}
    external_authentication_methods: GoodList[ExternalMethod] = []
    push_notifications_enabled: bool = False
    is_incompatible: bool = False
    email_auth_enabled: bool = False
    require_email_format_usernames: bool = False
    realm_url: Annotated[str, either("realm_url", "realm_uri")] = ""
    realm_name: str = ""
    realm_icon: str = ""
    realm_description: str = ""
    realm_web_public_access_enabled: bool = False
    event_stream_path: str | None = None
    dialect: Dialect = Dialect.SERVICE

    @classmethod
    def from_response(cls, response: RawRecord) -> ServerSettings:
        """Reads a response, and determines the dialect from the names that it uses.

        A field that cannot be read gets its default, so that it cannot prevent logging in.
        """
        said = {name: value for name, value in response.items() if value is not None}
        return replace(cls.read_leniently(said), dialect=ServerInfo.from_response(response).dialect)
