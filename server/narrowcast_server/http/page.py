"""Pages for people who open this server in a browser: plain HTML, no scripts, nothing external."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from starlette.responses import HTMLResponse

_STYLE: Final = (
    ":root{color-scheme:light dark}"
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem;overflow-wrap:anywhere}"
    "pre{padding:.75rem 1rem;white-space:pre-wrap;border:1px solid;border-radius:.25rem;user-select:all}"
    "h1{line-height:1.2}"
    "label,input,button{display:block;font:inherit;box-sizing:border-box}"
    "label,button{margin-top:1rem}input{width:100%;padding:.5rem}button{padding:.5rem 1rem}"
)
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none';"
    " form-action"
)
_HEADERS: Final = {
    "Cache-Control": "no-store",
    # The URL of an invitation is a secret.
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
}


@dataclass(frozen=True, slots=True)
class PageHeading:
    """A heading; `name` is a name that a user chose, and follows the words."""

    words: str
    name: str = ""
    level: int = 2


@dataclass(frozen=True, slots=True)
class PageText:
    """A paragraph of plain text."""

    words: str


@dataclass(frozen=True, slots=True)
class PageCommand:
    """A command to be typed in a terminal; a click selects all of it."""

    words: str


@dataclass(frozen=True, slots=True)
class PageField:
    """A line of text to be typed; `kind` and `completion` are what HTML calls type and autocomplete."""

    name: str
    label: str
    kind: str = "text"
    completion: str = "off"
    required: bool = True


@dataclass(frozen=True, slots=True)
class Form:
    """Fields whose texts a button sends to the same page."""

    fields: tuple[PageField, ...]
    button: str


Part = PageHeading | PageText | PageCommand | Form


def page(title: str, parts: Sequence[Part], status: int = 200) -> HTMLResponse:
    """A whole page. All words are plain text: markup in them is escaped."""
    body = "\n".join(map(_html, parts))
    target = "'self'" if any(isinstance(part, Form) for part in parts) else "'none'"
    return HTMLResponse(
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{_text(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head>\n<body>\n{body}\n</body>\n</html>\n",
        status,
        headers={**_HEADERS, "Content-Security-Policy": f"{_POLICY} {target}"},
    )


def _html(part: Part) -> str:
    if isinstance(part, PageCommand):
        return f"<pre><code>{_text(part.words)}</code></pre>"
    if isinstance(part, Form):
        fields = "".join(map(_field, part.fields))
        return f'<form method="post">{fields}<button>{_text(part.button)}</button></form>'
    if isinstance(part, PageText):
        return f"<p>{_text(part.words)}</p>"
    # Isolates a name in right-to-left script from the words around it.
    name = f"<bdi>{_text(part.name)}</bdi>" if part.name else ""
    return f"<h{part.level}>{' '.join(filter(None, (_text(part.words), name)))}</h{part.level}>"


def _field(field: PageField) -> str:
    required = " required" if field.required else ""
    return (
        f'<label for="{field.name}">{_text(field.label)}</label>'
        f'<input id="{field.name}" name="{field.name}" type="{field.kind}" autocomplete="{field.completion}"{required}>'
    )


def _text(words: str) -> str:
    """Escaped text in which characters that are invisible or change the text direction are replaced."""
    return escape("".join(character if character.isprintable() else "\ufffd" for character in words))
