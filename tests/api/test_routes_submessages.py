"""Votes and changes of polls and to-do lists."""

from __future__ import annotations

import json

import pytest

from narrowcast_api.errors import InvalidInput
from support.api import scripted_client


async def test_polls_and_tasks_are_parts_of_json() -> None:
    async with scripted_client() as (client, transport):

        async def sent() -> object:
            params = transport.last.params
            assert (params["message_id"], params["msg_type"]) == ("5", "widget")
            value: object = json.loads(params["content"])
            return value

        for _ in range(6):
            transport.prepare("POST", "/api/v1/submessage")
        polls = client.submessages
        await polls.vote(message_id=5, option_key="canned,0")
        assert await sent() == {"type": "vote", "key": "canned,0", "vote": 1}
        await polls.vote(message_id=5, option_key="7,1", yes=False)
        assert await sent() == {"type": "vote", "key": "7,1", "vote": -1}
        await polls.add_option(message_id=5, number=1, option="tea")
        assert await sent() == {"type": "new_option", "idx": 1, "option": "tea"}
        await polls.change_question(message_id=5, question="what?")
        assert await sent() == {"type": "question", "question": "what?"}
        await polls.add_task(message_id=5, number=1, task="z")
        assert await sent() == {"type": "new_task", "key": 1, "task": "z", "desc": "", "completed": False}
        await polls.toggle_task(message_id=5, task_key="0,canned")
        assert await sent() == {"type": "strike", "key": "0,canned"}
        with pytest.raises(InvalidInput):
            await polls.send(message_id=5, content=object())
