"""URLs in requests, and URL templates (RFC 6570)."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from uritemplate import URITemplate

from narrowcast_server.organization.checks import check_length
from narrowcast_server.organization.errors import ServiceError, invalid_value

MAX_LENGTH: Final = 2000


def check_url(name: str, url: str) -> str:
    """An HTTP(S) URL; raises BAD_REQUEST for other text."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and len(url) <= MAX_LENGTH
    except ValueError:
        usable = False
    if not usable:
        raise ServiceError(f"{name} is not a URL")
    return url


def check_template(template: str) -> None:
    """Raises BAD_REQUEST if a template is malformed."""
    if not template.strip():
        raise invalid_value("This field cannot be blank.", "url_template")
    check_length("url_template", template, MAX_LENGTH)
    if not template.isprintable() or not _is_balanced(template):
        raise invalid_value("Invalid URL template.")
    try:
        URITemplate(template).expand({})
    except (ValueError, TypeError, IndexError) as error:
        raise invalid_value("Invalid URL template.") from error


def _is_balanced(template: str) -> bool:
    """Whether every brace is part of one `{expression}`; the library treats stray ones as text."""
    depth = 0
    start = 0
    for position, character in enumerate(template):
        if character == "{":
            depth += 1
            start = position
        elif character == "}":
            depth -= 1
            if position == start + 1:
                return False
        if depth not in (0, 1):
            return False
    return depth == 0
