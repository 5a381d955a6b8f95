"""The words of a message in one line, for lists of conversations."""

from __future__ import annotations

import re

from narrowcast_api.storage.codec import plain_text
from narrowcast_assets.emoji import character_of

LONGEST = 4000
"""Characters of HTML that are looked at: a line shows no more than the beginning of them."""

_EMOJI = re.compile(r'<span [^>]*class="emoji emoji-([0-9a-f-]+)"[^>]*>([^<]*)</span>')


def excerpt(html: str) -> str:
    """The text of rendered ``html``, cut off at some length; still a text of the server: show it through safe_text."""
    return plain_text(_EMOJI.sub(lambda match: character_of(match[1]) or match[2], html[:LONGEST]))
