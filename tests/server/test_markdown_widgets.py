"""Polls, to-do lists and their submessages."""

import pytest

from narrowcast_server.markdown import check_submessage, widget_for
from support.server import TestServer


def test_a_poll_has_a_question_and_options() -> None:
    assert widget_for("/poll Lunch?\n- yes\n\nno ") == {
        "widget_type": "poll",
        "extra_data": {"question": "Lunch?", "options": ["yes", "no"]},
    }


def test_a_poll_may_be_empty() -> None:
    assert widget_for("/poll") == {"widget_type": "poll", "extra_data": {"question": "", "options": []}}


def test_a_todo_list_has_a_title_and_tasks() -> None:
    assert widget_for("/todo Release\nbuild: both boards\ntag") == {
        "widget_type": "todo",
        "extra_data": {
            "task_list_title": "Release",
            "tasks": [{"task": "build", "desc": "both boards"}, {"task": "tag", "desc": ""}],
        },
    }


@pytest.mark.parametrize("source", ["hello", "/polling x", "a /poll x", "/me polls", ""])
def test_other_messages_carry_no_widget(source: str) -> None:
    assert widget_for(source) is None


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("poll", {"type": "vote", "key": "1,0", "vote": 1}),
        ("poll", {"type": "vote", "key": "canned,0", "vote": -1}),
        ("poll", {"type": "new_option", "idx": 1, "option": "maybe"}),
        ("todo", {"type": "new_task", "key": 2, "task": "x", "desc": "", "completed": False}),
        ("todo", {"type": "strike", "key": "2,1"}),
    ],
)
def test_any_user_may_vote_and_add_options(kind: str, data: object) -> None:
    assert check_submessage(kind, data, is_author=False) is None


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("poll", {"type": "question", "question": "?"}),
        ("todo", {"type": "new_task_list_title", "title": "t"}),
    ],
)
def test_only_the_author_can_change_the_question(kind: str, data: object) -> None:
    assert check_submessage(kind, data, is_author=True) is None
    assert "unless you are the author" in (check_submessage(kind, data, is_author=False) or "")


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("poll", []),
        ("poll", {}),
        ("poll", {"type": ["vote"]}),
        ("poll", {"type": "strike", "key": "1"}),
        ("poll", {"type": "vote", "key": 1, "vote": 1}),
        ("poll", {"type": "vote", "key": "1,0", "vote": 2}),
        ("poll", {"type": "vote", "key": "1,0", "vote": 1, "more": "x"}),
        ("poll", {"type": "vote", "key": "1,0", "vote": True}),
        ("poll", {"type": "new_option", "idx": 1, "option": "x" * 2000}),
        ("todo", {"type": "new_task", "key": 2, "task": "x", "completed": False}),
    ],
)
def test_invalid_submessages_are_rejected_with_a_reason(kind: str, data: object) -> None:
    assert check_submessage(kind, data, is_author=True)


def test_lists_in_commands_have_dashes_and_asterisks_as_bullets() -> None:
    options = widget_for("/poll Lunch?\n-yes\n* no\n+ more\n-")
    assert options == {
        "widget_type": "poll",
        "extra_data": {"question": "Lunch?", "options": ["yes", "no", "+ more"]},
    }


def test_a_colon_without_a_space_does_not_end_a_task() -> None:
    made = widget_for("/todo\nmeet at 10:30\ncall: 555")
    assert made is not None
    assert made["extra_data"] == {
        "task_list_title": "",
        "tasks": [{"task": "meet at 10:30", "desc": ""}, {"task": "call", "desc": "555"}],
    }


async def test_only_the_sender_can_attach_the_first_submessage(server: TestServer) -> None:
    sent = await server.send("ada", "general", "t")
    data = {"message_id": sent, "msg_type": "anything", "content": "[1]"}
    refusal = await server.refusal("dario", "POST", "/submessage", data | {"content": "no JSON"})
    assert refusal["msg"] == "You cannot attach a submessage to this message."
    await server.call("ada", "POST", "/submessage", data)
    await server.call("dario", "POST", "/submessage", data | {"msg_type": "widget"})
    (message,) = (await server.call("elif", "GET", "/messages", {"message_ids": [sent]}))["messages"]
    assert [(one["msg_type"], one["content"]) for one in message["submessages"]] == [
        ("anything", "[1]"),
        ("widget", "[1]"),
    ]


async def test_who_votes_follows_the_topic_if_taking_part_does(server: TestServer) -> None:
    sent = await server.send("ada", "general", "lunch", "/poll Soup?")
    await server.call("dario", "PATCH", "/settings", {"automatically_follow_topics_policy": 1})
    vote = {"message_id": sent, "msg_type": "widget", "content": '{"type": "vote", "key": "1,0", "vote": 1}'}
    listener = await server.listen("dario", event_types=["user_topic"])
    await server.call("dario", "POST", "/submessage", vote)
    (event,) = await listener.events()
    assert (event["topic_name"], event["visibility_policy"]) == ("lunch", 3)
