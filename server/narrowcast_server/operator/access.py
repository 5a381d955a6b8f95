"""Commands about access: invitations, password reset links, two-factor authentication."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_server.actions.audit_log import record
from narrowcast_server.operator import arguments as given
from narrowcast_server.operator.arguments import Arguments, Command, Fault
from narrowcast_server.organization import totp
from narrowcast_server.resources.invites.changes import Terms, create_link, open_invites, revoke
from narrowcast_server.resources.password_resets import BY_OPERATOR_SECONDS, make_link

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_DAY_MINUTES: Final = 24 * 60


async def invite(organization: Organization, arguments: Arguments) -> list[str]:
    """Creates a link for joining the organization, on behalf of the owner."""
    role = given.role(arguments)
    days, uses = given.number(arguments, "days"), given.number(arguments, "uses", "0")
    terms = Terms(days * _DAY_MINUTES or None, role, [], [], include_defaults=True, uses=uses or None)
    with organization.transaction():
        address = create_link(organization, given.owner(organization), terms)
        record(
            organization,
            None,
            "invite",
            {"role": role.name.lower(), "days": str(days), "uses": str(uses or "any")},
        )
    return [address]


async def invitations(organization: Organization, arguments: Arguments) -> list[str]:
    """Lists valid invitations: id, expiry, role, remaining uses, inviter, invited address or link."""
    lines = []
    for row in open_invites(organization, given.owner(organization)):
        expiry, left = row["expiry_date"], row.get("uses_left")
        until = "never expires" if expiry is None else f"until {given.time(expiry)}"
        uses = "once" if not row["is_multiuse"] else "any number" if left is None else f"{left} more"
        role = given.role_name(row["invited_as"])
        whom = row.get("email") or row.get("link_url", "")
        lines.append(f"{row['id']}  {until}  {role}  {uses}  by {_inviter(organization, row)}  {whom}")
    return lines or ["none"]


def _inviter(organization: Organization, row: dict[str, object]) -> str:
    inviter = row["invited_by_user_id"]
    assert isinstance(inviter, int)
    return organization.users[inviter].full_name


async def withdraw(organization: Organization, arguments: Arguments) -> list[str]:
    """Revokes an invitation or an invitation link."""
    invite_id = given.number(arguments, "invitation")
    rows = [row for row in open_invites(organization, given.owner(organization)) if row["id"] == invite_id]
    if not rows:
        raise Fault(f"there is no invitation {invite_id}; 'narrowcast serve admin invitations' lists them")
    with organization.transaction():
        revoke(organization, given.owner(organization), invite_id, multiuse=bool(rows[0]["is_multiuse"]))
        record(organization, None, "withdraw", {"invitation": str(invite_id)})
    return [f"invitation {invite_id} is revoked"]


async def link(organization: Organization, arguments: Arguments) -> list[str]:
    """Creates a link by which the user chooses a new password, unknown to the operator."""
    user = given.person(organization, arguments)
    if user.is_bot or not user.is_active:
        raise Fault(f"{user.full_name} cannot log in: a bot, or deactivated")
    with organization.transaction():
        address = make_link(organization, user, BY_OPERATOR_SECONDS)
        record(organization, None, "link", {"who": given.named(user)})
    return [
        f"{user.full_name} ({user.delivery_email}) chooses a new password, within a day, with:",
        f"narrowcast login {address}",
    ]


async def second_factor(organization: Organization, arguments: Arguments) -> list[str]:
    """Turns on two-factor authentication for a user; returns the secret and the recovery codes."""
    user = given.person(organization, arguments)
    if user.is_bot:
        raise Fault(f"{user.full_name} is a bot: without a password there is no two-factor authentication")
    if organization.second_factors.is_on(user.id):
        raise Fault(
            f"{user.full_name} uses two-factor authentication already; turn it off first: no-second-factor"
        )
    with organization.transaction():
        secret = organization.second_factors.begin(user.id)
        codes = organization.second_factors.confirm(user.id)
        record(organization, None, "second-factor", {"who": given.named(user)})
    return [
        f"{user.full_name} needs a code to log in from now on. For the authenticator app (or as a QR code):",
        totp.address(secret, organization.setting("name", str), user.delivery_email),
        "Recovery codes, each works once in place of a code:",
        *codes,
    ]


async def no_second_factor(organization: Organization, arguments: Arguments) -> list[str]:
    """Turns off two-factor authentication for a user."""
    user = given.person(organization, arguments)
    with organization.transaction():
        organization.second_factors.remove(user.id)
        record(organization, None, "no-second-factor", {"who": given.named(user)})
    return [f"{user.full_name} logs in with the password alone"]


COMMANDS: Final[dict[str, Command]] = {
    "invite": invite,
    "invitations": invitations,
    "withdraw": withdraw,
    "link": link,
    "second-factor": second_factor,
    "no-second-factor": no_second_factor,
}
NEED_ADDRESS: Final = frozenset({"invite", "invitations", "link"})
"""Commands that return a link, which contains the server's address: the server must be running."""
