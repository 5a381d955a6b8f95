"""The operator's mail settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path


class Security(Enum):
    """How the connection to the mail server is encrypted; if the server does not support it, sending fails."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"

    @property
    def port(self) -> int:
        return {Security.STARTTLS: 587, Security.TLS: 465, Security.NONE: 25}[self]


@dataclass(frozen=True, slots=True)
class MailSettings:
    """The mail server and the sender."""

    host: str
    port: int
    sender: str
    """The sender's email address."""
    security: Security = Security.STARTTLS
    user: str = ""
    """If empty, no login."""
    password: str = field(default="", repr=False)
    ca_file: Path | None = None
    """Trusted certificates, in place of the system's."""
    timeout_seconds: float = 20.0
    """The longest wait for each response of the mail server."""
