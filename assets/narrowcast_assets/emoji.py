"""Names of the Unicode emoji, shared by the embedded server and the client. Loaded on first use."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

EMOJI_FILE = Path(__file__).with_name("emoji.json")
"""The response at the embedded server's `server_emoji_data_url`: `{"code_to_names": {code: [name, ...]}}`."""

VARIATION_SELECTOR = "\N{VARIATION SELECTOR-16}"


@dataclass(frozen=True)
class EmojiNames:
    """The table in both directions; the first name of a code is used for output."""

    code_to_names: Mapping[str, tuple[str, ...]]
    name_to_code: Mapping[str, str]

    def code(self, name: str) -> str | None:
        """`tada` -> `1f389`, None if no emoji has that name."""
        return self.name_to_code.get(name)

    def name(self, code: str) -> str | None:
        """`1f389` -> `tada`, None if no emoji has that code."""
        names = self.code_to_names.get(code)
        return names[0] if names else None

    def character(self, name: str) -> str | None:
        """`tada` -> the emoji itself."""
        code = self.code(name)
        return None if code is None else character_of(code)


MAX_PARTS = 10
"""The most characters in one emoji; families of four with skin tones have nine."""


def character_of(code: str) -> str | None:
    """`1f468-200d-1f33e` -> the emoji itself; None if the code is invalid."""
    parts = code[: 8 * MAX_PARTS].split("-")
    if len(parts) > MAX_PARTS:
        return None
    try:
        return "".join(chr(int(part, 16)) for part in parts)
    except (ValueError, OverflowError):
        return None


def code_of(character: str) -> str:
    """The dashed hexadecimal code of an emoji, as the service writes it: without variation selectors."""
    return "-".join(f"{ord(part):04x}" for part in character if part != VARIATION_SELECTOR)


@lru_cache(maxsize=1)
def emoji_names() -> EmojiNames:
    """The table that ships with Narrowcast (about 1,900 emoji)."""
    raw = json.loads(EMOJI_FILE.read_text(encoding="utf-8"))["code_to_names"]
    code_to_names = {code: tuple(names) for code, names in raw.items()}
    name_to_code = {name: code for code, names in code_to_names.items() for name in names}
    return EmojiNames(code_to_names, name_to_code)
