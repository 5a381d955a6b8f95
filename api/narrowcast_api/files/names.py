"""Names of files from elsewhere, made safe for file systems and for links."""

from __future__ import annotations

import unicodedata
from email.message import Message
from email.utils import collapse_rfc2231_value
from urllib.parse import unquote, urlsplit

from narrowcast_api import characters

_MAX_BYTES = 200
_FALLBACK = "download"


def safe_name(name: str) -> str:
    """Returns a plain file name: no folders, no control or invisible characters, no leading dot or dash,
    limited in length.

    An empty result becomes 'download'. The extension is kept when a name is shortened, so that programs
    recognize the type of file.
    """
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    normal = characters.without_hidden(unicodedata.normalize("NFC", base))
    shown = "".join(c for c in normal if not unicodedata.category(c).startswith("C"))
    shown = " ".join(shown.split()).lstrip(".- ").rstrip(". ")
    return _cut(shown) or _FALLBACK


def _cut(name: str) -> str:
    if len(name.encode("utf-8")) <= _MAX_BYTES:
        return name
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending) > 16:
        stem, dot, ending = name, "", ""
    room = _MAX_BYTES - len((dot + ending).encode("utf-8"))
    return stem.encode("utf-8")[:room].decode("utf-8", "ignore") + dot + ending


def response_file_name(disposition: str | None, url: str) -> str:
    """Returns a safe file name: that of a response's header (RFC 6266, RFC 5987), else the last part of the address."""
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
    """Returns the link to an upload for a message: `[name](url)`, with brackets removed from the name
    (UPL-10, UPL-11).
    """
    return f"[{filename.replace('[', '').replace(']', '')}]({url})"


def quoted_for_form(name: str) -> str:
    """Returns a file name escaped for the quotes of a multipart form."""
    return characters.encodable(name).replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
