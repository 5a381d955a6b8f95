"""What a server says of itself before anybody signs in: GET /server_settings (SRV rows)."""

from __future__ import annotations

from typing import Any

from pydantic import Field, field_validator

from narrowcast_api.server_info import ServerInfo

from .base import Good, GoodList, Int, WireModel, dialects, either, lenient
from .vocabulary import Dialect


class ExternalMethod(WireModel):
    """A way to sign in at somebody else's; no icon is None. Kept in the server's order (SRV-07)."""

    name: str
    display_name: str = ""
    display_icon: str | None = None
    login_url: str = ""
    signup_url: str = ""


class ServerSettings(WireModel):
    """The server's version, level and ways to sign in.

    Every field has a default, because older servers omit keys and a root domain omits the ``realm_*`` ones
    (SRV-24, SRV-25). The level is 0 where the server does not say (SRV-10).
    """

    feature_level: Int = Field(default=0, validation_alias=dialects("feature_level"))
    version: str = Field(default="", validation_alias=dialects("version"))
    merge_base: str | None = Field(default=None, validation_alias=dialects("merge_base"))
    authentication_methods: Good[dict[str, bool]] = {}
    external_authentication_methods: GoodList[ExternalMethod] = []
    push_notifications_enabled: bool = False
    is_incompatible: bool = False
    email_auth_enabled: bool = False
    require_email_format_usernames: bool = False
    realm_url: str = Field(default="", validation_alias=either("realm_url", "realm_uri"))
    realm_name: str = ""
    realm_icon: str = ""
    realm_description: str = ""
    realm_web_public_access_enabled: bool = False
    event_stream_path: str | None = None
    dialect: Dialect = Dialect.SERVICE

    @field_validator("feature_level", mode="before")
    @classmethod
    def _no_level_is_zero(cls, value: Any) -> Any:
        return 0 if value is None else value

    @classmethod
    def read(cls, answer: dict[str, object]) -> ServerSettings:
        """Parse an answer, and tell the dialect from the names that it uses.

        A field that cannot be read has its default: nothing here may keep anybody from signing in.
        """
        settings = lenient(cls, answer, [])
        return settings.model_copy(update={"dialect": ServerInfo.from_answer(answer).dialect})
