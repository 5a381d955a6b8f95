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


async def test_only_the_sender_can_attach_the_first_submessage(
    server: TestServer,
) -> None:
    vote = {"message_id": await server.send("ada", "general", "t"), "msg_type": "widget", "content": "{}"}
    refusal = await server.refusal("dario", "POST", "/submessage", vote)
    assert refusal["msg"] == "You cannot attach a submessage to this message."
    refusal = await server.refusal("ada", "POST", "/submessage", vote)
    assert refusal["msg"] == "Widget not found on this message"
