"""Writes narrowcast_assets/emoji.json from the `emoji` package (a developer's tool, not a dependency).

    pip install emoji && python assets/make_emoji.py

Codes are lower-case hexadecimal code points joined by dashes, without variation selectors; the first name of
a code is used for output, the others are accepted too. Skin tones are omitted.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import emoji  # type: ignore[import-not-found, unused-ignore]  # needed only here, when the file is made anew

TARGET = Path(__file__).parent / "narrowcast_assets" / "emoji.json"
VARIATION_SELECTOR = "fe0f"
SKIN_TONES = {f"1f3f{digit}" for digit in "bcdef"}

# Short names that are common in team chat, placed before the long standard names.
EVERYDAY_NAMES: dict[str, tuple[str, ...]] = {
    "👍": ("+1", "thumbs_up", "like"),
    "👎": ("-1", "thumbs_down"),
    "✅": ("check", "all_good", "approved"),
    "✔": ("check_mark",),
    "❌": ("cross_mark", "x", "no"),
    "🛠": ("working_on_it", "tools"),
    "👏": ("clap", "applause"),
    "🙂": ("slight_smile", "slightly_smiling"),
    "😄": ("smile",),
    "😀": ("grinning", "happy"),
    "😂": ("joy", "tears"),
    "😅": ("sweat_smile", "phew"),
    "😆": ("laughing", "lol"),
    "😉": ("wink",),
    "😢": ("cry", "sad_tear"),
    "🙁": ("frown", "slight_frown"),
    "😕": ("confused", "oh_no"),
    "🤔": ("thinking", "hmm"),
    "🤷": ("shrug",),
    "🎉": ("tada", "party"),
    "🐙": ("octopus",),
    "❤": ("heart", "love"),
    "🚀": ("rocket", "ship_it"),
    "👀": ("eyes", "looking"),
    "🙏": ("pray", "thanks", "please"),
    "💯": ("100", "hundred"),
    "🔥": ("fire", "hot"),
    "💡": ("light_bulb", "idea", "bulb"),
    "🐛": ("bug",),
    "☕": ("coffee",),
    "🍵": ("tea",),
    "👋": ("wave", "hello"),
    "🧪": ("test_tube",),
    "⏰": ("alarm_clock", "time_ticking"),
    "🏠": ("house", "home"),
    "📅": ("calendar",),
    "🤒": ("sick",),
    "🚌": ("bus",),
    "🌴": ("palm_tree", "vacation"),
    "❓": ("question",),
    "❗": ("exclamation",),
    "⚠": ("warning",),
    "🔔": ("bell", "notifications"),
    "🎂": ("birthday",),
    "📝": ("memo", "note"),
    "🌧": ("rain", "cloud_with_rain"),
    "☀": ("sunny", "sun"),
    "🌡": ("thermometer",),
    "💨": ("dash", "wind"),
}


def tidy(name: str) -> str:
    """`:piñata:` -> `pinata`: lower-case ASCII that is valid between colons."""
    plain = unicodedata.normalize("NFKD", name.strip(":").lower())
    ascii_name = plain.encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9+-]+", "_", ascii_name).strip("_")


def code_of(character: str) -> str:
    """The dashed hexadecimal code of an emoji."""
    codes = [f"{ord(part):04x}" for part in character]
    return "-".join(code for code in codes if code != VARIATION_SELECTOR)


def qualified() -> Iterator[tuple[str, list[str]]]:
    """(character, standard names and aliases) of fully qualified emoji without skin tones."""
    for character, data in emoji.EMOJI_DATA.items():
        if data["status"] != emoji.STATUS["fully_qualified"]:
            continue
        if SKIN_TONES.isdisjoint(code_of(character).split("-")):
            yield character, [*data.get("alias", []), data["en"]]


def table() -> dict[str, list[str]]:
    """code -> names; names are unique, everyday names come first."""
    everyday = {code_of(character): names for character, names in EVERYDAY_NAMES.items()}
    taken = {name: code for code, names in everyday.items() for name in names}
    result: dict[str, list[str]] = {}
    for character, standard in sorted(qualified(), key=lambda item: code_of(item[0])):
        code = code_of(character)
        names = list(dict.fromkeys([*everyday.get(code, ()), *map(tidy, standard)]))
        mine = [name for name in names if name and taken.setdefault(name, code) == code]
        if mine:
            result[code] = mine
    missing = everyday.keys() - result.keys()
    if missing:
        raise SystemExit(f"the emoji package does not know {sorted(missing)}")
    return result


if __name__ == "__main__":
    lines = [f"  {json.dumps(code)}: {json.dumps(names)}" for code, names in table().items()]
    TARGET.write_text('{"code_to_names": {\n' + ",\n".join(lines) + "\n}}\n", encoding="utf-8")
