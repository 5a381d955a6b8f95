"""Users found by a few letters of their names, their email addresses, or profile fields chosen for it."""

from __future__ import annotations

from narrowcast.panes.compose.completion import completions_at, recipient_names
from narrowcast.text.user_search import people as prepared
from narrowcast.text.user_search import search_text
from narrowcast_api.state.state import State
from support.live import make_state, user

ANA, BO, CY, DEE = 21, 22, 23, 24


def people() -> State:
    """A state with Ana, Bo, Cy and Dee, whose nickname and team are in profile fields that find users."""
    rows = [
        user(ANA, "Ana Lund", delivery_email="lund@host.example"),
        user(BO, "Bo Ray", email="bo@host.example", profile_data={"1": {"value": "Mighty Lynx"}}),
        user(CY, "Cy Moe", profile_data={"2": {"value": "0"}}),
        user(DEE, "Dee Fox", profile_data={"3": {"value": "secret"}}),
    ]
    fields = [
        {"id": 1, "name": "Nickname", "type": 1, "use_for_user_matching": True},
        {
            "id": 2,
            "name": "Team",
            "type": 3,
            "field_data": '{"0": {"text": "Lynxes", "order": "1"}}',
            "use_for_user_matching": True,
        },
        {"id": 3, "name": "Note", "type": 1},
    ]
    return make_state(realm_users=rows, custom_profile_fields=fields)


def found(typed: str, most: int = 7) -> list[int]:
    state = people()
    return [user.user_id for user in prepared(state).best(state, typed, most)]


def test_users_are_found_by_the_beginning_of_an_address_or_of_a_word_of_a_chosen_field() -> None:
    assert found("Lund") == [ANA], "by name and address, once"
    assert found("LUND@h") == [ANA]
    assert found("user21") == [], "the placeholder for a hidden address is known to nobody"
    assert found("lynx") == [BO, CY]
    assert found("lynx", most=1) == [BO]
    assert found("demo") == found("secret") == found("ynx") == []


def test_lists_of_users_are_searched_for_the_same_texts() -> None:
    state = people()
    texts = {user.user_id: search_text(state, user) for user in state.users}
    assert texts[ANA] == "lund@host.example "
    assert texts[BO] == " bo@host.example Mighty Lynx"
    assert "Lynxes" in texts[CY]
    assert "secret" not in texts[DEE]


def test_completion_of_mentions_and_recipients_finds_them() -> None:
    state = people()
    offered = completions_at(state, "hello @lynx", 11)
    assert offered is not None
    assert [one.insert for one in offered.completions] == ["@**Bo Ray** ", "@**Cy Moe** "]
    assert [one.detail for one in offered.completions] == ["bo@host.example", ""]
    start, completions = recipient_names(state, "Ana Lund, lyn")
    assert start == 10
    assert [one.insert for one in completions] == ["Bo Ray, ", "Cy Moe, "]
