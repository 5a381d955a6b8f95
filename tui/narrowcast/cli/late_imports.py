"""What libraries import although most runs of the program do not use it: it is loaded on first use.

Together it takes 6 MB, most of it OpenSSL.
"""

from __future__ import annotations

import sys

from narrowcast.cli.late_modules import Finder

__all__ = ["LATE", "NEEDS", "install"]

LATE = {
    "argparse",  # for arguments beyond the choice of an account
    "asyncio.sslproto",  # for asyncio: TLS
    "bz2",  # for shutil: archives
    "email.message",  # for httpx2: parameters of a content type
    "hashlib",  # for httpx2: digest authentication
    "hmac",  # for comparing keys, and for secrets
    "http.cookiejar",  # for httpx2: cookies
    "httpcore2._api",  # for httpcore2: requests without asyncio
    "httpcore2._ssl",  # for httpcore2: TLS
    "httpcore2._sync",  # the same
    "idna",  # for httpx2: host names that are not ASCII
    "importlib.metadata",  # for websockets: its version in an unreleased copy
    "ipaddress",  # for urllib and httpx2: hosts that are numbers
    "locale",  # for subprocess: the encoding of text
    "lzma",  # for shutil: archives
    "mimetypes",  # for textual: files served to a browser
    "msgspec.inspect",  # for msgspec: descriptions of types
    "msgspec.toml",  # for msgspec: another format
    "msgspec.yaml",  # for msgspec: another format
    "ntpath",  # for pathlib: paths of Windows
    "secrets",  # for websockets: random keys
    "shlex",  # for accounts: the advice about a file that others can read
    "shutil",  # for tempfile: removing folders
    "ssl",  # for asyncio, httpx2 and httpcore2: TLS
    "tokenize",  # for inspect and linecache: source lines in tracebacks
    "urllib.request",  # for httpx2: proxies and cookies
}
LIBRARIES = {"asyncio", "httpcore2", "httpx2"}
"""The libraries that get what stands for `FUNCTIONS` and `CLASSES`; for all others the module is loaded."""
FUNCTIONS = {
    "hashlib": {"md5", "sha1", "sha256", "sha512"},
    "httpcore2._api": {"request", "stream"},
    "httpcore2._ssl": {"default_ssl_context"},
    "urllib.request": {"getproxies", "parse_http_list"},
}
"""Functions that these libraries take from a module at once."""
CLASSES = {
    "http.cookiejar": {"Cookie", "CookieJar"},
    "httpcore2._sync": {
        "ConnectionInterface",
        "ConnectionPool",
        "HTTP11Connection",
        "HTTP2Connection",
        "HTTPConnection",
        "HTTPProxy",
        "SOCKSProxy",
    },
    "ssl": {"SSLSocket"},  # asyncio asks for each socket whether it is one
    "urllib.request": {"Request"},
}
"""Classes that these libraries take from a module at once."""
NEEDS = {
    "bz2": "_bz2",
    "lzma": "_lzma",
    "ssl": "_ssl",
    "httpcore2._async.http2": "h2",
    "httpcore2._async.socks_proxy": "socksio",
    "httpcore2._backends.trio": "trio",
}
"""What a module imports that is not always installed: without it, importing the module fails at once."""

_finder = Finder(LATE, LIBRARIES, FUNCTIONS, CLASSES, NEEDS)


def install() -> None:
    """Makes the modules late that are imported from now on."""
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
