"""The operator's command about mail."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from narrowcast_server.actions.mail import last_problems, mail_counts
from narrowcast_server.mail.messages import BadAddress, OutgoingEmail, encoded
from narrowcast_server.mail.smtp import DeliveryStatus, deliver, in_daemon_thread
from narrowcast_server.operator import arguments as given
from narrowcast_server.operator.arguments import Arguments, Command, Fault
from narrowcast_server.operator.server_file import NAME

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_PROBLEMS: Final = 10


async def mail(organization: Organization, arguments: Arguments) -> list[str]:
    """Shows the mail server, counts of emails and recent failures; with `to`, sends a test email."""
    settings = organization.config.mail
    if settings is None:
        raise Fault(
            f"no mail is sent: {NAME} in the data folder had no [mail] when the server started."
            " Invitations give a link to copy, and 'narrowcast serve admin link' makes one for a new password"
        )
    if to := arguments.get("to", ""):
        return await _send_test(organization, to)
    counts = mail_counts(organization)
    lines = [
        f"mail goes to {settings.host} port {settings.port} ({settings.security.value}) as {settings.sender}",
        f"{counts['waiting']} wait, {counts['sent']} were sent, {counts['failed']} could not be sent",
    ]
    problems = last_problems(organization, _PROBLEMS)
    return lines + [f"{given.time(at)}  {recipient}  {reason}" for at, recipient, reason in problems]


async def _send_test(organization: Organization, to: str) -> list[str]:
    settings = organization.config.mail
    assert settings is not None
    name = organization.setting("name", str)
    email = OutgoingEmail(
        0, to, f"Mail from {name}", f"{organization.url} can send mail to you.", organization.now()
    )
    try:
        message = encoded(email, name, settings.sender)
    except BadAddress as error:
        raise Fault(str(error)) from error
    (outcome,) = await in_daemon_thread(partial(deliver, settings, [message]))
    if outcome.status is not DeliveryStatus.SENT:
        raise Fault(f"{settings.host} port {settings.port} did not accept it: {outcome.reason}")
    return [f"{settings.host} accepted an email to {to}"]


COMMANDS: Final[dict[str, Command]] = {"mail": mail}
