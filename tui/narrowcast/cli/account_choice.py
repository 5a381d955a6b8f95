"""The account that a command uses."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from narrowcast.cli.outcome import CommandError, Exit
from narrowcast.config import account_files
from narrowcast.config.config import Config
from narrowcast.config.config_load import load
from narrowcast.terminal.paths import Paths
from narrowcast_api.errors import AccountError
from narrowcast_api.storage.folders import expand_home

if TYPE_CHECKING:
    from narrowcast_api.account import Account


def chosen_file(args: argparse.Namespace, paths: Paths, config: Config) -> Path | None:
    """The file given by ``--rc``, ``--account`` or the configuration, else that of the first stored account.

    Raises AccountError if the named account is not stored.
    """
    if args.rc:
        return expand_home(args.rc)
    stored = account_files.names(paths.accounts)
    try:
        return account_files.default(paths.accounts, args.account or config.account)
    except AccountError as error:
        if args.account or not stored:
            raise
        raise AccountError(
            f"{paths.config_file}: account = {config.account!r}: {error}. Change the setting, "
            f"or choose one of these with --account: {', '.join(stored)}"
        ) from error


def chosen_account(args: argparse.Namespace) -> Account:
    """The account that a command for scripts uses. Raises CommandError if there is none."""
    paths = Paths.of_user()
    path = chosen_file(args, paths, load(paths.config_file))
    if path is None:
        raise CommandError(
            "no account is stored; log in with: narrowcast login URL, or name a zuliprc file with --rc",
            Exit.NOT_ALLOWED,
        )
    return account_files.read(path)
