"""All errors of the library, one type per cause.

    NarrowcastError
    ├── InvalidInput              rejected by the library before anything was sent
    ├── Unsupported               the server's feature level is too low; nothing was sent
    ├── AccountError              an account file that cannot be used
    ├── TransportError
    │   ├── NotConnected          the request certainly did not reach the server: safe to repeat
    │   │   ├── NotSent           a preliminary request failed; `cause` is its error
    │   │   └── UnusableProxy     the environment names a proxy that cannot be used
    │   └── OutcomeUnknown        the server may have carried the request out
    │       └── NoResponse        no response within the time limit of a request
    ├── ServerFault               5xx; for a write the outcome is unknown
    ├── RateLimited               429, with the seconds to wait
    ├── MalformedResponse         not what the contract promises
    │   └── NoServerThere         the address is not that of a Zulip server
    ├── ResponseTooLarge          cut off at the size limit
    ├── RedirectRefused           a redirect to another origin, which was not followed
    │   ├── RedirectLoop          redirects within the server's own origin without end
    │   └── FileElsewhere         a file that is stored at another origin
    └── ApiError                  rejected by the server: code, msg, status, extra
        └── one class per code, see `CODES`

Every error has `user_message`: what happened and what to do, in one or two plain sentences.
Contract: section Errors (ERR-01 to ERR-09, AUTH-05, CONV-06, CONV-21).
"""

from narrowcast_api.errors.failures import (
    AccountError,
    FileElsewhere,
    InvalidInput,
    MalformedResponse,
    NarrowcastError,
    NoResponse,
    NoServerThere,
    NotConnected,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    RedirectLoop,
    RedirectRefused,
    ResponseTooLarge,
    ServerFault,
    TransportError,
    Unsupported,
    UnusableProxy,
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
    MoveTimeLimitExceeded,
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
    "NO_EFFECT",
    "REJECTED",
    "REJECTED_OR_REDIRECTED",
    "TEMPORARY",
    "AccountDeactivated",
    "AccountError",
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
    "MalformedResponse",
    "MethodNotAllowed",
    "MoveTimeLimitExceeded",
    "NarrowcastError",
    "NoResponse",
    "NoServerThere",
    "NotConnected",
    "NotFound",
    "NotSent",
    "OutcomeUnknown",
    "PermissionDenied",
    "RateLimited",
    "ReactionAlreadyExists",
    "ReactionDoesNotExist",
    "RedirectLoop",
    "RedirectRefused",
    "RequestVariableInvalid",
    "RequestVariableMissing",
    "ResponseTooLarge",
    "SecondFactorNeeded",
    "ServerFault",
    "StreamDoesNotExist",
    "TransportError",
    "Unauthorized",
    "UnauthorizedPrincipal",
    "Unsupported",
    "UnusableProxy",
    "UploadQuotaReached",
    "api_error",
]

TEMPORARY = (TransportError, ServerFault, RateLimited)
"""Temporary failures: the same request may succeed later."""

REJECTED = (ApiError, InvalidInput, Unsupported)
"""Rejections by the server, or by this library because the server would reject the request: retrying is useless."""

REJECTED_OR_REDIRECTED = (RedirectRefused, *REJECTED)
"""The server rejected the request, which changed nothing: the user must be told."""

NO_EFFECT = (NotConnected, RateLimited, *REJECTED_OR_REDIRECTED)
"""The request certainly changed nothing."""
