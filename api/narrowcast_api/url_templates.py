"""URL templates (RFC 6570) of linkifiers and playgrounds: checked, expanded, and converted to their older forms.

The values come from messages, so an expansion is rejected if it would lead to another host than the one that
the template names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from uritemplate import URITemplate

from narrowcast_api.errors import InvalidInput

CODE = "code"
"""The one variable of a playground's template (PLG-05)."""

_EXPRESSION = re.compile(r"\{([^{}]*)\}")
_VARIABLE = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})*(?::[1-9][0-9]{0,3}|\*)?")
_OPERATORS = "+#./;?&"


def variables(template: str) -> list[str]:
    """Returns the names of the variables in order, including repeated ones.

    Raises InvalidInput if `template` is not an RFC 6570 template.
    """
    rest = _EXPRESSION.sub("", template)
    if "{" in rest or "}" in rest:
        raise InvalidInput("the URL template has an unmatched brace")
    names: list[str] = []
    for expression in _EXPRESSION.findall(template):
        for variable in expression.removeprefix(_operator(expression)).split(","):
            if not _VARIABLE.fullmatch(variable):
                raise InvalidInput(f"the URL template has an invalid expression: {{{expression}}}")
            names.append(variable.split(":")[0].rstrip("*"))
    return names


def _operator(expression: str) -> str:
    return expression[:1] if expression[:1] in _OPERATORS else ""


def check_code_template(template: str) -> None:
    """Raises InvalidInput unless a playground's template has exactly one variable, named ``code`` (PLG-05)."""
    if variables(template) != [CODE]:
        raise InvalidInput("the URL template must hold exactly one variable, named code")


def expand(template: str, values: Mapping[str, str]) -> str:
    """Returns the template's address with these values, percent-encoded as in RFC 6570 (PLG-08, LNK-06).

    Raises InvalidInput if the template is invalid, if the address is not http or https, or if the values
    would change the host that the template names.
    """
    variables(template)
    try:
        address = URITemplate(template).expand(dict(values))
    except UnicodeEncodeError:
        raise InvalidInput("the text contains a character that cannot be in an address") from None
    _check_host(template, address)
    return address


def expand_playground(template: str, code: str) -> str:
    """Returns the address at which a playground runs this code (PLG-08)."""
    check_code_template(template)
    return expand(template, {CODE: code})


def _authority(template: str) -> str:
    _, separator, rest = template.partition("://")
    return re.split(r"[/?#]", rest, maxsplit=1)[0] if separator else ""


def _check_host(template: str, address: str) -> None:
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").lower()
        _ = parts.port
    except ValueError:
        raise InvalidInput("the address is not valid") from None
    if parts.scheme.lower() not in {"http", "https"} or not host:
        raise InvalidInput("only http and https addresses can be opened")
    if "\\" in parts.netloc or parts.username is not None:
        raise InvalidInput("the text would change where the link leads")
    if not _keeps_host(_authority(template).lower(), host, parts.netloc.lower()):
        raise InvalidInput("the text would change where the link leads")


def _keeps_host(authority: str, host: str, netloc: str) -> bool:
    if "{" not in authority:
        return authority in (host, netloc)
    # If the host contains variables, it must still end with the text after the last of them:
    # "{team}.example".
    tail = authority.rsplit("}", 1)[-1].rsplit(":", 1)[0]
    return tail != "" and host.endswith(tail)


def as_format_string(template: str) -> str | None:
    """The form before level 176, ``%(name)s`` (LNK-07); None if the template cannot be written that way."""
    variables(template)
    parts: list[str] = []
    end = 0
    for match in _EXPRESSION.finditer(template):
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", match[1]):
            return None
        parts += [template[end : match.start()].replace("%", "%%"), f"%({match[1]})s"]
        end = match.end()
    return "".join([*parts, template[end:].replace("%", "%%")])


def as_prefix(template: str) -> str | None:
    """The form before level 196, a plain prefix (PLG-07); None unless the template ends in ``{code}``."""
    check_code_template(template)
    suffix = f"{{{CODE}}}"
    return template.removesuffix(suffix) if template.endswith(suffix) else None
