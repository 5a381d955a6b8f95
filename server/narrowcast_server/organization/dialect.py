"""The two spellings of the service's own names (facts: 'Two dialects')."""

from __future__ import annotations

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ErrorCode
from narrowcast_server.organization.config import Config, Dialect
from narrowcast_server.organization.errors import BAD_REQUEST, MissingParameter, ServiceError

VERSION = "0.1.0"
"""The label of this server; clients compare levels, never this (VER-08)."""

EXTRA_EMOJI = "service_extra_emoji"
_EXTRA_EMOJI_ALIAS = "zulip_extra_emoji"


def named(config: Config, name: str, value: object) -> dict[str, object]:
    """`{service_<name>: value}` in the spellings that the dialect sends."""
    answer: dict[str, object] = {}
    if config.dialect is not Dialect.ZULIP:
        answer[f"service_{name}"] = value
    if config.dialect is not Dialect.SERVICE_ONLY:
        answer[f"zulip_{name}"] = value
    return answer


def version_fields(config: Config) -> dict[str, object]:
    """Version, merge base (from level 88) and feature level (absent at level 0: SRV-10)."""
    answer = named(config, "version", VERSION)
    if config.level >= Gate.MERGE_BASE.level:
        answer |= named(config, "merge_base", VERSION)
    if config.level > 0:
        answer |= named(config, "feature_level", config.level)
    return answer


def outgoing_reaction_type(config: Config, reaction_type: str) -> str:
    """A stored reaction type as this dialect spells it."""
    if reaction_type == EXTRA_EMOJI and config.dialect is Dialect.ZULIP:
        return _EXTRA_EMOJI_ALIAS
    return reaction_type


def incoming_reaction_type(reaction_type: str) -> str:
    """A reaction type as it is stored, from either spelling."""
    return EXTRA_EMOJI if reaction_type == _EXTRA_EMOJI_ALIAS else reaction_type


def guesses_reaction_type(config: Config, level: int) -> bool:
    """Whether a reaction is found that is taken back without its type (RXN-06). Zulip servers take it for one with a
    Unicode emoji.
    """
    return config.dialect is not Dialect.ZULIP and level >= Gate.REACTION_TYPE_OPTIONAL.level


def checks_reaction_to_remove(config: Config) -> bool:
    """Whether the code of a reaction that is taken back has to be one (RXN-09). For Zulip servers it is enough that
    there is no such reaction.
    """
    return config.dialect is not Dialect.ZULIP


def tells_every_skipped_channel(config: Config) -> bool:
    """Whether every change of flags tells which channels it left out. The contract tells it of what becomes unread
    alone (FLG-06), Zulip servers always.
    """
    return config.dialect is Dialect.ZULIP


def refusal(config: Config, error: ServiceError) -> dict[str, object]:
    """The JSON object of a refusal. Zulip servers have a code for missing parameters, and fields beside BAD_REQUEST,
    which the contract leaves without (ERR-02).
    """
    body = error.body()
    if config.dialect is Dialect.ZULIP:
        missing = isinstance(error, MissingParameter)
        return body | ({"code": ErrorCode.REQUEST_VARIABLE_MISSING.value} if missing else {})
    return {name: body[name] for name in body if error.code != BAD_REQUEST or name not in error.extra}


def status_of_missing(config: Config) -> int:
    """The status where something is not there: 404 on Zulip servers, 400 in the contract (ERR-07)."""
    return 404 if config.dialect is Dialect.ZULIP else 400


def playground_fields(config: Config, language: str) -> dict[str, object]:
    """The lexer's name of a playground."""
    answer: dict[str, object] = {}
    if config.dialect is not Dialect.ZULIP:
        answer["highlighter_language"] = language
    if config.dialect is not Dialect.SERVICE_ONLY:
        answer["pygments_language"] = language
    return answer
