"""GET /messages/matches_narrow, and the operators that it shares with fetching messages."""

from __future__ import annotations

import pytest

from support.ledger import proves
from support.server import JsonObject, TestServer

NEWEST = {"anchor": "newest", "num_before": 100, "num_after": 0}


def term(operator: str, operand: object, *, negated: bool = False) -> dict[str, object]:
    return {"operator": operator, "operand": operand, "negated": negated}


async def ids(server: TestServer, name: str, *terms: dict[str, object]) -> list[int]:
    response = await server.call(
        name,
        "GET",
        "/messages",
        {**NEWEST, "narrow": list(terms)},
    )
    return [message["id"] for message in response["messages"]]


async def matches(server: TestServer, name: str, msg_ids: list[int], *terms: dict[str, object]) -> JsonObject:
    response = await server.call(
        name, "GET", "/messages/matches_narrow", {"msg_ids": msg_ids, "narrow": list(terms)}
    )
    found: JsonObject = response["messages"]
    return found


@proves("NAR-01", "NAR-04", "NAR-05", "NAR-06", "NAR-07", "NAR-08")
async def test_only_matching_messages_are_returned_with_the_match_marked(server: TestServer) -> None:
    yes = await server.send("ada", "general", "soup & bread", "hot **soup** today")
    no = await server.send("ada", "general", "soup & bread", "nothing here")
    found = await matches(server, "bruno", [yes, no], term("search", "hot soup"))
    assert list(found) == [str(yes)]
    assert found[str(yes)]["match_content"] == (
        '<p><span class="highlight">hot</span> <strong><span class="highlight">soup</span></strong> today</p>'
    )
    assert found[str(yes)]["match_subject"] == '<span class="highlight">soup</span> &amp; bread'


@proves("NAR-02", "NAR-03")
@pytest.mark.parametrize("absent", ["msg_ids", "narrow"])
async def test_both_parameters_are_required(server: TestServer, absent: str) -> None:
    fields: dict[str, object] = {"msg_ids": [1], "narrow": []}
    del fields[absent]
    refusal = await server.refusal("ada", "GET", "/messages/matches_narrow", fields)
    assert refusal["code"] == "BAD_REQUEST"


