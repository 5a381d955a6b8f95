"""Stored accounts: one zuliprc file each (0600), with the key in the file or in the system's keyring."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from narrowcast_api.account import Account, AccountError
from narrowcast_api.http.secret import Secret
from narrowcast_api.storage.folders import private_folder
from narrowcast_assets.installing import with_extra

KEYRING_SERVICE = "narrowcast"
IN_KEYRING = "in-keyring"
"""Placeholder in the file for a key that is stored in the keyring."""


def is_same(one: Account, other: Account) -> bool:
    """Whether both are the same user of the same organization; their keys may differ."""
    return (one.site, one.email) == (other.site, other.email)


def names(folder: Path) -> list[str]:
    """The stored accounts, in alphabetical order."""
    try:
        return sorted(path.stem for path in folder.glob("*.zuliprc"))
    except OSError:
        return []


def in_order(files: Iterable[Path], order: Sequence[str]) -> list[Path]:
    """Account files: those named in ``order`` first, then the others in alphabetical order."""
    places = {name: place for place, name in reversed(list(enumerate(order)))}
    return sorted(files, key=lambda file: (places.get(file.stem, len(order)), file.stem))


def file_of(folder: Path, name: str) -> Path:
    """Path of the file of the account ``name``."""
    return folder / f"{name}.zuliprc"


def default(folder: Path, name: str = "") -> Path | None:
    """The file of the account to open: ``name`` if given, else the only or the first one; None if no account is stored.

    ``name``: that of an account, or the beginning of one alone, or of its organization.

    Raises AccountError if no account, or more than one, is meant.
    """
    stored = names(folder)
    if name:
        meant = [name] if name in stored else _meant(name, stored)
        if len(meant) > 1:
            raise AccountError(f"{name!r} begins the names of {' and '.join(meant)}: name one of them")
        if not meant:
            have = ", ".join(stored) or "none"
            raise AccountError(
                f"there is no account {name!r} (stored: {have}); log in with: narrowcast login URL"
            )
        return file_of(folder, meant[0])
    return file_of(folder, stored[0]) if stored else None


def _meant(typed: str, stored: Sequence[str]) -> list[str]:
    """The accounts whose name begins with a text, or whose organization does: the name is that of the user, a hyphen
    and the organization.
    """
    start = typed.casefold()
    begin = [name for name in stored if name.casefold().startswith(start)]
    return begin or [name for name in stored if name.casefold().partition("-")[2].startswith(start)]


def read(path: Path) -> Account:
    """The account in ``path``. Raises AccountError if other users can read the file, or if it is not a zuliprc file."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise AccountError(f"{path}: cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(mode) and not stat.S_ISFIFO(mode):
        raise AccountError(f"{path}: not a file")
    account = Account.from_zuliprc(path)
    if account.key.reveal() == IN_KEYRING:
        return Account(account.site, account.email, _from_keyring(account), account.ca_bundle)
    return account


def store(account: Account, folder: Path, *, keyring: bool = False) -> Path:
    """Stores ``account`` in ``folder`` (0600), with its key in the keyring if requested. Returns the file.
    Raises AccountError.
    """
    private_folder(folder)
    path = file_of(folder, name_for(account))
    if keyring:
        _to_keyring(account)
        account = Account(account.site, account.email, Secret(IN_KEYRING), account.ca_bundle)
    account.write_zuliprc(path)
    return path


def replace_key(path: Path, account: Account) -> None:
    """Stores a new key for the account in ``path``, in the same place as the old one. Raises AccountError,
    also if the file is another account's, or OSError.
    """
    stored = Account.from_zuliprc(path)
    if not is_same(stored, account):
        raise AccountError(f"{path}: belongs to another account")
    if stored.key.reveal() == IN_KEYRING:
        _to_keyring(account)
    else:
        account.write_zuliprc(path)


def remove(path: Path) -> None:
    """Deletes a stored account and its key in the keyring. Raises AccountError or OSError."""
    account = Account.from_zuliprc(path)
    if account.key.reveal() == IN_KEYRING:
        _forget_in_keyring(account)
    path.unlink()


def name_for(account: Account) -> str:
    """A unique file name for the account, from the user and the organization."""
    host = urlsplit(account.site).netloc
    person = account.email.split("@", 1)[0]
    return re.sub(r"[^A-Za-z0-9.-]+", "-", f"{person}-{host}").strip("-.") or "account"


def _entry(account: Account) -> str:
    return f"{account.email} {account.site}"


def _from_keyring(account: Account) -> Secret:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        raise AccountError(
            f"the key is in the keyring, which needs the extra 'keyring'; {with_extra('keyring')}"
        ) from None
    try:
        key = keyring.get_password(KEYRING_SERVICE, _entry(account))
    except KeyringError as error:
        raise AccountError(f"the keyring does not respond: {error}") from error
    if not key:
        raise AccountError(
            f"the keyring has no key for {_entry(account)}; do: narrowcast login {account.site}"
        )
    return Secret(key)


def _to_keyring(account: Account) -> None:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        raise AccountError(f"--keyring needs the extra 'keyring'; {with_extra('keyring')}") from None
    try:
        keyring.set_password(KEYRING_SERVICE, _entry(account), account.key.reveal())
    except KeyringError as error:
        raise AccountError(f"the keyring refuses: {error}") from error


def _forget_in_keyring(account: Account) -> None:
    try:
        import keyring
        from keyring.errors import KeyringError, PasswordDeleteError
    except ImportError:
        return  # without the keyring package no key was stored in it
    try:
        keyring.delete_password(KEYRING_SERVICE, _entry(account))
    except PasswordDeleteError:
        return  # already deleted
    except KeyringError as error:
        raise AccountError(f"the keyring refuses: {error}") from error
