"""A shared TLS context for all connections: creating one takes longer than a request."""

from __future__ import annotations

import ssl
from functools import lru_cache
from pathlib import Path

import httpx2

from narrowcast_api.errors import AccountError
from narrowcast_api.regular_files import regular


@lru_cache(maxsize=8)
def shared_context(ca_bundle: Path | None = None) -> ssl.SSLContext:
    """A context that always verifies certificates: with the authorities that the system trusts, or those that
    SSL_CERT_FILE or SSL_CERT_DIR name, and with those of `ca_bundle` (PEM).
    """
    context = httpx2.create_ssl_context()
    if ca_bundle is not None:
        problem = ""
        try:
            context.load_verify_locations(regular(ca_bundle))
        except (OSError, ssl.SSLError) as error:
            problem = f"{ca_bundle}: not a file of certificate authorities (PEM): {error.strerror or error}"
        if problem:
            raise AccountError(problem)
    return context
