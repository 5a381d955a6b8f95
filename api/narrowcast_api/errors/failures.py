"""Failures in the library or the network, and unusable responses: all errors except rejections by the server."""

from __future__ import annotations

import re


class NarrowcastError(Exception):
    """Base class of all errors that this library raises."""

    @property
    def user_message(self) -> str:
        """What happened and what to do, as text for users."""
        return str(self)


class AccountError(NarrowcastError):
    """An account file is missing, unreadable or incomplete."""


class InvalidInput(NarrowcastError):
    """The library rejected a call because of its arguments; nothing was sent."""


class Unsupported(NarrowcastError):
    """The server is too old for this: nothing was sent, or the server did not know the operation.

    `feature` names what was requested, `needs` the level that has it, `has` the server's level.
    """

    def __init__(self, needs: int, has: int, feature: str = "This") -> None:
        super().__init__(f"{feature} needs level {needs}, the server has {has}")
        self.needs = needs
        self.has = has
        self.feature = feature

    @property
    def user_message(self) -> str:
        return f"{self.feature}: not supported by this server (level {self.has}; needs {self.needs})."


class TransportError(NarrowcastError):
    """No complete response arrived."""


_UNTRUSTED = re.compile(r"CERTIFICATE_VERIFY_FAILED\] certificate verify failed: (.*?)(?: \(_ssl|$)")
"""OpenSSL's reason in the text of an error."""


class NotConnected(TransportError):
    """No connection was made: the request certainly did not reach the server and may be repeated."""

    @property
    def user_message(self) -> str:
        if found := _UNTRUSTED.search(str(self)):
            return (
                f"The server's certificate is not trusted ({found[1]}). Specify the authority that signed it: login "
                "--ca-bundle FILE, or cert_bundle=FILE in the zuliprc."
            )
        if "[SSL: WRONG_VERSION_NUMBER]" in str(self):
            return "This server does not use HTTPS. Try its address with http:// instead."
        return f"The server cannot be reached ({self}). Check the network and the address."


class UnusableProxy(NotConnected):
    """A variable of the environment names a proxy that cannot be used, or an exception from it that is invalid.

    `extra` names the optional dependencies that it needs, if they are not installed.
    """

    def __init__(self, variable: str, reason: str, extra: str = "") -> None:
        super().__init__(f"{variable}: {reason}")
        self.variable = variable
        self.extra = extra

    @property
    def user_message(self) -> str:
        return f"{self}."


class OutcomeUnknown(TransportError):
    """Timed out or disconnected after sending: the server may have carried the request out.

    `read_only`: the request changes nothing on the server, so it may be repeated.
    """

    read_only = False

    @property
    def user_message(self) -> str:
        return f"Connection lost before a response arrived ({self}). {self._advice}"

    @property
    def _advice(self) -> str:
        return "Try again." if self.read_only else "It may have worked: check before you try again."


class NoResponse(OutcomeUnknown):
    """No response within the time limit of a request, or for long before the connection was cut: most likely the
    connection was lost unnoticed, and the request with it.
    """

    @property
    def user_message(self) -> str:
        return f"The server did not respond ({self}). {self._advice}"


class ServerFault(NarrowcastError):
    """The server failed (5xx). For a write the outcome is unknown."""

    def __init__(self, status: int, detail: str = "") -> None:
        super().__init__(f"HTTP {status}" + (f": {detail}" if detail else ""))
        self.status = status
        self.detail = detail

    @property
    def user_message(self) -> str:
        return f"Server error (HTTP {self.status}). Try again in a moment."


class NotSent(NotConnected):
    """A preliminary request to the server failed (5xx) or got no response: the request itself was not sent and
    may be repeated. `cause` is the error of the preliminary request.
    """

    def __init__(self, cause: OutcomeUnknown | ServerFault) -> None:
        super().__init__(str(cause))
        self.cause = cause
        if isinstance(cause, OutcomeUnknown):
            cause.read_only = True

    @property
    def user_message(self) -> str:
        return self.cause.user_message


class RateLimited(NarrowcastError):
    """429: too many requests. `retry_after` is in seconds, from the response's body or header."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"too many requests; retry in {retry_after:.1f} s")
        self.retry_after = retry_after

    @property
    def user_message(self) -> str:
        return f"Rate limit exceeded. Try again in {max(1, round(self.retry_after))} s."


class MalformedResponse(NarrowcastError):
    """The response is not what the contract promises (HTML, broken JSON, wrong shape)."""

    def __init__(self, detail: str, *, status: int = 200) -> None:
        super().__init__(detail if status == 200 else f"{detail} (HTTP {status})")
        self.detail = detail
        self.status = status

    @property
    def user_message(self) -> str:
        return f"Unexpected response from the server: {self}. Is this the address of a chat server?"


class NoServerThere(MalformedResponse):
    """What responds at `site` is not a Zulip server."""

    def __init__(self, site: str, detail: str, *, status: int = 200) -> None:
        super().__init__(detail, status=status)
        self.site = site

    @property
    def user_message(self) -> str:
        return f"No Zulip server found at {self.site} ({self._reason}). Check the address."

    @property
    def _reason(self) -> str:
        return self.detail if self.status == 200 else f"HTTP {self.status}"


class ResponseTooLarge(NarrowcastError):
    """The response is longer than `limit` bytes and was cut off."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"response longer than {limit} bytes")
        self.limit = limit

    @property
    def user_message(self) -> str:
        return f"The server's response is larger than {self.limit // 2**20} MiB and was not read."


class RedirectRefused(NarrowcastError):
    """The server redirected the request to another origin; nothing was sent there."""

    def __init__(self, location: str) -> None:
        super().__init__(f"redirected to {location}")
        self.location = location

    @property
    def user_message(self) -> str:
        where = "/".join(self.location.split("/")[:3]) if "://" in self.location else self.location
        return f"The server redirects to {where}. If you trust that address, log in there."


class RedirectLoop(RedirectRefused):
    """The server redirects within its own origin without end."""

    @property
    def user_message(self) -> str:
        return (
            "The server redirects in a loop. Check its address; if that is right, ask the server's operator."
        )


class FileElsewhere(RedirectRefused):
    """The server stores a file on another host; nothing was fetched from there.

    A redirect could lead into the private network of the user who downloads, so none to another origin is followed.
    """

    @property
    def user_message(self) -> str:
        where = "/".join(self.location.split("/")[:3])
        return f"The server stores this file at {where}; it was not downloaded. Open it in the browser."
