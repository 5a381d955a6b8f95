"""The short text of a pasted URL, which a linkifier turns into that URL (LNK rows; level 471)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from narrowcast_api.resources.linkifiers import Linkifier

MAX_URL = 2000
"""The length in characters up to which a URL is compared."""

_NAME = re.compile(r"\{([A-Za-z_]\w*)\}")
_VALUE = re.compile(r"[A-Za-z0-9._-]+")
"""Characters that stand for themselves in a URL and begin nothing in Markdown or a mention."""


def shortened(linkifiers: Iterable[Linkifier], url: str) -> str | None:
    """Returns what the first linkifier with a reverse template makes of ``url``; None if none has its form.

    Only templates whose variables have the form ``{name}`` are compared, and only values of letters, digits and
    ``._-`` are accepted. The pattern of the linkifier is not run, because it may take forever.
    """
    if len(url) > MAX_URL:
        return None
    for linkifier in linkifiers:
        if not linkifier.reverse_template:
            continue
        for template in (linkifier.url_template, *linkifier.alternative_url_templates):
            values = _values(template, url)
            if values and (short := _filled(linkifier.reverse_template, values)) is not None:
                return short
    return None


def _values(template: str, url: str) -> dict[str, str] | None:
    """The values of the variables with which ``template`` becomes ``url``. Each value ends where the next fixed
    part is first found, so that this takes linear time.
    """
    first, *rest = _NAME.split(template)
    names, parts = rest[::2], rest[1::2]
    if any("{" in part for part in (first, *parts)) or not url.startswith(first):
        return None
    values: dict[str, str] = {}
    start = len(first)
    for place, (name, part) in enumerate(zip(names, parts, strict=True)):
        is_last = place == len(names) - 1
        end = len(url) - len(part) if is_last else url.find(part, start)
        value = url[start : max(end, start)]
        if not (is_last or part) or not url.startswith(part, end) or not _VALUE.fullmatch(value):
            return None
        if values.setdefault(name, value) != value:
            return None
        start = end + len(part)
    return values


def _filled(template: str, values: dict[str, str]) -> str | None:
    if not set(_NAME.findall(template)) <= values.keys():
        return None
    text = _NAME.sub(lambda found: values[found[1]], template)
    return text if text.isprintable() and text.strip() else None
