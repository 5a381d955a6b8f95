"""Linkifiers and playgrounds: their templates by level and dialect, and the addresses they produce."""

from __future__ import annotations

from typing import Any

import pytest

from narrowcast_api.errors import BadRequest, InvalidInput, UnauthorizedPrincipal, Unsupported
from narrowcast_api.resources.linkifiers import Linkifier
from narrowcast_api.url_templates import expand
from narrowcast_api.wire.vocabulary import Dialect
from support.api import boundary_levels, scripted_client
from support.ledger import proves

PATH = "/api/v1/realm/filters/3"
PLAYGROUNDS = "/api/v1/realm/playgrounds"
PATTERN = "#(?P<id>[0-9]+)"
TEMPLATE = "https://tides.example/{id}"


@proves("LNK-01", "LNK-03", "LNK-04", "LNK-05", "LNK-08")
async def test_an_update_sends_pattern_and_template() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("PATCH", PATH, params={"pattern": PATTERN, "url_template": TEMPLATE})
        done = await client.linkifiers.update(filter_id=3, pattern=PATTERN, url_template=TEMPLATE)
        assert not done.unknown_fields


@proves("LNK-02", "LNK-07")
async def test_at_every_level_the_address_travels_in_the_form_that_it_knows() -> None:
    for level in boundary_levels():
        async with scripted_client(level) as (client, transport):
            if level < 57:
                with pytest.raises(Unsupported) as refusal:
                    await client.linkifiers.update(filter_id=3, pattern=PATTERN, url_template=TEMPLATE)
                assert refusal.value.needs == 57
                assert transport.requests == []
                continue
            expected = (
                {"url_template": TEMPLATE}
                if level >= 176
                else {"url_format_string": "https://tides.example/%(id)s"}
            )
            transport.prepare("PATCH", PATH, params={"pattern": PATTERN, **expected})
            await client.linkifiers.update(filter_id=3, pattern=PATTERN, url_template=TEMPLATE)


async def test_a_template_that_the_old_form_cannot_say_is_refused_below_176() -> None:
    async with scripted_client(175) as (client, transport):
        with pytest.raises(Unsupported) as refusal:
            await client.linkifiers.update(
                filter_id=3, pattern=PATTERN, url_template="https://tides.example/{?id}"
            )
        assert refusal.value.needs == 176
        transport.prepare("PATCH", PATH)
        await client.linkifiers.update(
            filter_id=3, pattern=PATTERN, url_template="https://tides.example/100%25/{id}"
        )
        assert transport.last.params["url_format_string"] == "https://tides.example/100%%25/%(id)s"


async def test_templates_for_pasted_links_are_sent_where_the_server_knows_them() -> None:
    params = {
        "pattern": PATTERN,
        "url_template": TEMPLATE,
        "example_input": "#12",
        "reverse_template": "#{id}",
        "alternative_url_templates": '["https://old.example/{id}"]',
    }
    arguments: dict[str, Any] = {**params, "alternative_url_templates": ["https://old.example/{id}"]}
    async with scripted_client(478) as (client, transport):
        transport.prepare("POST", "/api/v1/realm/filters", params=params, json={"id": 3})
        assert await client.linkifiers.create(**arguments) == 3
        transport.prepare("PATCH", PATH, params=params)
        await client.linkifiers.update(filter_id=3, **arguments)
        with pytest.raises(InvalidInput):
            await client.linkifiers.update(
                filter_id=3,
                pattern=PATTERN,
                url_template=TEMPLATE,
                alternative_url_templates=["https://x/{id"],
            )
    for level, needed in ((477, 478), (470, 471)):
        async with scripted_client(level) as (client, transport):
            with pytest.raises(Unsupported) as refusal:
                await client.linkifiers.update(filter_id=3, **arguments)
            assert refusal.value.needs == needed
            assert transport.requests == []


async def test_empty_patterns_and_broken_templates_are_refused_here() -> None:
    async with scripted_client() as (client, transport):
        for pattern, template in (
            ("", TEMPLATE),
            (PATTERN, ""),
            (PATTERN, "https://x/{id"),
            (PATTERN, "https://x/{}"),
        ):
            with pytest.raises(InvalidInput):
                await client.linkifiers.update(filter_id=3, pattern=pattern, url_template=template)
        assert transport.requests == []


@proves("LNK-06")
def test_named_groups_are_put_into_the_template() -> None:
    assert expand(TEMPLATE, {"id": "42"}) == "https://tides.example/42"
    assert (
        expand("https://{team}.tides.example/{id}", {"team": "dev", "id": "1/2"})
        == "https://dev.tides.example/1%2F2"
    )


@proves("LNK-09")
@pytest.mark.parametrize(
    ("code", "msg", "error"),
    [
        ("BAD_REQUEST", "Linkifier not found.", BadRequest),
        ("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator", UnauthorizedPrincipal),
    ],
)
async def test_what_the_server_says_of_a_linkifier_is_its_error(
    code: str, msg: str, error: type[Exception]
) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("PATCH", PATH, code=code, msg=msg)
        with pytest.raises(error, match=msg):
            await client.linkifiers.update(filter_id=3, pattern=PATTERN, url_template=TEMPLATE)


