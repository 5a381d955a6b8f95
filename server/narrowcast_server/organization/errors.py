"""Errors that a request can be rejected with: one exception type, turned into the contract's error body (ERR-01)."""

from __future__ import annotations

from collections.abc import Mapping

BAD_REQUEST = "BAD_REQUEST"


class ServiceError(Exception):
    """An error response: `result: error` with `msg`, `code`, an HTTP status and the extra fields of the code."""

    has_effect = False
    """Whether the request changed something nevertheless."""

    def __init__(
        self,
        message: str,
        code: str = BAD_REQUEST,
        status: int = 400,
        *,
        headers: Mapping[str, str] | None = None,
        **extra: object,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.headers = dict(headers or {})
        self.extra = extra

    def body(self) -> dict[str, object]:
        """The JSON object of the response."""
        return {"result": "error", "msg": self.message, "code": self.code, **self.extra}


def unauthorized(message: str) -> ServiceError:
    """Missing, wrong or revoked credentials (AUTH-05)."""
    return ServiceError(
        message, "UNAUTHORIZED", 401, headers={"WWW-Authenticate": 'Basic realm="narrowcast"'}
    )


def unknown_endpoint() -> ServiceError:
    """A path that does not exist on this server, or at the emulated level (CONV-21)."""
    return ServiceError("Unknown endpoint.", status=404)


def not_administrator() -> ServiceError:
    """An organization-wide operation requested by a user who is not an administrator (DTOP-09)."""
    return ServiceError("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL")


def not_owner() -> ServiceError:
    """An operation for owners requested by another user."""
    return ServiceError("Must be an organization owner", "UNAUTHORIZED_PRINCIPAL")


def not_for_webhooks() -> ServiceError:
    """An operation other than sending, requested with the key of an incoming webhook."""
    return ServiceError("This API is not available to incoming webhook bots.")


def invalid_value(message: str, field: str = "__all__") -> ServiceError:
    """A field of a record that cannot have this value; `__all__` if several fields are inconsistent."""
    return ServiceError(message, errors={field: [message]})


class MissingParameter(ServiceError):
    """A required parameter is missing; Zulip servers have a code for this."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Missing '{name}' argument", var_name=name)


def field_missing(name: str) -> ServiceError:
    """A required field is missing in an object of the request. `name` is the field's path."""
    return ServiceError(f"{name} field is missing: Field required")


def insufficient_permission() -> ServiceError:
    """The contract's generic permission error (INV-32, USUB-15)."""
    return ServiceError("Insufficient permission")


def invalid_channel_id() -> ServiceError:
    """A channel that does not exist or that the caller cannot see: both get the same response (TOP-13)."""
    return ServiceError("Invalid channel ID")


def invalid_message() -> ServiceError:
    """A message that does not exist or that the caller cannot see."""
    return ServiceError("Invalid message(s)")


def no_such_user() -> ServiceError:
    """A user id or address of no known user (USR-29)."""
    return ServiceError("No such user")


def bad_narrow(description: str) -> ServiceError:
    """A narrow that this server cannot evaluate (NAR-11)."""
    return ServiceError(f"Invalid narrow operator: {description}", "BAD_NARROW", desc=description)
