"""Code playgrounds: sites that run the code of a block (rows PLG). Only administrators may change them (PLG-09)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from uritemplate import variables

from narrowcast_api.wire.levels import Gate
from narrowcast_server.actions.urls import check_template
from narrowcast_server.http.params import required, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.dialect import playground_fields
from narrowcast_server.organization.errors import ServiceError, invalid_value
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.rules.permissions import Callers

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_CODE: Final = "{code}"
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9_+#.\-/ ]{1,40}")
_MAX_NAME: Final = 100


def playgrounds_of(organization: Organization) -> list[dict[str, object]]:
    """All playgrounds, in the order of creation."""
    rows = organization.store.all("SELECT * FROM playgrounds ORDER BY id")
    return [
        {
            "id": row["id"],
            "name": row["name"],
            **playground_fields(organization.config, row["language"]),
            **template_field(organization, row["url_template"]),
        }
        for row in rows
    ]


def template_field(organization: Organization, template: str) -> dict[str, object]:
    if organization.level < Gate.PLAYGROUND_TEMPLATE.level:
        return {"url_prefix": template.removesuffix(_CODE)}
    return {"url_template": template}


def template_of_prefix(prefix: str) -> str:
    """The template of an older `url_prefix` (PLG-07); raises BAD_REQUEST for a prefix with braces."""
    if "{" in prefix or "}" in prefix:
        raise ServiceError("Invalid URL prefix.")
    return prefix + _CODE


def add_playground(organization: Organization, name: str, language: str, template: str) -> int:
    """Adds a playground; returns its id. Its template must have exactly one variable, `code` (PLG-05)."""
    if language and not _LANGUAGE.fullmatch(language):
        raise ServiceError("Invalid characters in the name of the language")
    name = name.strip()
    if not name or len(name) > _MAX_NAME:
        raise invalid_value(f"name must have 1 to {_MAX_NAME} characters", "name")
    if not language:
        raise invalid_value("This field cannot be blank.", "pygments_language")
    check_template(template)
    names = list(variables(template))
    if "code" not in names:
        raise invalid_value('Missing the required variable "code" in the URL template')
    if names != ["code"] or template.count("{") != 1:
        raise invalid_value('"code" should be the only variable present in the URL template')
    if (
        organization.store.one("SELECT 1 FROM playgrounds WHERE name = ? AND language = ?", name, language)
        is not None
    ):
        raise invalid_value("A playground with this language and name already exists.")
    identity = organization.store.insert(
        "INSERT INTO playgrounds (name, language, url_template) VALUES (?, ?, ?)", name, language, template
    )
    _emit_playgrounds(organization)
    return identity


def remove_playground(organization: Organization, playground_id: int) -> None:
    if organization.store.execute("DELETE FROM playgrounds WHERE id = ?", playground_id) == 0:
        raise ServiceError("Invalid playground")
    _emit_playgrounds(organization)


def _emit_playgrounds(organization: Organization) -> None:
    organization.emit(
        {"type": "realm_playgrounds", "realm_playgrounds": playgrounds_of(organization)},
        organization.user_ids(),
    )


@part("realm_playgrounds")
def playgrounds(request: Snapshot) -> dict[str, object]:
    return {"realm_playgrounds": playgrounds_of(request.organization)}


routes = Routes()

NAME = required("name", text_without_null)
LANGUAGE = required("highlighter_language", text_without_null, aliases=("pygments_language",))
TEMPLATE = required("url_template", text_without_null, since=Gate.PLAYGROUND_TEMPLATE.level)
PREFIX = required("url_prefix", text_without_null, until=Gate.PLAYGROUND_TEMPLATE.level)


@routes.post("/realm/playgrounds", NAME, TEMPLATE, PREFIX, LANGUAGE, callers=Callers.ADMINISTRATORS)
def post_playground(call: Call) -> ResponseBody:
    """Adds a playground (PLG-01)."""
    old = call.level < Gate.PLAYGROUND_TEMPLATE.level
    template = template_of_prefix(call[PREFIX]) if old else call[TEMPLATE]
    return {"id": add_playground(call.organization, call[NAME], call[LANGUAGE], template)}


@routes.delete("/realm/playgrounds/{playground_id}", callers=Callers.ADMINISTRATORS)
def delete_playground(call: Call) -> ResponseBody:
    remove_playground(call.organization, call.path_id("playground_id"))
    return {}
