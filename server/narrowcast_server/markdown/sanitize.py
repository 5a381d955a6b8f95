"""Sanitises the final HTML, whatever the rules produced."""

import nh3

INLINE = {"strong", "em", "del", "code", "a", "br", "span", "time", "img"}
BLOCKS = {"p", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "ul", "li", "blockquote", "div", "pre"}
TABLES = {"table", "thead", "tbody", "tr", "th", "td"}
MEDIA = {"audio", "video"}
MATH = {"math", "semantics", "mrow", "mtext", "annotation"}
ATTRIBUTES = {
    "a": {"class", "href", "title", "data-stream-id", "data-id", "style"},
    "annotation": {"encoding"},
    "audio": {"controls", "preload", "src", "title"},
    "div": {"class", "aria-hidden", "data-code-language"},
    "img": {
        "alt",
        "class",
        "src",
        "title",
        "data-original-content-type",
        "data-original-dimensions",
        "data-original-src",
    },
    "math": {"xmlns", "display"},
    "ol": {"start"},
    "span": {"class", "title", "role", "aria-label", "aria-hidden", "data-user-id", "data-user-group-id"},
    "td": {"style"},
    "th": {"style"},
    "time": {"datetime"},
    "video": {"preload", "src"},
}
SCHEMES = {
    *(
        "http",
        "https",
        "ftp",
        "file",
        "bitcoin",
        "geo",
        "im",
        "irc",
        "ircs",
        "magnet",
        "mailto",
        "matrix",
        "mms",
    ),
    *("news", "nntp", "openpgp4fpr", "sip", "sms", "smsto", "ssh", "tel", "urn", "webcal", "wtai", "xmpp"),
}
"""Allowed URL schemes of links."""


def sanitized(html: str) -> str:
    """The HTML with only allowed elements, attributes and URL schemes; everything else is removed."""
    return nh3.clean(
        html,
        tags=INLINE | BLOCKS | TABLES | MEDIA | MATH,
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel=None,
        strip_comments=True,
    )