@proves("NAR-09", "NAR-10")
async def test_the_list_of_messages_has_the_same_match_fields(server: TestServer) -> None:
    message_id = await server.send("ada", "general", "lunch", "soup")
    narrow = [term("search", "soup")]
    response = await server.call(
        "bruno", "GET", "/messages", {"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow}
    )
    (message,) = response["messages"]
    found = await matches(server, "bruno", [message_id], *narrow)
    assert {key: message[key] for key in ("match_content", "match_subject")} == found[str(message_id)]
    shape = {
        "id", "sender_id", "content", "timestamp", "type", "display_recipient", "stream_id", "subject", "flags",
        "reactions", "sender_email", "sender_full_name", "is_me_message", "client", "recipient_id", "submessages",
        "topic_links", "avatar_url", "content_type", "sender_realm_str",
    }  # fmt: skip
    assert shape <= message.keys()


@proves("NAR-11")
async def test_an_unknown_operator_is_rejected(server: TestServer) -> None:
    fields = {"msg_ids": [1], "narrow": [term("xyz", "a")]}
    refusal = await server.refusal("ada", "GET", "/messages/matches_narrow", fields)
    assert refusal["code"] == "BAD_NARROW"
    assert refusal["msg"] == "Invalid narrow operator: unknown operator xyz"


@proves("NAR-12")
async def test_messages_that_the_user_cannot_see_do_not_match(server: TestServer) -> None:
    secret = await server.send_direct("ada", ["bruno"], "soup")
    private = await server.send("bruno", "operations", "soup", "soup")
    assert await matches(server, "elif", [secret, private, 999999], term("search", "soup")) == {}
    assert list(await matches(server, "bruno", [secret, private], term("search", "soup"))) == [
        str(secret),
        str(private),
    ]


@proves("NAR-13")
async def test_without_a_search_the_matches_contain_plain_values(server: TestServer) -> None:
    message_id = await server.send("ada", "general", "a < b", "text")
    found = await matches(server, "bruno", [message_id], term("channel", "general"))
    assert found[str(message_id)] == {"match_content": "<p>text</p>", "match_subject": "a &lt; b"}


async def test_every_search_operator_finds_the_expected_messages(server: TestServer) -> None:
    general = server.channel("general")
    plain = await server.send("ada", "general", "lunch", "first")
    link = await server.send("dario", "general", "✔ done", "see https://x.example/")
    mention = await server.send("dario", "engineering", "code", "ping @**Ada Moreno**")
    direct = await server.send_direct("bruno", ["ada"], "psst")
    group = await server.send_direct("bruno", ["ada", "chiyo"], "all of us")
    await server.call("ada", "POST", "/messages/flags", {"messages": [plain], "op": "add", "flag": "starred"})
    await server.call("ada", "POST", f"/messages/{link}/reactions", {"emoji_name": "tada"})
    await server.call(
        "ada", "POST", "/user_topics", {"stream_id": general, "topic": "lunch", "visibility_policy": 3}
    )
    await server.call(
        "ada", "POST", "/user_topics", {"stream_id": general, "topic": "✔ done", "visibility_policy": 1}
    )
    everything = [plain, link, mention, direct, group]
    bruno = server.id("bruno")
    expected: list[tuple[dict[str, object], list[int]]] = [
        (term("channel", "general"), [plain, link]),
        (term("stream", general), [plain, link]),
        (term("channel", "general", negated=True), [mention, direct, group]),
        (term("channels", "public"), [plain, link, mention]),
        (term("channels", "web-public"), []),
        (term("topic", "LUNCH"), [plain]),
        (term("subject", "code"), [mention]),
        (term("sender", "dario@demo.example"), [link, mention]),
        (term("from", server.id("dario")), [link, mention]),
        (term("dm", [bruno]), [direct]),
        (term("pm-with", "bruno@demo.example"), [direct]),
        (term("dm", [bruno, server.id("chiyo")]), [group]),
        (term("dm-including", server.id("chiyo")), [group]),
        (term("is", "dm"), [direct, group]),
        (term("is", "private"), [direct, group]),
        (term("is", "starred"), [plain]),
        (term("is", "mentioned"), [mention]),
        (term("is", "unread"), everything),
        (term("is", "resolved"), [link]),
        (term("is", "followed"), [plain]),
        (term("is", "muted"), [link]),
        (term("is", "alerted"), []),
        (term("has", "link"), [link]),
        (term("has", "reaction"), [link]),
        (term("has", "image"), []),
        (term("has", "attachment"), []),
        (term("id", mention), [mention]),
        (term("near", str(mention)), everything),
        (term("with", mention), [mention]),
        (term("with", direct), [direct]),
        (term("search", "psst"), [direct]),
        (term("search", '"all of us"'), [group]),
        (term("in", "home"), [plain, mention, direct, group]),
        (term("in", "all"), everything),
    ]
    # Whether own messages are read depends on the client that sent them; here none are.
    for condition, wanted in expected:
        assert await ids(server, "ada", condition) == wanted, condition


async def test_the_operator_with_follows_a_message_to_its_current_conversation(server: TestServer) -> None:
    first = await server.send("ada", "general", "old name")
    await server.call("ada", "PATCH", f"/messages/{first}", {"topic": "new name"})
    narrow = [term("channel", "general"), term("topic", "old name"), term("with", first)]
    assert first in await ids(server, "bruno", *narrow)


async def test_the_operator_with_falls_back_to_a_conversation_and_is_rejected_without_one(
    server: TestServer,
) -> None:
    sent = await server.send("ada", "general", "soup")
    unseen = term("with", await server.send("bruno", "operations", "soup"))
    assert await ids(server, "ada", term("channel", "general"), term("topic", "soup"), unseen) == [sent]
    for narrow in ([unseen], [term("channel", "general"), unseen], [term("topic", "soup"), unseen]):
        refusal = await server.refusal("ada", "GET", "/messages", {**NEWEST, "narrow": narrow})
        assert (refusal["code"], refusal["msg"]) == (
            "BAD_NARROW",
            "Invalid narrow operator: Invalid 'with' operator",
        )


async def test_operands_of_has_must_be_singular(server: TestServer) -> None:
    refusal = await server.refusal("ada", "GET", "/messages", {**NEWEST, "narrow": [term("has", "links")]})
    assert refusal["msg"] == "Invalid narrow operator: unknown 'has' operand links"


async def test_searching_folds_accents_and_case(server: TestServer) -> None:
    message_id = await server.send("ada", "general", "t", "Crème BRÛLÉE")
    assert await ids(server, "bruno", term("search", "creme brulee")) == [message_id]
    found = await matches(server, "bruno", [message_id], term("search", "creme"))
    assert found[str(message_id)]["match_content"] == '<p><span class="highlight">Crème</span> BRÛLÉE</p>'


async def test_search_text_is_not_interpreted_as_a_query_language(server: TestServer) -> None:
    message_id = await server.send("ada", "general", "t", "content")
    with_stop_words = ("content:*", "content OR", "content AND (", "-content NOT")
    for text in with_stop_words:
        assert await ids(server, "ada", term("search", text)) == [message_id], text
    with_other_words = ("NEAR(content", "topic:t", "channel:general", "soup OR content")
    for text in ('"', '""', "-", "*", "'", "\\", "a OR", *with_other_words):
        assert await ids(server, "ada", term("search", text)) == [], text


@pytest.mark.parametrize(
    ("operator", "operand"),
    [
        ("channel", "nosuch"),
        ("channel", 999999),
        ("channel", "operations"),
        ("sender", "nobody@demo.example"),
        ("dm", [999999]),
        ("is", "zzz"),
        ("has", "zzz"),
        ("channels", "zzz"),
        ("channels", "archived"),
        ("channel", "1"),
        ("-is", "dm"),
        ("id", "abc"),
    ],
)
async def test_meaningless_operands_are_rejected_as_a_bad_narrow(
    server: TestServer, operator: str, operand: object
) -> None:
    fields = {"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": [term(operator, operand)]}
    refusal = await server.refusal("elif", "GET", "/messages", fields)
    assert refusal["code"] == "BAD_NARROW"


async def test_the_id_of_a_hidden_channel_is_rejected_like_an_unknown_one(server: TestServer) -> None:
    for channel_id in (server.channel("operations"), 999_999):
        narrow = [term("channel", channel_id)]
        fields = {"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow}
        refusal = await server.refusal("elif", "GET", "/messages", fields)
        assert refusal["msg"] == f"Invalid narrow operator: unknown channel {channel_id}"


@pytest.mark.parametrize(
    "terms",
    [
        [term("channel", "general"), term("dm", [1])],
        [term("topic", "lunch"), term("is", "dm")],
        [term("channels", "public"), term("dm-including", 1)],
        [term("dm", [1]), term("is", "dm", negated=True)],
    ],
)
async def test_a_narrow_for_both_direct_and_channel_messages_is_rejected(
    server: TestServer, terms: list[dict[str, object]]
) -> None:
    fields = {"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": terms}
    assert (await server.refusal("ada", "GET", "/messages", fields))["code"] == "BAD_NARROW"
    negated = [term("channel", "general", negated=True), term("is", "dm")]
    await server.call("ada", "GET", "/messages", {**fields, "narrow": negated})


@pytest.mark.parametrize(
    ("operator", "operand"),
    [
        ("topic", 5),
        ("near", 5),
        ("search", [1]),
        ("search", " "),
        ("dm", 5),
        ("dm-including", [1, 2]),
        ("id", True),
        ("is", None),
    ],
)
async def test_an_operand_of_the_wrong_type_is_rejected(
    server: TestServer, operator: str, operand: object
) -> None:
    fields = {"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": [term(operator, operand)]}
    refusal = await server.refusal("ada", "GET", "/messages", fields)
    assert refusal["msg"].startswith(("Invalid narrow[0]: operand is ", "Invalid narrow[0]: operand cannot"))


async def test_terms_may_be_pairs_as_older_clients_send_them(server: TestServer) -> None:
    message_id = await server.send("ada", "general", "t")
    fields = {"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": [["stream", "general"]]}
    response = await server.call("bruno", "GET", "/messages", fields)
    assert [message["id"] for message in response["messages"]] == [message_id]


@pytest.mark.parametrize(
    ("written", "searched"),
    [
        (["gate", "gateway", "Gateways", "gate\u00e4", "gate7"], "gate"),
        ([f"gate{letter}" for letter in "abcdefghijklmnop"], "gate"),
        (["gate", "Gateway"], "ga"),
        (["the gateway fails", "fails at the gate"], "GATE fail"),
        (["gr\u00f6\u00dfer", "gr\u00f6\u00dfe"], "gr\u00f6\u00df"),
        (['say "hello world"', "hello worlds"], '"hello world"'),
        (["a-b gate", "a-bc gate"], "a-b"),
    ],
)
async def test_a_search_finds_words_by_prefix(server: TestServer, written: list[str], searched: str) -> None:
    expected = [await server.send("ada", "general", "t", text) for text in written]
    await server.send("ada", "general", "t", "nothing of the kind")
    for terms in ([], [{"operator": "channel", "operand": "general"}]):
        narrow = [*terms, {"operator": "search", "operand": searched}]
        fields = {"anchor": "newest", "num_before": 50, "num_after": 0, "narrow": narrow}
        rows = (await server.call("ada", "GET", "/messages", fields))["messages"]
        assert [row["id"] for row in rows] == expected
        negated = [*terms, {"operator": "search", "operand": searched, "negated": True}]
        others = (await server.call("ada", "GET", "/messages", {**fields, "narrow": negated}))["messages"]
        assert len(others) == 1


async def test_search_terms_and_flags_can_be_combined(server: TestServer) -> None:
    ids = [await server.send("dario", "general", "t", text) for text in ("gate one", "gate two", "three")]
    for flag, message_id in (("starred", ids[1]), ("starred", ids[2]), ("read", ids[1])):
        fields = {"messages": [message_id], "op": "add", "flag": flag}
        await server.call("elif", "POST", "/messages/flags", fields)
    terms = {
        "search": {"operator": "search", "operand": "gate"},
        "starred": {"operator": "is", "operand": "starred"},
        "unread": {"operator": "is", "operand": "unread"},
        "read": {"operator": "is", "operand": "unread", "negated": True},
        "one": {"operator": "search", "operand": "one"},
    }
    for names, expected in (
        (("search", "starred"), [ids[1]]),
        (("search", "unread"), [ids[0]]),
        (("starred", "unread"), [ids[2]]),
        (("starred", "read"), [ids[1]]),
        (("search", "one"), [ids[0]]),
        (("search", "one", "starred"), []),
    ):
        narrow = [terms[name] for name in names]
        page: JsonObject = {"anchor": "first_unread", "num_before": 50, "num_after": 50, "narrow": narrow}
        rows = (await server.call("elif", "GET", "/messages", page))["messages"]
        assert [row["id"] for row in rows] == expected, names
        matching = {"msg_ids": ids, "narrow": narrow}
        found = await server.call("elif", "GET", "/messages/matches_narrow", matching)
        assert sorted(map(int, found["messages"])) == expected, names


@pytest.mark.parametrize(
    ("words", "found"),
    [("the zebra", 1), ("the", 0), ('"over the hills"', 1), ('"over the"', 0), ("zebra of", 1), ("!", 0)],
)
async def test_a_search_ignores_stop_words_beside_other_words(
    server: TestServer, words: str, found: int
) -> None:
    await server.send("ada", "general", "animals", "A zebra lives over the hills")
    await server.send("ada", "general", "animals", "The others do not")
    assert len(await server.newest("ada", search=words)) == found


async def test_stop_words_are_not_marked_as_matches(server: TestServer) -> None:
    await server.send("ada", "general", "animals", "Then the zebra sang there")
    (row,) = await server.newest("ada", search="the zebra")
    assert row["match_content"] == '<p>Then the <span class="highlight">zebra</span> sang there</p>'


@pytest.mark.parametrize("negated", [False, True])
async def test_a_null_character_separates_the_words_of_a_search(server: TestServer, negated: bool) -> None:
    sent = [await server.send("ada", "general", "t", text) for text in ("soup and bread", "soup")]
    found = await ids(server, "bruno", term("search", "soup\0bread", negated=negated))
    assert (sent[0] in found) is not negated
    assert (sent[1] in found) is negated
