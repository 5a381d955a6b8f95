"""Links for logging in: invitations and new passwords. Cheap to import."""

from __future__ import annotations

import re

_PASSWORD_LINK = re.compile(r"^(?P<site>.+?)/reset/(?P<token>[^/?#]+)/?$")
_WEB_PAGE = re.compile(r"^(?P<site>.+?)/accounts/(?:do_confirm|password/reset)(?:/.*)?$")
_INVITATION = re.compile(r"^(?P<site>.+?)/join/(?P<token>[^/?#]+)/?$")


def invitation(url: str) -> tuple[str, str] | None:
    """The organization's address and the token, if ``url`` is an invitation link."""
    return _parts(_INVITATION, url)


def password_link(url: str) -> tuple[str, str] | None:
    """The organization's address and the token, if ``url`` is an embedded server's link for a new password.
    That of a Zulip server, `/accounts/password/reset/…`, has to be opened in a browser.
    """
    return _parts(_PASSWORD_LINK, url) if _WEB_PAGE.match(url.strip()) is None else None


def login_refusal(url: str) -> str:
    """Why logging in at ``url`` is not possible, and what to do with it; empty if it is not one of these links."""
    if invitation(url) is not None:
        return f"This is an invitation. Join with: narrowcast login {url.strip()}"
    if (page := _WEB_PAGE.match(url.strip())) is not None:
        return f"This link is for a browser: open it there. Then log in at {page['site']}"
    if password_link(url) is not None:
        return f"This is a link for a new password. Choose one with: narrowcast login {url.strip()}"
    return ""


def _parts(pattern: re.Pattern[str], url: str) -> tuple[str, str] | None:
    match = pattern.match(url.strip())
    return (match["site"], match["token"]) if match is not None else None
