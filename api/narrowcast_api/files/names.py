"""Names of files that came from elsewhere, made safe to create and to show in a link."""

from __future__ import annotations

import unicodedata
from email.message import Message
from email.utils import collapse_rfc2231_value
from urllib.parse import unquote, urlsplit

from narrowcast_api import characters

_LONGEST_BYTES = 200
_FALLBACK = "download"


def safe_name(name: str) -> str:
    """One plain file name: no folders, no control or invisible characters, no leading dot or dash, not too
    long.

    What is left empty becomes 'download'. The ending survives the cut, so that programs know the kind of
    file.
    """
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    normal = characters.without_hidden(unicodedata.normalize("NFC", base))
    shown = "".join(c for c in normal if not unicodedata.category(c).startswith("C"))
    shown = " ".join(shown.split()).lstrip(".- ").rstrip(". ")
    return _cut(shown) or _FALLBACK


def _cut(name: str) -> str:
    if len(name.encode("utf-8")) <= _LONGEST_BYTES:
        return name
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending) > 16:
        stem, dot, ending = name, "", ""
    room = _LONGEST_BYTES - len((dot + ending).encode("utf-8"))
    return stem.encode("utf-8")[:room].decode("utf-8", "ignore") + dot + ending


def name_of_answer(disposition: str | None, url: str) -> str:
    """The name that an answer gives its file (RFC 6266, RFC 5987), else the last part of its address; made
    safe.
    """
    if disposition:
        header = Message()
        header["content-disposition"] = disposition.replace("\r", " ").replace("\n", " ")
        raw = header.get_param("filename", None, "content-disposition")
        if raw is not None:
            name = collapse_rfc2231_value(raw)
            if name.strip():
                return safe_name(name)
    return safe_name(unquote(urlsplit(url).path, errors="replace"))


def markdown_link(filename: str, url: str) -> str:
    """The link to an upload as messages carry it: `[name](url)`, brackets taken out of the name (UPL-10,
    UPL-11).
    """
    return f"[{filename.replace('[', '').replace(']', '')}]({url})"


def quoted_for_form(name: str) -> str:
    """A file name as a multipart form carries it between quotes."""
    return characters.encodable(name).replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
