"""What a request can be refused with: one exception, turned into the contract's error body (ERR-01)."""

from __future__ import annotations

from collections.abc import Mapping

BAD_REQUEST = "BAD_REQUEST"


class ServiceError(Exception):
    """An answer of `result: error` with `msg`, `code`, an HTTP status and the extra fields of the code."""

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
        """The JSON object of the answer."""
        return {"result": "error", "msg": self.message, "code": self.code, **self.extra}


def unauthorized(message: str) -> ServiceError:
    """Missing, wrong or withdrawn credentials (AUTH-05)."""
    return ServiceError(
        message, "UNAUTHORIZED", 401, headers={"WWW-Authenticate": 'Basic realm="narrowcast"'}
    )


def unknown_endpoint() -> ServiceError:
    """A path that this server, or a server of the emulated level, does not have (CONV-21)."""
    return ServiceError("Unknown endpoint.", status=404)


def not_administrator() -> ServiceError:
    """An organization-wide operation asked for by somebody who is not an administrator (DTOP-09)."""
    return ServiceError("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL")


def not_owner() -> ServiceError:
    """An owner's operation asked for by somebody else."""
    return ServiceError("Must be an organization owner", "UNAUTHORIZED_PRINCIPAL")


def not_for_webhooks() -> ServiceError:
    """An operation asked for with the key of an incoming webhook, which does nothing but send."""
    return ServiceError("This API is not available to incoming webhook bots.")


def invalid_value(message: str, field: str = "__all__") -> ServiceError:
    """A field of a record that cannot have this value; `__all__` where several do not go together."""
    return ServiceError(message, errors={field: [message]})


class MissingParameter(ServiceError):
    """A request without a parameter that it needs; Zulip servers have a code for it."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Missing '{name}' argument", var_name=name)


def field_missing(name: str) -> ServiceError:
    """An object of a request without something that it must have. `name`: where it would stand."""
    return ServiceError(f"{name} field is missing: Field required")


def insufficient_permission() -> ServiceError:
    """The general refusal of the contract (INV-32, USUB-15)."""
    return ServiceError("Insufficient permission")


def invalid_channel_id() -> ServiceError:
    """A channel that does not exist, or that the caller may not know of: one and the same answer (TOP-13)."""
    return ServiceError("Invalid channel ID")


def invalid_message() -> ServiceError:
    """A message that does not exist, or that the caller may not see."""
    return ServiceError("Invalid message(s)")


def no_such_user() -> ServiceError:
    """A user id or address that names nobody (USR-29)."""
    return ServiceError("No such user")


def bad_narrow(description: str) -> ServiceError:
    """A narrow that this server cannot evaluate (NAR-11)."""
    return ServiceError(f"Invalid narrow operator: {description}", "BAD_NARROW", desc=description)
