"""What becomes of a pasted URL that a linkifier can make."""

from __future__ import annotations

import pytest

from narrowcast_api.resources.linkifiers import Linkifier
from narrowcast_api.short_links import MAX_URL, shortened

ISSUE = Linkifier(
    1,
    "#(?P<repo>[a-z]+)/(?P<id>[0-9]+)",
    "https://git.example/{repo}/issues/{id}",
    reverse_template="#{repo}/{id}",
    alternative_url_templates=("https://git.example/{repo}/pulls/{id}/files",),
)


@pytest.mark.parametrize(
    ("url", "short"),
    [
        ("https://git.example/soup/issues/12", "#soup/12"),
        ("https://git.example/soup/pulls/12/files", "#soup/12"),
        ("https://git.example/soup/issues/12#top", None),
        ("https://git.example/soup/issues/12/edit", None),
        ("https://git.example/soup/issues/", None),
        ("https://git.example/soup", None),
        ("https://git.example/a/b/issues/12", None),
        ("https://git.example/%40%2A%2Aall%2A%2A/issues/12", None),
        ("https://evil.example/soup/issues/12", None),
        ("see https://git.example/soup/issues/12", None),
        ("https://git.example/soup/issues/" + "1" * MAX_URL, None),
    ],
)
def test_a_url_of_the_form_of_a_template_becomes_its_short_text(url: str, short: str | None) -> None:
    assert shortened([ISSUE], url) == short


@pytest.mark.parametrize(
    "linkifier",
    [
        ISSUE._replace(reverse_template=""),
        ISSUE._replace(reverse_template="#{unknown}"),
        ISSUE._replace(reverse_template="{repo}\x1b[2J{id}"),
        ISSUE._replace(url_template="https://git.example/{repo}{id}", alternative_url_templates=()),
        ISSUE._replace(url_template="https://git.example/{+repo}/issues/{id}", alternative_url_templates=()),
        ISSUE._replace(url_template="https://git.example/soup/issues/12", alternative_url_templates=()),
        ISSUE._replace(url_template="https://git.example/{repo", alternative_url_templates=()),
    ],
)
def test_a_url_is_kept_where_the_templates_do_not_serve(linkifier: Linkifier) -> None:
    assert shortened([linkifier], "https://git.example/soup/issues/12") is None


def test_a_variable_that_occurs_twice_has_one_value() -> None:
    twice = ISSUE._replace(
        url_template="https://x.example/{id}/{id}", reverse_template="X-{id}", alternative_url_templates=()
    )
    assert shortened([twice], "https://x.example/7/7") == "X-7"
    assert shortened([twice], "https://x.example/7/8") is None


def test_the_first_linkifier_of_the_form_is_taken() -> None:
    other = ISSUE._replace(id=2, reverse_template="other")
    assert shortened(
        [ISSUE._replace(reverse_template=""), other, ISSUE], "https://git.example/a/issues/1"
    ) == ("other")