async def test_linkifiers_are_listed_made_sorted_and_deleted() -> None:
    async with scripted_client() as (client, transport):
        row = {"id": 3, "pattern": "(a+)+$", "url_template": TEMPLATE}
        newer = {
            "id": 5,
            "pattern": PATTERN,
            "url_template": TEMPLATE,
            "example_input": "#12",
            "reverse_template": "#{id}",
            "alternative_url_templates": ["https://old.example/{id}"],
        }
        unset = {
            **row,
            "id": 6,
            "example_input": None,
            "reverse_template": None,
            "alternative_url_templates": [],
        }
        transport.prepare("GET", "/api/v1/realm/linkifiers", json={"linkifiers": [row, newer, unset]})
        assert await client.linkifiers.list() == [
            Linkifier(3, "(a+)+$", TEMPLATE),
            Linkifier(5, PATTERN, TEMPLATE, "#12", "#{id}", ("https://old.example/{id}",)),
            Linkifier(6, "(a+)+$", TEMPLATE),
        ]
        transport.prepare("POST", "/api/v1/realm/filters", json={"id": 4})
        assert await client.linkifiers.create(pattern=PATTERN, url_template=TEMPLATE) == 4
        transport.prepare("PATCH", "/api/v1/realm/linkifiers", params={"ordered_linkifier_ids": "[4,3]"})
        await client.linkifiers.reorder(ordered_linkifier_ids=[4, 3])
        transport.prepare("DELETE", PATH)
        await client.linkifiers.delete(filter_id=3)


@proves("PLG-01", "PLG-02", "PLG-03", "PLG-04", "PLG-06")
@pytest.mark.parametrize(
    ("dialect", "language"),
    [(Dialect.SERVICE, "highlighter_language"), (Dialect.ZULIP, "pygments_language")],
)
async def test_a_playground_has_name_language_and_template(dialect: Dialect, language: str) -> None:
    async with scripted_client(dialect=dialect) as (client, transport):
        sent = {"name": "Run it", language: "Python", "url_template": "https://run.example/?c={code}"}
        transport.prepare("POST", PLAYGROUNDS, params=sent, json={"id": 5})
        made = await client.playgrounds.add(
            name="Run it", highlighter_language="Python", url_template="https://run.example/?c={code}"
        )
        assert made == 5
        for name, lexer in (("", "Python"), ("Run it", " ")):
            with pytest.raises(InvalidInput):
                await client.playgrounds.add(
                    name=name, highlighter_language=lexer, url_template="https://run.example/{code}"
                )
        transport.prepare("DELETE", f"{PLAYGROUNDS}/5")
        await client.playgrounds.delete(playground_id=5)


@proves("PLG-05")
@pytest.mark.parametrize(
    "template",
    [
        "https://x/",
        "https://x/{other}",
        "https://x/{code}{x}",
        "https://x/{code}{code}",
        "https://x/{code",
        "{}",
        "",
    ],
)
async def test_a_template_without_exactly_the_variable_code_is_refused_here(template: str) -> None:
    async with scripted_client() as (client, transport):
        with pytest.raises(InvalidInput):
            await client.playgrounds.add(name="n", highlighter_language="Python", url_template=template)
        assert transport.requests == []


@pytest.mark.parametrize(
    "template", ["https://x/?c={code}", "https://x/{+code}", "https://x/{?code}", "https://x/{code:9}"]
)
async def test_every_form_of_the_one_variable_is_accepted(template: str) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", PLAYGROUNDS, json={"id": 5})
        await client.playgrounds.add(name="n", highlighter_language="Python", url_template=template)
        assert transport.last.params["url_template"] == template


@proves("PLG-07")
async def test_below_196_a_plain_prefix_is_sent() -> None:
    for level in boundary_levels():
        async with scripted_client(level) as (client, transport):
            transport.prepare("POST", PLAYGROUNDS, json={"id": 5})
            await client.playgrounds.add(
                name="n", highlighter_language="Python", url_template="https://x/?c={code}"
            )
            if level >= 196:
                assert transport.last.params["url_template"] == "https://x/?c={code}"
                assert "url_prefix" not in transport.last.params
            else:
                assert transport.last.params["url_prefix"] == "https://x/?c="
                assert "url_template" not in transport.last.params
                with pytest.raises(Unsupported):
                    await client.playgrounds.add(
                        name="n", highlighter_language="Python", url_template="https://x/{code}/run"
                    )


@proves("PLG-09")
async def test_a_member_who_adds_a_playground_gets_the_servers_error() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error(
            "POST", PLAYGROUNDS, code="UNAUTHORIZED_PRINCIPAL", msg="Must be an administrator"
        )
        with pytest.raises(UnauthorizedPrincipal):
            await client.playgrounds.add(
                name="n", highlighter_language="Python", url_template="https://x/{code}"
            )
