"""The two spellings of the service's own names (facts: 'Two dialects')."""

from __future__ import annotations

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ErrorCode
from narrowcast_server.organization.config import ServedDialect, ServerConfig
from narrowcast_server.organization.errors import BAD_REQUEST, MissingParameter, ServiceError

VERSION = "0.1.0"
"""The version string of this server; clients compare feature levels, never this (VER-08)."""

EXTRA_EMOJI = "service_extra_emoji"
_EXTRA_EMOJI_ALIAS = "zulip_extra_emoji"


def named(config: ServerConfig, name: str, value: object) -> dict[str, object]:
    """`{service_<name>: value}` in the spellings that the dialect sends."""
    result: dict[str, object] = {}
    if config.dialect is not ServedDialect.ZULIP:
        result[f"service_{name}"] = value
    if config.dialect is not ServedDialect.SERVICE_ONLY:
        result[f"zulip_{name}"] = value
    return result


def version_fields(config: ServerConfig) -> dict[str, object]:
    """Version, merge base (from level 88) and feature level (absent at level 0: SRV-10)."""
    result = named(config, "version", VERSION)
    if config.level >= Gate.MERGE_BASE.level:
        result |= named(config, "merge_base", VERSION)
    if config.level > 0:
        result |= named(config, "feature_level", config.level)
    return result


def outgoing_reaction_type(config: ServerConfig, reaction_type: str) -> str:
    """The spelling of a stored reaction type in this dialect."""
    if reaction_type == EXTRA_EMOJI and config.dialect is ServedDialect.ZULIP:
        return _EXTRA_EMOJI_ALIAS
    return reaction_type


def incoming_reaction_type(reaction_type: str) -> str:
    """The stored form of a reaction type, from either spelling."""
    return EXTRA_EMOJI if reaction_type == _EXTRA_EMOJI_ALIAS else reaction_type


def matches_any_reaction_type(config: ServerConfig, level: int) -> bool:
    """Whether removing a reaction without giving its type matches reactions of any type (RXN-06). Zulip
    servers assume a Unicode emoji.
    """
    return config.dialect is not ServedDialect.ZULIP and level >= Gate.REACTION_TYPE_OPTIONAL.level


def checks_reaction_to_remove(config: ServerConfig) -> bool:
    """Whether the emoji code of a reaction to remove is validated (RXN-09). Zulip servers only report that
    there is no such reaction.
    """
    return config.dialect is not ServedDialect.ZULIP


def reports_every_skipped_channel(config: ServerConfig) -> bool:
    """Whether every flag update lists the channels that it skipped. By the contract only marking as unread
    does (FLG-06); Zulip servers always do.
    """
    return config.dialect is ServedDialect.ZULIP


def refusal(config: ServerConfig, error: ServiceError) -> dict[str, object]:
    """The JSON body of an error. Zulip servers have a code for missing parameters, and extra fields with
    BAD_REQUEST, which the contract omits (ERR-02).
    """
    body = error.body()
    if config.dialect is ServedDialect.ZULIP:
        missing = isinstance(error, MissingParameter)
        return body | ({"code": ErrorCode.REQUEST_VARIABLE_MISSING.value} if missing else {})
    return {name: body[name] for name in body if error.code != BAD_REQUEST or name not in error.extra}


def status_of_missing(config: ServerConfig) -> int:
    """The status for missing objects: 404 on Zulip servers, 400 in the contract (ERR-07)."""
    return 404 if config.dialect is ServedDialect.ZULIP else 400


def playground_fields(config: ServerConfig, language: str) -> dict[str, object]:
    """The field for the lexer name of a code playground, in the spellings that the dialect sends."""
    result: dict[str, object] = {}
    if config.dialect is not ServedDialect.ZULIP:
        result["highlighter_language"] = language
    if config.dialect is not ServedDialect.SERVICE_ONLY:
        result["pygments_language"] = language
    return result
