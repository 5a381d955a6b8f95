"""The credentials of one user at one organization, and the zuliprc file that stores them."""

from __future__ import annotations

import base64
import configparser
import contextlib
import ipaddress
import os
import shlex
import stat
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import TextIO
from urllib.parse import urlsplit

from narrowcast_api.errors import AccountError
from narrowcast_api.http.secret import Secret
from narrowcast_api.regular_files import regular
from narrowcast_api.storage.folders import expand_home

__all__ = ["Account", "AccountError", "is_cleartext", "normal_site"]

_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO if os.name == "posix" else 0
"""Permission bits that give other users access to a file; 0 where the system has no such bits."""


def _opened(file: Path) -> TextIO:
    """The file, or the pipe of another program that writes it, as in `--rc <(command)`. Raises OSError; also for a
    device. Without a writer a pipe is empty instead of waiting for one.
    """
    if not stat.S_ISFIFO(file.stat().st_mode):
        return regular(file).open(encoding="utf-8-sig")
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, encoding="utf-8-sig")


def normal_site(address: str) -> str:
    """Normalizes an organization's address as a person types it to `scheme://host[:port][/path]`.

    Without a scheme, https is assumed, or http for this machine. Raises AccountError for addresses with a
    user name, query or fragment, and for schemes other than http and https. A trailing slash or `/api/v1` is
    removed (CONV-01).
    """
    text = address.strip()
    if "://" not in text:
        name = text.split("/", 1)[0].rsplit(":", 1)[0].strip("[]")
        text = ("http://" if name in {"localhost", "127.0.0.1", "::1"} else "https://") + text
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise AccountError(f"{address!r} is not an address") from None
    if any(c.isspace() for c in text):
        raise AccountError(f"{address!r} is not an address")
    if parts.scheme.lower() not in {"http", "https"} or not host:
        raise AccountError(f"{address!r} is not an http or https address")
    if parts.username is not None or parts.query or parts.fragment:
        raise AccountError("enter only the organization URL, such as https://chat.example.com")
    path = parts.path.rstrip("/").removesuffix("/api/v1").rstrip("/")
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme.lower()}://{shown}{'' if port is None else f':{port}'}{path}"


def is_cleartext(site: str) -> bool:
    """Whether traffic to an organization's address is unencrypted: plain http to a host other than this machine."""
    parts = urlsplit(normal_site(site))
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme == "https" or host == "localhost" or host.endswith(".localhost"):
        return False
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return True


@dataclass(frozen=True, slots=True)
class Account:
    """One person or bot at one organization.

    `site` is the organization's address, kept in the form that `normal_site` returns (raises AccountError if it is
    none), `email` the API email address, `key` the API key (masked), `ca_bundle` a PEM file of additional certificate
    authorities to trust. Email and key together are the credentials for HTTP Basic authentication (AUTH-01).
    """

    site: str
    email: str
    key: Secret
    ca_bundle: Path | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "site", normal_site(self.site))

    def credentials(self) -> str:
        """Returns the value after `Basic` in an Authorization header; as secret as the key."""
        return base64.b64encode(f"{self.email}:{self.key.reveal()}".encode()).decode("ascii")

    @classmethod
    def from_zuliprc(cls, path: Path | str, *, allow_shared: bool = False) -> Account:
        """Reads the `[api]` section of a zuliprc file: email, key, site and, if present, cert_bundle.

        Raises AccountError if the file is missing, unreadable or incomplete, or if other users of the machine
        may read or change it (unless `allow_shared`). The message names the file and the problem, never the
        key.
        """
        file = expand_home(path)
        parser = configparser.ConfigParser(interpolation=None, default_section="\0none")
        problem, mode = "", 0
        try:
            with _opened(file) as opened:
                mode = os.fstat(opened.fileno()).st_mode
                parser.read_string(opened.read())
        except FileNotFoundError:
            problem = "there is no such file"
        except OSError as error:
            problem = f"cannot be read: {error.strerror}"
        except (configparser.Error, UnicodeDecodeError):
            # The parser's own message quotes lines of the file, which may include the key.
            problem = "not a zuliprc file: it needs a section [api] with email, key and site"
        if problem:
            raise AccountError(f"{file}: {problem}")
        if not parser.has_section("api"):
            empty = "a pipe into which nothing was written; put a zuliprc file in its place"
            raise AccountError(f"{file}: {empty if stat.S_ISFIFO(mode) else 'there is no section [api]'}")
        values = {name: parser.get("api", name, fallback="").strip() for name in ("email", "key", "site")}
        missing = [name for name, value in values.items() if not value]
        if missing:
            raise AccountError(f"{file}: section [api] lacks {' and '.join(missing)}")
        bundle = parser.get("api", "cert_bundle", fallback="").strip()
        ca_bundle = file.parent / expand_home(bundle) if bundle else None
        account = cls(values["site"], values["email"], Secret(values["key"]), ca_bundle)
        if mode & _OF_OTHERS and not allow_shared:
            command = f"chmod 600 {shlex.quote(str(file))}"
            raise AccountError(f"{file}: others can read this file and the key in it. Run: {command}")
        return account

    def write_zuliprc(self, path: Path | str) -> None:
        """Writes the file that `from_zuliprc` reads, with mode 0600; an existing file is replaced atomically."""
        values = (self.email, self.key.reveal(), str(self.ca_bundle or ""))
        if any("\n" in text or "\r" in text for text in values):
            raise AccountError("an email address or a key with a line break in it cannot be stored")
        lines = ["[api]", f"email={self.email}", f"key={self.key.reveal()}", f"site={self.site}"]
        if self.ca_bundle is not None:
            lines.append(f"cert_bundle={self.ca_bundle.absolute()}")
        file = expand_home(path)
        temporary = file.with_name(f".{file.name}.{token_hex(4)}")
        problem: str | None = None
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as out:
                out.write("\n".join(lines) + "\n")
                out.flush()
                os.fsync(out.fileno())
            temporary.replace(file)
        except OSError as error:
            problem = f"{file}: cannot be written: {error.strerror}"
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        if problem is not None:
            raise AccountError(problem)
