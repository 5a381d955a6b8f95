"""The grammar of ``narrowcast serve admin``: commands for the operator, whether the server runs or not."""

from __future__ import annotations

import argparse

_ROLES = ("owner", "administrator", "moderator", "member", "guest")


def copy_options(serve: argparse.ArgumentParser) -> None:
    """Add ``--backup`` and ``--restore``, and the same with Zulip's format."""
    serve.add_argument(
        "--backup", metavar="FILE", help="write a verified copy of the data and exit, also while it is served"
    )
    serve.add_argument(
        "--with-keys",
        action="store_true",
        help="with --backup: include keys.secret, which decrypts the API keys",
    )
    serve.add_argument("--restore", metavar="FILE", help="put a backup into an empty folder and exit")
    serve.add_argument(
        "--export-zulip",
        metavar="FILE",
        help="write everything as an archive that a Zulip server imports and exit, also while it is served",
    )
    serve.add_argument(
        "--import-zulip", metavar="FILE", help="create a new data folder from such an archive and exit"
    )
    serve.add_argument(
        "--zulip-level",
        type=int,
        metavar="N",
        help="with --export-zulip: the feature level of that server, as its /api/v1/server_settings has it",
    )


def operator_commands(serve: argparse.ArgumentParser) -> None:
    admin = serve.add_subparsers(dest="serve_command", metavar="admin").add_parser(
        "admin", help="administer the organization"
    )
    commands = admin.add_subparsers(dest="admin_command", metavar="COMMAND", required=True, title="commands")

    def add(name: str, about: str, *, who: bool = False) -> argparse.ArgumentParser:
        command: argparse.ArgumentParser = commands.add_parser(name, help=about, description=about)
        command.add_argument("--data", metavar="DIR", default=argparse.SUPPRESS, help="folder of the data")
        if who:
            command.add_argument("who", metavar="WHO", help="id or email")
        return command

    add("people", "list everybody")
    add("password", "give somebody a new password; their sessions end", who=True)
    add("role", "change the role of somebody", who=True).add_argument("role", choices=_ROLES)
    permit = add("permit", "give somebody a permission that only the operator gives", who=True)
    permit.add_argument("permission", choices=("can_create_users", "can_change_user_emails"))
    permit.add_argument("--revoke", action="store_true", help="take it away")
    add("deactivate", "deactivate an account", who=True)
    add("reactivate", "reactivate an account", who=True)
    invite = add("invite", "print a link by which people make accounts; the server must run")
    invite.add_argument(
        "--role", choices=_ROLES, default="member", help="role of those who join (default: %(default)s)"
    )
    invite.add_argument(
        "--days", default="10", help="how long it is valid; 0: it never expires (default: %(default)s)"
    )
    invite.add_argument(
        "--uses",
        default="0",
        metavar="N",
        help="how many people may use it; 0: any number (default: %(default)s)",
    )
    add("invitations", "list the valid invitations; the server must run")
    withdraw = add("withdraw", "revoke an invitation")
    withdraw.add_argument("invitation", metavar="ID", help="as 'invitations' lists it")
    add("link", "print a link by which somebody chooses a new password; the server must run", who=True)
    add("second-factor", "turn on two-factor authentication for somebody", who=True)
    add("no-second-factor", "turn off two-factor authentication for somebody", who=True)
    mail = add("mail", "show how mail is sent, what is waiting and what failed")
    mail.add_argument("--to", default="", metavar="EMAIL", help="send a mail to try it")
    add("statistics", "count people, messages, bytes")
    add("sessions", "list the sessions of somebody", who=True)
    add("end-sessions", "end the sessions of somebody, and revoke the API key", who=True)
    add("rotate-keys", "replace all API keys: everybody has to sign in again")
    log = add("log", "show the administrative acts, newest last")
    log.add_argument("--limit", default="50", help="show at most so many (default: %(default)s)")
