"""The words of a message in one line, for lists of conversations."""

from __future__ import annotations

from narrowcast_api.storage.codec import plain_text

LONGEST = 4000
"""Characters of HTML that are looked at: a line shows no more than the beginning of them."""


def excerpt(html: str) -> str:
    """The text of rendered ``html``, cut off at some length; still a text of the server: show it through safe_text."""
    return plain_text(html[:LONGEST])
