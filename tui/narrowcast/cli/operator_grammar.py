"""The grammar of ``narrowcast serve admin``: commands for the operator, whether the server runs or not."""

from __future__ import annotations

import argparse

from narrowcast.cli.parser import Parser

_ROLES = ("owner", "administrator", "moderator", "member", "guest")


def copy_options(serve: Parser) -> None:
    """Adds ``--backup`` and ``--restore``, and the same with Zulip's format."""
    serve.add_argument(
        "--backup",
        metavar="FILE",
        help="write a verified copy of the data and exit, even while the server is running",
    )
    serve.add_argument(
        "--with-keys",
        action="store_true",
        help="with --backup: include keys.secret, which decrypts the API keys",
    )
    serve.add_argument(
        "--restore", metavar="FILE", help="restore a backup into an empty data folder and exit"
    )
    serve.add_argument(
        "--export-zulip",
        metavar="FILE",
        help="export everything as an archive for a Zulip server to import and exit, even while the server is running",
    )
    serve.add_argument(
        "--import-zulip", metavar="FILE", help="create a new data folder from such an archive and exit"
    )
    serve.add_argument(
        "--zulip-level",
        type=int,
        metavar="N",
        help="with --export-zulip: feature level of the importing server, as in its /api/v1/server_settings",
    )


def operator_commands(serve: Parser) -> None:
    admin = serve.add_commands("serve_command", "admin").add_parser(
        "admin", help="administer the organization"
    )
    commands = admin.add_commands("admin_command", "COMMAND", required=True)

    def add(name: str, about: str, *, who: bool = False) -> Parser:
        command = commands.add_parser(name, help=about, description=about)
        command.add_argument("--data", metavar="DIR", default=argparse.SUPPRESS, help="data folder")
        if who:
            command.add_argument("who", metavar="WHO", help="id or email")
        return command

    add("people", "list all users")
    add("password", "set a new password for a user and end their sessions", who=True)
    add("role", "change the role of a user", who=True).add_argument("role", choices=_ROLES)
    permit = add("permit", "grant a user a permission that only the operator can grant", who=True)
    permit.add_argument("permission", choices=("can_create_users", "can_change_user_emails"))
    permit.add_argument("--revoke", action="store_true", help="revoke the permission instead")
    add("deactivate", "deactivate an account", who=True)
    add("reactivate", "reactivate an account", who=True)
    invite = add("invite", "print an invitation link; the server must be running")
    invite.add_argument(
        "--role", choices=_ROLES, default="member", help="role of new users (default: %(default)s)"
    )
    invite.add_argument(
        "--days", default="10", help="how long the link is valid; 0: never expires (default: %(default)s)"
    )
    invite.add_argument(
        "--uses",
        default="0",
        metavar="N",
        help="how many users may join with it; 0: any number (default: %(default)s)",
    )
    add("invitations", "list the valid invitations; the server must be running")
    withdraw = add("withdraw", "revoke an invitation")
    withdraw.add_argument("invitation", metavar="ID", help="as 'invitations' lists it")
    add("link", "print a link to reset a user's password; the server must be running", who=True)
    add("second-factor", "turn on two-factor authentication for a user", who=True)
    add("no-second-factor", "turn off two-factor authentication for a user", who=True)
    mail = add("mail", "show how email is sent, what is waiting and what failed")
    mail.add_argument("--to", default="", metavar="EMAIL", help="send a test email")
    add("statistics", "count users, messages, bytes")
    add("sessions", "list the sessions of a user", who=True)
    add("end-sessions", "end the sessions of a user, and revoke their API key", who=True)
    add("rotate-keys", "replace all API keys: all users must log in again")
    log = add("log", "show the log of administrative actions, newest last")
    log.add_argument("--limit", default="50", help="maximum number of entries (default: %(default)s)")
