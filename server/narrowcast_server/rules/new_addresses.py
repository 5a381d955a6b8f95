"""Email addresses allowed for accounts: the organization's domains, and disposable addresses.

As on a Zulip server, the restriction to domains takes precedence (zulip.com/help/restrict-account-creation).
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from narrowcast_server.organization.errors import ServiceError

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


class AddressProblem(Enum):
    """Why an email address is not allowed, as text for the inviter."""

    PLUS = "Email addresses containing + are not allowed."
    DOMAIN = "Outside your domain."
    DISPOSABLE = "Please use your real email address."


def problem_of(organization: Organization, address: str) -> AddressProblem | None:
    """Why a well-formed email address is not allowed for accounts; None if it is."""
    local, _, domain = address.strip().lower().rpartition("@")
    if not organization.setting("emails_restricted_to_domains", bool):
        refuses = organization.setting("disallow_disposable_email_addresses", bool)
        return AddressProblem.DISPOSABLE if refuses and _is_disposable(organization, domain) else None
    if "+" in local:
        return AddressProblem.PLUS
    rows = organization.store.all("SELECT domain, allow_subdomains FROM domains")
    allowed = any(
        domain == row["domain"] or (row["allow_subdomains"] and domain.endswith(f".{row['domain']}"))
        for row in rows
    )
    return None if allowed else AddressProblem.DOMAIN


def check_allowed(organization: Organization, address: str) -> None:
    """Raises BAD_REQUEST if the email address is not allowed for accounts."""
    match problem_of(organization, address):
        case AddressProblem.PLUS as problem:
            raise ServiceError(problem.value)
        case AddressProblem.DOMAIN:
            raise ServiceError(f"Email '{address.strip()}' not allowed in this organization")
        case AddressProblem.DISPOSABLE:
            raise ServiceError("Disposable email addresses are not allowed in this organization")


def _is_disposable(organization: Organization, domain: str) -> bool:
    """Whether the operator's list has the domain or a parent domain of it."""
    labels = domain.split(".")
    return any(
        ".".join(labels[first:]) in organization.config.disposable_domains for first in range(len(labels))
    )
