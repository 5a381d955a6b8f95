"""Rejections by the server, one class per code: contract ERR-01 to ERR-09."""

from __future__ import annotations

from collections.abc import Mapping

from narrowcast_api.errors.failures import NarrowcastError


class ApiError(NarrowcastError):
    """The server rejected the request. `code` is the contract's (may be ''), `msg` is text for users, `extra`
    holds all other fields.
    """

    def __init__(
        self, code: str, msg: str, status: int = 400, extra: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(msg or code or f"HTTP {status}")
        self.code = code
        self.msg = msg
        self.status = status
        self.extra: Mapping[str, object] = dict(extra or {})

    def __repr__(self) -> str:
        return f"{type(self).__name__}(code={self.code!r}, msg={self.msg!r}, status={self.status})"

    @property
    def user_message(self) -> str:
        return (
            self.msg
            or f"The server rejected the request (HTTP {self.status}{', ' + self.code if self.code else ''})."
        )

    def _text(self, name: str) -> str | None:
        value = self.extra.get(name)
        return value if isinstance(value, str) else None

    def _number(self, name: str) -> int | None:
        value = self.extra.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def _flag(self, name: str) -> bool:
        return self.extra.get(name) is True


class BadRequest(ApiError):
    """BAD_REQUEST: invalid parameter, missing object, forbidden by a rule (ERR-02)."""


class RequestVariableMissing(BadRequest):
    """REQUEST_VARIABLE_MISSING: how some servers report a missing parameter; `var_name` is its name."""

    @property
    def var_name(self) -> str | None:
        return self._text("var_name")


class RequestVariableInvalid(BadRequest):
    """REQUEST_VARIABLE_INVALID: a parameter cannot be parsed; `var_name` is its name."""

    @property
    def var_name(self) -> str | None:
        return self._text("var_name")


class Unauthorized(ApiError):
    """UNAUTHORIZED, INVALID_API_KEY, or a bare 401: the credentials are not accepted (AUTH-05)."""

    @property
    def user_message(self) -> str:
        return f"{self.msg or 'The server does not accept this key'}. Log in again."


class AccountDeactivated(Unauthorized):
    """USER_DEACTIVATED or REALM_DEACTIVATED: this account can no longer log in.

    For requests with an API key servers send UNAUTHORIZED instead; then only `msg` says that the account is
    deactivated.
    """

    @property
    def user_message(self) -> str:
        return f"{self.msg.rstrip('.') or 'This account is deactivated'}."


class AuthenticationFailed(Unauthorized):
    """AUTHENTICATION_FAILED: wrong user name or password."""

    @property
    def user_message(self) -> str:
        return self.msg or "Incorrect email or password."


class SecondFactorNeeded(AuthenticationFailed):
    """SECOND_FACTOR_NEEDED: the password is correct, and a code from an authenticator app is required as well.

    Only from embedded servers (outside the contract).
    """


class PermissionDenied(ApiError):
    """The account has no permission to do this; `code` is the server's (USRU-15, DTOP-14)."""


class UnauthorizedPrincipal(PermissionDenied):
    """UNAUTHORIZED_PRINCIPAL: the user is not an administrator (ERR-04)."""


class InsufficientPermission(BadRequest, PermissionDenied):
    """BAD_REQUEST whose message says that a permission is missing."""


class BadPrincipal(BadRequest):
    """A user named in a request does not exist or is deactivated (USUB-13, USUB-14)."""


class StreamDoesNotExist(ApiError):
    """STREAM_DOES_NOT_EXIST: `stream_id` or `stream` (a name) identifies the channel, both optional (ERR-03)."""

    @property
    def stream_id(self) -> int | None:
        return self._number("stream_id")

    @property
    def stream(self) -> str | None:
        return self._text("stream")

    @property
    def user_message(self) -> str:
        which = self.stream if self.stream is not None else self.stream_id
        return self.msg or f"The channel{'' if which is None else f' {which}'} does not exist."


class InvitationFailed(ApiError):
    """INVITATION_FAILED: some addresses could not be invited (ERR-05)."""

    @property
    def daily_limit_reached(self) -> bool:
        return self._flag("daily_limit_reached")

    @property
    def license_limit_reached(self) -> bool:
        return self._flag("license_limit_reached")

    @property
    def sent_invitations(self) -> bool:
        """Whether invitations to the other addresses were sent."""
        return self._flag("sent_invitations")

    @property
    def errors(self) -> tuple[tuple[str, str, bool], ...]:
        """(email, reason, flag) for each address that failed; the server defines the meaning of the flag."""
        failed: list[tuple[str, str, bool]] = []
        entries = self.extra.get("errors")
        for entry in entries if isinstance(entries, list) else ():
            match entry:
                case [str(email), str(reason), bool(flag), *_]:
                    failed.append((email, reason, flag))
                case [str(email), str(reason)]:
                    failed.append((email, reason, False))
                case _:
                    continue
        return tuple(failed)


class ReactionDoesNotExist(ApiError):
    """REACTION_DOES_NOT_EXIST: the reaction was already removed (ERR-06, RXN-10)."""


class ReactionAlreadyExists(ApiError):
    """REACTION_ALREADY_EXISTS: the user has already added this reaction."""


class BadEventQueueId(ApiError):
    """BAD_EVENT_QUEUE_ID: the queue expired or belongs to another user; register again."""

    @property
    def queue_id(self) -> str | None:
        return self._text("queue_id")


class BadNarrow(BadRequest):
    """BAD_NARROW: an operator or operand that the server does not know; `desc` says which one."""

    @property
    def desc(self) -> str | None:
        return self._text("desc")


class ExpectationMismatch(ApiError):
    """EXPECTATION_MISMATCH, or BAD_REQUEST with its message or `field_name`: the object was changed in the meantime;
    reload it and decide again (GSV-05).
    """

    @property
    def user_message(self) -> str:
        return "Somebody else has changed this in the meantime. Check the current value, and save again."


class MoveTimeLimitExceeded(ApiError):
    """MOVE_MESSAGES_TIME_LIMIT_EXCEEDED: some messages of the topic are too old to be moved."""

    @property
    def first_movable(self) -> int | None:
        """The id of the oldest message that may be moved; None if there is none."""
        return self._number("first_message_id_allowed_to_move")

    @property
    def movable(self) -> int:
        """How many messages of the topic may be moved."""
        return self._number("total_messages_allowed_to_move") or 0

    @property
    def total(self) -> int:
        """How many messages the topic has."""
        return self._number("total_messages_in_topic") or 0


class ChannelAlreadyExists(ApiError):
    """CHANNEL_ALREADY_EXISTS: the name is taken."""


class NotFound(BadRequest):
    """404: the object or the endpoint does not exist (CONV-21)."""


class MethodNotAllowed(ApiError):
    """405: this server does not support the operation (CONV-21)."""


class CannotDeactivateLastUser(BadRequest):
    """CANNOT_DEACTIVATE_LAST_USER: the only owner cannot be deactivated (USRD-08)."""


class GroupInUse(ApiError):
    """CANNOT_DEACTIVATE_GROUP_IN_USE: `objections` lists where the group is still used."""

    @property
    def objections(self) -> tuple[object, ...]:
        value = self.extra.get("objections")
        return tuple(value) if isinstance(value, list) else ()


class FileTooLarge(BadRequest):
    """413: the server does not accept a request of this size."""

    @property
    def user_message(self) -> str:
        return self.msg or "The file is larger than the server accepts."


class UploadQuotaReached(BadRequest):
    """REALM_UPLOAD_QUOTA: the upload quota of the organization or of the current user is used up."""


class BadImage(BadRequest):
    """BAD_IMAGE: the uploaded picture cannot be used."""


CODES: Mapping[str, type[ApiError]] = {
    "BAD_REQUEST": BadRequest,
    "REQUEST_VARIABLE_MISSING": RequestVariableMissing,
    "REQUEST_VARIABLE_INVALID": RequestVariableInvalid,
    "UNAUTHORIZED": Unauthorized,
    "INVALID_API_KEY": Unauthorized,
    "AUTHENTICATION_FAILED": AuthenticationFailed,
    "SECOND_FACTOR_NEEDED": SecondFactorNeeded,
    "USER_DEACTIVATED": AccountDeactivated,
    "REALM_DEACTIVATED": AccountDeactivated,
    "UNAUTHORIZED_PRINCIPAL": UnauthorizedPrincipal,
    "STREAM_DOES_NOT_EXIST": StreamDoesNotExist,
    "INVITATION_FAILED": InvitationFailed,
    "REACTION_DOES_NOT_EXIST": ReactionDoesNotExist,
    "REACTION_ALREADY_EXISTS": ReactionAlreadyExists,
    "BAD_EVENT_QUEUE_ID": BadEventQueueId,
    "BAD_NARROW": BadNarrow,
    "EXPECTATION_MISMATCH": ExpectationMismatch,
    "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED": MoveTimeLimitExceeded,
    "CHANNEL_ALREADY_EXISTS": ChannelAlreadyExists,
    "CANNOT_DEACTIVATE_LAST_USER": CannotDeactivateLastUser,
    "CANNOT_DEACTIVATE_GROUP_IN_USE": GroupInUse,
    "BAD_IMAGE": BadImage,
    "REALM_UPLOAD_QUOTA": UploadQuotaReached,
}

# Only for responses without a known code (ERR-07, ERR-08).
_BY_STATUS: Mapping[int, type[ApiError]] = {
    401: Unauthorized,
    403: PermissionDenied,
    404: NotFound,
    405: MethodNotAllowed,
    413: FileTooLarge,
}

_MISMATCH_WORDS = "value does not match the expected value"
_MISMATCH_FIELDS = ("old", "prev_content_sha256")
_PERMISSION_WORDS = ("insufficient permission", "must be an organization", "have permission", "not allowed")


def api_error(status: int, code: str, msg: str, extra: Mapping[str, object] | None = None) -> ApiError:
    """Returns the typed error of a rejection: by code, or by HTTP status if the code is not specific."""
    kind = CODES.get(code)
    if kind is BadRequest:
        if status == 404:
            kind = NotFound
        elif _MISMATCH_WORDS in msg or (extra or {}).get("field_name") in _MISMATCH_FIELDS:
            kind = ExpectationMismatch
        elif any(words in msg.lower() for words in _PERMISSION_WORDS):
            kind = InsufficientPermission
    if kind is Unauthorized and "deactivated" in msg.lower():
        kind = AccountDeactivated  # the reply to an API key; the specific codes are sent at login
    if kind is None:
        # An unknown code is kept as a plain ApiError; a 401 still means "log in again".
        kind = _BY_STATUS.get(status, ApiError) if not code or status == 401 else ApiError
    return kind(code, msg, status, extra)
