"""How mail is sent, as the operator says it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path


class Security(Enum):
    """How the way to the mail server is protected; what it does not offer is an error, never a reason to do without."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"

    @property
    def port(self) -> int:
        return {Security.STARTTLS: 587, Security.TLS: 465, Security.NONE: 25}[self]


@dataclass(frozen=True, slots=True)
class MailSettings:
    """One mail server, and who is the sender."""

    host: str
    port: int
    sender: str
    """The address from which mail comes."""
    security: Security = Security.STARTTLS
    user: str = ""
    """Without one, nobody signs in."""
    password: str = field(default="", repr=False)
    ca_file: Path | None = None
    """Certificates that are trusted in place of the system's."""
    timeout_seconds: float = 20.0
    """For each answer of the mail server."""
