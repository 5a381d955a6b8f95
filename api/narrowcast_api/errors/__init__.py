"""Everything that can go wrong, one type per cause.

    NarrowcastError
    ├── InvalidInput              refused here, before anything was sent
    ├── Unsupported               the server's feature level is too low; nothing was sent
    ├── AccountError              an account file that cannot be used
    ├── TransportError
    │   ├── NotConnected          the request surely never reached the server: safe to repeat
    │   │   └── NotAsked          a question before it failed, which `cause` tells
    │   └── OutcomeUnknown        it may have been carried out
    │       └── NoAnswer          nothing came in the time that a request may take
    ├── ServerFault               5xx; for a write the outcome is unknown
    ├── RateLimited               429, with the seconds to wait
    ├── MalformedAnswer           not what the contract promises
    │   └── NoServerThere         what answers at an address is no server of ours
    ├── AnswerTooLarge            cut off at the size cap
    ├── RedirectRefused           the server sent us to another origin
    │   └── FileElsewhere         a file that is kept there
    └── ApiError                  the server's own refusal: code, msg, status, extra
        └── one class per code, see `CODES`

Every error has `user_message`: what happened and what to do, one or two plain sentences.
Contract: section Errors (ERR-01 to ERR-09, AUTH-05, CONV-06, CONV-21).
"""

from narrowcast_api.errors.failures import (
    AccountError,
    AnswerTooLarge,
    FileElsewhere,
    InvalidInput,
    MalformedAnswer,
    NarrowcastError,
    NoAnswer,
    NoServerThere,
    NotAsked,
    NotConnected,
    OutcomeUnknown,
    RateLimited,
    RedirectRefused,
    ServerFault,
    TransportError,
    Unsupported,
)
from narrowcast_api.errors.refusals import (
    CODES,
    AccountDeactivated,
    ApiError,
    AuthenticationFailed,
    BadEventQueueId,
    BadImage,
    BadNarrow,
    BadPrincipal,
    BadRequest,
    CannotDeactivateLastUser,
    ChannelAlreadyExists,
    ExpectationMismatch,
    FileTooLarge,
    GroupInUse,
    InsufficientPermission,
    InvitationFailed,
    MethodNotAllowed,
    NotFound,
    PermissionDenied,
    ReactionAlreadyExists,
    ReactionDoesNotExist,
    RequestVariableInvalid,
    RequestVariableMissing,
    SecondFactorNeeded,
    StreamDoesNotExist,
    Unauthorized,
    UnauthorizedPrincipal,
    UploadQuotaReached,
    api_error,
)

__all__ = [
    "CODES",
    "NOT_DONE",
    "NOT_TAKEN",
    "PASSING",
    "REFUSED",
    "AccountDeactivated",
    "AccountError",
    "AnswerTooLarge",
    "ApiError",
    "AuthenticationFailed",
    "BadEventQueueId",
    "BadImage",
    "BadNarrow",
    "BadPrincipal",
    "BadRequest",
    "CannotDeactivateLastUser",
    "ChannelAlreadyExists",
    "ExpectationMismatch",
    "FileElsewhere",
    "FileTooLarge",
    "GroupInUse",
    "InsufficientPermission",
    "InvalidInput",
    "InvitationFailed",
    "MalformedAnswer",
    "MethodNotAllowed",
    "NarrowcastError",
    "NoAnswer",
    "NoServerThere",
    "NotAsked",
    "NotConnected",
    "NotFound",
    "OutcomeUnknown",
    "PermissionDenied",
    "RateLimited",
    "ReactionAlreadyExists",
    "ReactionDoesNotExist",
    "RedirectRefused",
    "RequestVariableInvalid",
    "RequestVariableMissing",
    "SecondFactorNeeded",
    "ServerFault",
    "StreamDoesNotExist",
    "TransportError",
    "Unauthorized",
    "UnauthorizedPrincipal",
    "Unsupported",
    "UploadQuotaReached",
    "api_error",
]

PASSING = (TransportError, ServerFault, RateLimited)
"""Causes that pass: the same request may work later."""

REFUSED = (ApiError, InvalidInput, Unsupported)
"""The server will not do it, or this library knows that it would not: asking again changes nothing."""

NOT_TAKEN = (RedirectRefused, *REFUSED)
"""The server did not take the request, which changed nothing: its writer has to know."""

NOT_DONE = (NotConnected, RateLimited, *NOT_TAKEN)
"""The request surely changed nothing."""
