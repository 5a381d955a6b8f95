"""A shared TLS context for all connections: creating one takes longer than a request."""

from __future__ import annotations

import ssl
from functools import lru_cache
from pathlib import Path

from narrowcast_api.errors import AccountError
from narrowcast_api.regular_files import regular


@lru_cache(maxsize=8)
def shared_context(ca_bundle: Path | None = None) -> ssl.SSLContext:
    """A context that always verifies certificates: with the system's and the public authorities, and those of
    `ca_bundle` (PEM).
    """
    import certifi  # finding its file takes a while, and plain http does not need it

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    if ca_bundle is not None:
        problem = ""
        try:
            context.load_verify_locations(regular(ca_bundle))
        except (OSError, ssl.SSLError) as error:
            problem = f"{ca_bundle}: not a file of certificate authorities (PEM): {error.strerror or error}"
        if problem:
            raise AccountError(problem)
    return context
