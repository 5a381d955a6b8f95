"""URL templates: what they expand to, and that no text can change the host."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrowcast_api.errors import InvalidInput
from narrowcast_api.url_templates import (
    as_format_string,
    as_prefix,
    check_code_template,
    expand,
    expand_playground,
    variables,
)
from support.ledger import proves


@proves("PLG-08")
def test_code_is_percent_encoded() -> None:
    assert expand_playground("https://run.example/?c={code}", "a b&c") == "https://run.example/?c=a%20b%26c"
    assert expand_playground("https://run.example/{?code}", "é\n") == "https://run.example/?code=%C3%A9%0A"


@pytest.mark.parametrize(
    ("template", "names"),
    [
        ("https://x/", []),
        ("https://x/{a}/{b}", ["a", "b"]),
        ("https://x/{?a,b*}{&c:3}", ["a", "b", "c"]),
        ("https://x/{+a.b}", ["a.b"]),
    ],
)
def test_variables_are_named_in_order(template: str, names: list[str]) -> None:
    assert variables(template) == names


@pytest.mark.parametrize(
    "template", ["{", "}", "{a", "a}", "{}", "{a b}", "{a,}", "{{a}}", "{?}", "{a:0}", "{!a}"]
)
def test_an_invalid_template_is_rejected(template: str) -> None:
    with pytest.raises(InvalidInput):
        variables(template)


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("https://good.example{x}", {"x": "@evil.example"}),
        ("https://good.example{+x}", {"x": "@evil.example/"}),
        ("https://good.example{+x}", {"x": ".evil.example/"}),
        ("https://{+x}.good.example/", {"x": "evil.example/"}),
        ("https://{+x}.good.example/", {"x": "evil.example?"}),
        ("https://{+x}/", {"x": "evil.example"}),
        ("{+x}", {"x": "https://evil.example/"}),
        ("{+x}://good.example/", {"x": "javascript"}),
        ("javascript:alert({x})", {"x": "1"}),
        ("file:///etc/{x}", {"x": "passwd"}),
        ("https://good.example:{+x}/", {"x": "80@evil.example"}),
        ("https://good.example:{x}/", {"x": "99999999"}),
        ("https://", {}),
        ("https://[{x}/", {"x": "1"}),
    ],
)
def test_a_text_cannot_choose_the_host(template: str, values: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        expand(template, values)


@given(text=st.text())
def test_whatever_the_text_the_host_stays(text: str) -> None:
    for template in ("https://good.example/{+x}", "https://good.example/{x}", "https://good.example{/x}"):
        try:
            address = expand(template, {"x": text})
        except InvalidInput:
            continue
        assert urlsplit(address).hostname == "good.example"


def test_a_variable_in_front_of_the_host_is_allowed_while_its_end_stays() -> None:
    assert expand("https://{team}.good.example/", {"team": "dev"}) == "https://dev.good.example/"
    assert expand("https://{team}.good.example:8443/", {"team": "dev"}) == "https://dev.good.example:8443/"


def test_older_forms_are_found_where_they_can_say_the_same() -> None:
    assert as_format_string("https://x/{a}/{b}") == "https://x/%(a)s/%(b)s"
    assert as_format_string("https://x/{+a}") is None
    assert as_prefix("https://x/?c={code}") == "https://x/?c="
    assert as_prefix("https://x/{code}/run") is None
    with pytest.raises(InvalidInput):
        check_code_template("https://x/")
