"""What a client must know about the server that it talks to: level, version and dialect."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from narrowcast_api.errors import Unsupported
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import Dialect

_MAX_LEVEL = 2**31
_SHOWN = tuple(gate for gate in Gate if gate.field)


class ServerInfo(Struct, frozen=True):
    """`level` is the feature level (0 if the server sends none, SRV-10), `version` an arbitrary label (VER-08).

    `known` is False until the server has been asked. `dialect` selects the field names that are written; both
    dialects are read. `site` is the address that the server gives for itself, `name` the organization's name.
    `shown` are the gates that its snapshot proves to be supported, whatever its level.
    """

    level: int = 0
    version: str = ""
    dialect: Dialect = Dialect.SERVICE
    merge_base: str = ""
    is_incompatible: bool = False
    known: bool = False
    site: str = ""
    name: str = ""
    shown: frozenset[Gate] = frozenset()

    def supports(self, gate: Gate) -> bool:
        """Whether the server supports the gate: its level is high enough, or its snapshot shows that it does."""
        return gate.is_at(self.level) or gate in self.shown

    def require(self, gate: Gate) -> None:
        """Raises `Unsupported`, naming both levels, unless the server supports the gate."""
        if not self.supports(gate):
            raise Unsupported(gate.level, self.level, gate.title)

    @classmethod
    def from_response(cls, response: Mapping[str, object]) -> ServerInfo:
        """Reads the response of server_settings or register, in either dialect.

        If the response has the contract's neutral names, even beside Zulip's, requests are written with the
        neutral names.
        """
        zulip = any(name in response for name in ("zulip_version", "zulip_feature_level"))
        service = any(name in response for name in ("service_version", "service_feature_level"))
        dialect = Dialect.ZULIP if zulip and not service else Dialect.SERVICE
        return cls(
            level=_level(_either(response, "feature_level")),
            version=_text(_either(response, "version")),
            dialect=dialect,
            merge_base=_text(_either(response, "merge_base")),
            is_incompatible=response.get("is_incompatible") is True,
            known=True,
            site=_text(response.get("realm_url")) or _text(response.get("realm_uri")),
            name=_text(response.get("realm_name")),
            shown=frozenset(gate for gate in _SHOWN if _has(response, gate.field)),
        )


def _has(response: Mapping[str, object], field: str) -> bool:
    """Whether a field is there, as `LevelRow.field` names it. The objects of a list all have the same fields."""
    name, _, of_object = field.partition(".")
    if not of_object:
        return name in response
    rows = response.get(name)
    return isinstance(rows, list) and bool(rows) and isinstance(rows[0], Mapping) and of_object in rows[0]


def _either(response: Mapping[str, object], name: str) -> object:
    return response.get(f"service_{name}", response.get(f"zulip_{name}"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _level(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return min(max(0, value), _MAX_LEVEL)


class RequestLimits(Struct, frozen=True):
    """The limits from registration that requests are checked against; None where the server sent none (LIM-02).

    Lengths are in code points (LIM-03), the file size in MiB of 2**20 bytes, 0 if uploads are disabled.
    """

    max_message_length: int | None = None
    max_topic_length: int | None = None
    max_file_upload_size_mib: int | None = None
    longpoll_seconds: float | None = None
    empty_topic_name: str | None = None
    idle_queue_seconds: float | None = None

    @classmethod
    def from_response(cls, response: Mapping[str, object]) -> RequestLimits:
        """Reads the limits from the response of register."""
        name = response.get("realm_empty_topic_display_name")
        return cls(
            _limit(response.get("max_message_length")),
            _limit(response.get("max_topic_length")),
            _limit(response.get("max_file_upload_size_mib"), 0),
            _seconds(response.get("event_queue_longpoll_timeout_seconds")),
            name if isinstance(name, str) else None,
            _seconds(response.get("idle_queue_timeout_secs"), 10**8),
        )


def _limit(value: object, least: int = 1) -> int | None:
    return value if type(value) is int and value >= least else None


def _seconds(value: object, below: int = 86_400) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 < value < below else None
