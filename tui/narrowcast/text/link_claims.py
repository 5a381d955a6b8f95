"""The real host of a link, and whether its text claims another one.

Browsers read addresses more leniently than most libraries: a backslash is a slash, `。` is a dot, full-width
letters are letters, escapes in the host are decoded, and everything before an `@` is a user name. Here an
address is read as by a browser, and the text of the link as by a person.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote, urlsplit

from narrowcast_api.characters import without_hidden

__all__ = ["host_of", "link_warning", "normal_host"]

_MAX_LENGTH = 2000
"""Maximum characters of a link's text and address that are checked."""
_DOTS = str.maketrans("\u3002\uff0e\uff61", "...")
_SLASHES = str.maketrans("\\\u2044\u2215\u29f8\uff0f\uff3c", "//////")
_WITH_SCHEME = re.compile(r"(?i)\bhttps?:/*(?:[^\s/?#@]*@)*([^\s/?#@]+)")
_BARE = re.compile(r"(?<![\w@-])((?:[\w-]+\.)+[^\W\d_]{2,}|(?:\w[\w-]*\.)+xn--[a-z0-9-]+)", re.IGNORECASE)
_SCRIPTS_ALIKE = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "LATIN LETTER SMALL CAPITAL")


def normal_host(host: str) -> str:
    """A host in a comparable form: lower case, in IDNA encoding."""
    text = unicodedata.normalize("NFKC", without_hidden(host).translate(_DOTS)).translate(_DOTS)
    text = text.casefold().strip("[]").rstrip(".")
    if text.isascii():
        return text
    try:
        return text.encode("idna").decode("ascii")
    except UnicodeError:
        return text


def host_of(url: str) -> str:
    """The host to which a browser connects; '' if there is none. Without brackets and port."""
    try:
        authority = urlsplit(url[:_MAX_LENGTH].replace("\\", "/")).netloc
    except ValueError:
        return ""
    host = unquote(authority.rpartition("@")[2])
    host = host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]
    return normal_host(host)


def link_warning(label: str, url: str) -> str:
    """The warning to show before a link is opened, or '' if its text and its address agree.

    `label` is the text of the link, `url` its absolute address.
    """
    host = host_of(url)
    shown = host or "nowhere"
    for claimed in _claims(label[:_MAX_LENGTH]):
        if _differ(claimed, host):
            return f"The text says {claimed}, the link leads to {shown}"
    before_path = url[:_MAX_LENGTH].split("?", 1)[0].split("#", 1)[0]
    if "\\" in before_path or "@" in urlsplit(before_path.replace("\\", "/")).netloc:
        return f"The address hides where it leads: to {shown}"
    if not re.fullmatch(r"[a-z0-9._:-]+", host):
        return f"The address has strange characters in its host: {shown}"
    if _looks_like_another(host):
        return f"The address has letters that look like others; it leads to {shown}"
    return ""


def _claims(label: str) -> list[str]:
    """The hosts named in the text of a link, normalized."""
    text = unicodedata.normalize("NFKC", without_hidden(label).translate(_DOTS)).translate(_DOTS)
    text = text.translate(_SLASHES)
    named = []
    for match in _WITH_SCHEME.finditer(text):
        host = unquote(match[1])
        named.append(host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0])
    named += [match[1] for match in _BARE.finditer(text)][:20]
    return [host for host in map(normal_host, named) if "." in host or ":" in host]


def _differ(claimed: str, host: str) -> bool:
    return claimed.removeprefix("www.") != host.removeprefix("www.")


def _looks_like_another(host: str) -> bool:
    """Whether a part of the host mixes scripts, or contains letters that look like Latin ones below a Latin
    top-level domain.
    """
    parts = host.split(".")
    for part in parts:
        if not part.startswith("xn--"):
            continue
        try:
            letters = part.encode("ascii").decode("idna")
        except UnicodeError:
            return True
        if not all(letter.isalnum() or letter == "-" or unicodedata.combining(letter) for letter in letters):
            return True
        names = [unicodedata.name(letter, "") for letter in letters if letter.isalpha()]
        if any(name.startswith(_SCRIPTS_ALIKE) for name in names) and not parts[-1].startswith("xn--"):
            return True
        if len({name.split(" ", 1)[0] for name in names} - {"CJK", "HIRAGANA", "KATAKANA", "HANGUL"}) > 1:
            return True
    return False
