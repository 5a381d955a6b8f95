"""The text of a message in one line, for lists of conversations."""

from __future__ import annotations

import re

from narrowcast_api.storage.codec import plain_text
from narrowcast_assets.emoji import character_of

MAX_CHARACTERS = 4000
"""Maximum characters of HTML that are read: a line shows only the beginning."""

_EMOJI = re.compile(r'<span [^>]*class="emoji emoji-([0-9a-f-]+)"[^>]*>([^<]*)</span>')


def excerpt(html: str) -> str:
    """The text of rendered ``html``, truncated; it is not filtered: show it through safe_text."""
    return plain_text(_EMOJI.sub(lambda match: character_of(match[1]) or match[2], html[:MAX_CHARACTERS]))
