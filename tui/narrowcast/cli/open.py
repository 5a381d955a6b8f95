"""``narrowcast open LINK``: opens the app at the message or view of a link."""

from __future__ import annotations

import argparse
from pathlib import Path
from urllib.parse import urlsplit

from narrowcast.cli.account_choice import chosen_file
from narrowcast.cli.open_app import run_app
from narrowcast.cli.outcome import CommandError, Exit, print_error
from narrowcast.config import account_files
from narrowcast.config.config_load import load
from narrowcast.content.addresses import origin
from narrowcast.terminal.paths import Paths
from narrowcast_api.account import Account, AccountError


def run(args: argparse.Namespace) -> int:
    """Opens the app with the account of the link's organization."""

    paths = Paths.of_user()
    if not args.link.startswith(("http://", "https://")):
        raise CommandError(f"{args.link!r} is not a link to a message or view", Exit.USAGE)
    if args.rc or args.account:
        path = chosen_file(args, paths, load(paths.config_file))
        if path is None or not _is_of(path, args.link):
            raise CommandError("the link belongs to another organization than the account", Exit.USAGE)
    else:
        path = _stored(paths, args.link)
    return run_app(path, paths, link=args.link, extensions=not args.no_extensions)


def _stored(paths: Paths, link: str) -> Path:
    """The first stored account of the link's organization. Raises CommandError if there is none, after printing why
    others cannot be read.
    """
    problems: list[AccountError] = []
    for name in account_files.names(paths.accounts):
        path = account_files.file_of(paths.accounts, name)
        try:
            if _is_of(path, link):
                return path
        except AccountError as error:
            problems.append(error)
    for problem in problems:
        print_error(problem.user_message)
    site = "/".join(link.split("/", 3)[:3])
    other = "other " if problems else ""
    raise CommandError(
        f"no {other}account of {site} is stored; log in with: narrowcast login {site}", Exit.NOT_ALLOWED
    )


def _is_of(path: Path, link: str) -> bool:
    """Whether a link belongs to the organization of the account in ``path``. Raises AccountError."""
    ours = urlsplit(Account.from_zuliprc(path).site)  # without its key: the keyring may ask for a password
    try:
        theirs = urlsplit(link)
        same = origin(ours) == origin(theirs)
    except ValueError:
        return False
    return same and f"{theirs.path}/".startswith(f"{ours.path.rstrip('/')}/")
