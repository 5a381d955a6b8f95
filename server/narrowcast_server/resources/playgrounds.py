"""Code playgrounds: sites that run the code of a block (rows PLG)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from uritemplate import variables

from narrowcast_server.actions.url_templates import check_template
from narrowcast_server.organization.errors import ServiceError, invalid_value
from narrowcast_server.queries.playgrounds import _CODE, playgrounds_of

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

_LANGUAGE: Final = re.compile(r"[A-Za-z0-9_+#.\-/ ]{1,40}")
_MAX_NAME: Final = 100


def template_of_prefix(prefix: str) -> str:
    """The template of an older `url_prefix` (PLG-07); raises BAD_REQUEST for a prefix with braces."""
    if "{" in prefix or "}" in prefix:
        raise ServiceError("Invalid URL prefix.")
    return prefix + _CODE


def add_playground(core: Core, name: str, language: str, template: str) -> int:
    """Adds a playground; returns its id. Its template must have exactly one variable, `code` (PLG-05)."""
    name = name.strip()
    if not name or len(name) > _MAX_NAME:
        raise invalid_value(f"name must have 1 to {_MAX_NAME} characters", "name")
    if not language:
        raise invalid_value("This field cannot be blank.", "pygments_language")
    if not _LANGUAGE.fullmatch(language):
        raise ServiceError("Invalid characters in the name of the language")
    check_template(template)
    names = list(variables(template))
    if "code" not in names:
        raise invalid_value('Missing the required variable "code" in the URL template')
    if names != ["code"] or template.count("{") != 1:
        raise invalid_value('"code" should be the only variable present in the URL template')
    if (
        core.store.one("SELECT 1 FROM playgrounds WHERE name = ? AND language = ?", name, language)
        is not None
    ):
        raise invalid_value("A playground with this language and name already exists.")
    identity = core.store.insert(
        "INSERT INTO playgrounds (name, language, url_template) VALUES (?, ?, ?)", name, language, template
    )
    _emit_playgrounds(core)
    return identity


def remove_playground(core: Core, playground_id: int) -> None:
    if core.store.execute("DELETE FROM playgrounds WHERE id = ?", playground_id) == 0:
        raise ServiceError("Invalid playground")
    _emit_playgrounds(core)


def _emit_playgrounds(core: Core) -> None:
    core.emit({"type": "realm_playgrounds", "realm_playgrounds": playgrounds_of(core)}, core.user_ids())
