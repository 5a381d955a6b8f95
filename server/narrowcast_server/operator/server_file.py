"""Reads `server.toml` in the data folder: the operator's settings that do not fit on a command line."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Final

from narrowcast_server.mail.messages import is_address
from narrowcast_server.mail.settings import MailSettings, Security
from narrowcast_server.organization.addresses import is_local
from narrowcast_server.organization.config import Quotas, ServerConfig

NAME: Final = "server.toml"
_TABLES: Final = ("mail", "limits", "accounts", "pages")
_MAIL_KEYS: Final = ("host", "port", "security", "user", "password", "sender", "ca_file", "timeout_seconds")
_MAX_NUMBER: Final = 1 << 40


class ServerFileError(Exception):
    """What is wrong with the file, naming the key."""


@dataclass(frozen=True, slots=True)
class ServerFile:
    """The settings of the file; without a file, the defaults."""

    mail: MailSettings | None = None
    quotas: Quotas = field(default_factory=Quotas)
    disposable_domains: frozenset[str] = frozenset()
    install: str = ""

    def configure(self, config: ServerConfig) -> ServerConfig:
        """The configuration of a server with these settings applied."""
        return replace(
            config,
            mail=self.mail,
            quotas=self.quotas,
            disposable_domains=self.disposable_domains,
            install=self.install,
        )


def read(folder: Path) -> ServerFile:
    """Reads the file of a data folder; raises ServerFileError."""
    path = folder / NAME
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return ServerFile()
    except (OSError, ValueError, RecursionError) as error:
        raise ServerFileError(f"{path} cannot be read: {error}") from error
    try:
        return _understood(content, folder)
    except ServerFileError as error:
        raise ServerFileError(f"{path}: {error}") from None


def _understood(content: Mapping[str, object], folder: Path) -> ServerFile:
    _check_keys("", content, _TABLES)
    mail = _table(content, "mail")
    return ServerFile(
        None if mail is None else _mail(mail, folder),
        _quotas(_table(content, "limits") or {}),
        _disposable_domains(_table(content, "accounts") or {}, folder),
        _install(_table(content, "pages") or {}),
    )


def _install(table: Mapping[str, object]) -> str:
    _check_keys("pages.", table, ("install",))
    return _word("pages.install", table.get("install", "")).strip()


def _disposable_domains(table: Mapping[str, object], folder: Path) -> frozenset[str]:
    """The domains in the named file, one per line; lines that start with # are comments."""
    key = "disposable_domains"
    _check_keys("accounts.", table, (key,))
    if key not in table:
        return frozenset()
    name = _word(f"accounts.{key}", table[key])
    try:
        lines = (folder / name).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise ServerFileError(f"accounts.{key}: {folder / name} cannot be read: {error}") from error
    return frozenset(line.strip().lower() for line in lines if line.strip() and not line.startswith("#"))


def _table(content: Mapping[str, object], name: str) -> dict[str, object] | None:
    table = content.get(name)
    if table is not None and not isinstance(table, dict):
        raise ServerFileError(f"[{name}] is not a table")
    return table


def _check_keys(prefix: str, table: Mapping[str, object], keys: tuple[str, ...]) -> None:
    for key in table:
        if key not in keys:
            raise ServerFileError(f"unknown key {prefix}{key}; the keys are {', '.join(keys)}")


def _quotas(table: Mapping[str, object]) -> Quotas:
    names = tuple(sorted(each.name for each in fields(Quotas)))
    _check_keys("limits.", table, names)
    return replace(Quotas(), **{key: _number(f"limits.{key}", value) for key, value in table.items()})


def _number(key: str, value: object, most: int = _MAX_NUMBER) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise ServerFileError(f"{key} is not a whole number from 0 to {most}")
    return value


def _mail(table: Mapping[str, object], folder: Path) -> MailSettings:
    _check_keys("mail.", table, _MAIL_KEYS)
    words = {
        key: _word(f"mail.{key}", table.get(key, ""))
        for key in _MAIL_KEYS
        if key not in ("port", "timeout_seconds")
    }
    if not words["host"] or not is_address(words["sender"]):
        raise ServerFileError("mail needs a host, and a sender that is an email address")
    try:
        security = Security(words["security"] or Security.STARTTLS.value)
    except ValueError:
        raise ServerFileError("mail.security is one of starttls, tls, none") from None
    local = words["host"] == "localhost" or is_local(words["host"])
    if security is Security.NONE and words["user"] and not local:
        raise ServerFileError(
            "mail.security = none would send the password in the clear; use starttls or tls"
        )
    return MailSettings(
        host=words["host"],
        port=_number("mail.port", table.get("port", security.port), 65_535),
        sender=words["sender"],
        security=security,
        user=words["user"],
        password=words["password"],
        ca_file=_existing(folder / words["ca_file"]) if words["ca_file"] else None,
        timeout_seconds=float(_number("mail.timeout_seconds", table.get("timeout_seconds", 20), 600) or 1),
    )


def _word(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise ServerFileError(f"{key} is not a line of text")
    return value


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise ServerFileError(f"mail.ca_file: there is no file {path}")
    return path
