"""People of the demo world who read, type, reply and react, in virtual time."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from narrowcast_assets.emoji import emoji_names
from narrowcast_server.demo import alive
from narrowcast_server.demo.files import EMOJI
from narrowcast_server.demo.people import HUMANS, demo_users
from narrowcast_server.demo.replies import DEFAULT_REACTIONS, DEFAULTS, RULES, Voice, without_quotes
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.event_variants import QueueOptions
from narrowcast_server.organization.events import EventQueue
from narrowcast_server.organization.models import FlagBit, Message
from narrowcast_server.organization.organization import Organization
from narrowcast_server.resources.messages.sending import send_direct, send_to_channel
from support import world
from support.clock import VirtualClock

LISTENS = QueueOptions(capabilities=frozenset({"stream_typing_notifications"}))


class Town:
    """The demo world with its people active, and its virtual clock."""

    def __init__(self, organization: Organization, clock: VirtualClock) -> None:
        self.organization = organization
        self.clock = clock
        self.users = demo_users(organization)
        self.queue: EventQueue = organization.hub.register(self.users["ada"].id, LISTENS)
        self.start = organization.store.integer("SELECT max(id) FROM messages") or 0

    async def pass_time(self, seconds: float) -> None:
        """Advances the clock in steps of half a second."""
        for _ in range(int(seconds * 2)):
            await self.clock.advance(0.5)

    def write(self, name: str, channel: str, topic: str, text: str) -> int:
        """Sends a message to a topic and returns its id."""
        place = next(one for one in self.organization.channels.all() if one.name == channel)
        with self.organization.transaction():
            return send_to_channel(self.organization, self.users[name], place, topic, text).id

    def tell(self, name: str, others: list[str], text: str) -> int:
        """Sends a direct message and returns its id."""
        with self.organization.transaction():
            return send_direct(
                self.organization, self.users[name], [self.users[one] for one in others], text
            ).id

    def said(self, after: int) -> list[Message]:
        """The messages that the demo's people have sent after a message."""
        rows = self.organization.store.all(
            "SELECT * FROM messages WHERE id > ? AND client = 'narrowcast-demo' ORDER BY id", after
        )
        return [Message.of(row) for row in rows]

    def events(self, kind: str) -> list[dict[str, object]]:
        """Ada's events of a type so far."""
        events = (json.loads(text) for _, text in self.queue.events)
        return [event for event in events if event["type"] == kind]


@asynccontextmanager
async def town(path: Path, seed: int = 1) -> AsyncIterator[Town]:
    """A world whose people are active until the end of the block."""
    clock = VirtualClock()
    if not any(path.iterdir()):
        world.lay_out_demo(path, clock.now())
    organization = Organization(path, ServerConfig(durable=False), clock)
    living = asyncio.create_task(alive(organization, random.Random(seed)))
    try:
        await clock.settle()
        yield Town(organization, clock)
    finally:
        living.cancel()
        await asyncio.gather(living, return_exceptions=True)
        organization.close()


@pytest.mark.parametrize("seed", range(3))
async def test_demo_users_type_and_answer_direct_messages(tmp_path: Path, seed: int) -> None:
    async with town(tmp_path, seed) as here:
        asked = here.tell("ada", ["dario"], "Hi Dario, does the test pass?")
        await here.pass_time(12)
        (answer,) = [one for one in here.said(asked) if one.channel_id is None]
        assert answer.sender_id == here.users["dario"].id
        typing = [event for event in here.events("typing") if event["message_type"] == "direct"]
        assert [event["op"] for event in typing] == ["start", "stop"]


async def test_demo_people_who_are_mentioned_answer_in_the_topic(tmp_path: Path) -> None:
    async with town(tmp_path) as here:
        asked = here.write("ada", "engineering", "gusts read too high", "@**Greta Lindqvist** is it windy?")
        await here.pass_time(12)
        answers = [one for one in here.said(asked) if one.topic == "gusts read too high"]
        assert [one.sender_id for one in answers] == [here.users["greta"].id]
        typing = [event for event in here.events("typing") if event.get("topic") == "gusts read too high"]
        assert [event["op"] for event in typing] == ["start", "stop"]


async def test_several_messages_in_a_row_get_one_answer_and_no_typing_is_left_over(tmp_path: Path) -> None:
    async with town(tmp_path) as here:
        first = here.tell("ada", ["bruno"], "Hello!")
        for text in ("I wanted to ask", "whether the boards", "have come yet?"):
            await here.pass_time(2.5)
            here.tell("ada", ["bruno"], text)
        await here.pass_time(15)
        assert len([one for one in here.said(first) if one.channel_id is None]) == 1
        operations = [event["op"] for event in here.events("typing") if event["message_type"] == "direct"]
        assert operations.count("start") == operations.count("stop")


async def test_people_do_not_answer_each_other_without_end(tmp_path: Path) -> None:
    async with town(tmp_path) as here:
        asked = here.write("ada", "random", "the goat", "Has anybody seen the goat?")
        await here.pass_time(120)
        assert len([one for one in here.said(asked) if "goat" in one.topic and one.timestamp]) <= 2


async def test_the_newcomer_has_unread_messages_however_late_she_logs_in(tmp_path: Path) -> None:
    async with town(tmp_path) as here:
        await here.pass_time(60)
        unread = here.organization.store.integers(
            "SELECT message_id FROM user_messages WHERE user_id = ? AND flags & 1 = 0", here.users["ada"].id
        )
        assert len(unread) >= 15


async def test_the_demo_does_not_act_for_users_who_have_made_a_request(tmp_path: Path) -> None:
    async with town(tmp_path) as here:
        here.organization.callers.add(here.users["dario"].id)
        asked = here.tell("ada", ["dario"], "Is that really you?")
        await here.pass_time(60)
        assert not [one for one in here.said(asked) if one.sender_id == here.users["dario"].id]
        unread = here.organization.store.integers(
            "SELECT message_id FROM user_messages WHERE user_id = ? AND flags & 1 = 0", here.users["dario"].id
        )
        assert asked in unread


async def test_the_demo_does_not_act_for_users_who_are_signed_in(tmp_path: Path) -> None:
    async with town(tmp_path) as here:
        here.organization.hub.register(here.users["dario"].id, LISTENS)
        asked = here.tell("ada", ["dario"], "Is that really you?")
        await here.pass_time(400)
        dario = here.users["dario"].id
        assert all(one.sender_id != dario for one in here.said(asked))
        assert not here.organization.store.one(
            "SELECT 1 FROM reactions WHERE user_id = ? AND message_id > ?", dario, asked
        )


async def test_demo_users_mark_messages_as_read(tmp_path: Path) -> None:
    async with town(tmp_path) as here:
        written = here.write("ada", "general", "news", "The boards are here.")
        await here.pass_time(90)
        unread = here.organization.store.all(
            "SELECT user_id FROM user_messages WHERE message_id = ? AND flags & ? = 0",
            written,
            int(FlagBit.READ),
        )
        assert unread == []


async def test_demo_users_react_and_are_present_over_time(tmp_path: Path) -> None:
    async with town(tmp_path) as here:
        for number in range(12):
            here.write("ada", "onboarding", "welcome", f"Trying this out, part {number}")
            await here.pass_time(12)
        assert here.events("reaction")
        assert {event["user_id"] for event in here.events("presence")} >= {here.users["chiyo"].id}


async def test_demo_users_talk_only_while_a_client_is_connected(tmp_path: Path) -> None:
    async with town(tmp_path) as here:
        here.organization.hub.end(here.queue)
        await here.pass_time(120)
        assert here.said(here.start) == []
        here.organization.hub.register(here.users["ada"].id, LISTENS)
        await here.pass_time(600)
        assert 2 <= len(here.said(here.start)) <= 12


async def test_in_announcement_channels_demo_users_only_react(tmp_path: Path) -> None:
    async with town(tmp_path) as here:
        for number in range(6):
            asked = here.write("ada", "announcements", f"news {number}", "What do you think?")
            await here.pass_time(12)
            speakers = {one.sender_id for one in here.said(asked) if one.topic.startswith("news")}
            assert speakers <= {here.users["bruno"].id, here.users["chiyo"].id}


async def test_demo_users_vote_in_a_poll(tmp_path: Path) -> None:
    async with town(tmp_path) as here:
        poll = here.write("ada", "general", "lunch", "/poll Lunch?\nsoup\nnoodles")
        await here.pass_time(25)
        votes = [json.loads(str(event["content"])) for event in here.events("submessage")]
        assert len(votes) >= 2
        assert {vote["key"] for vote in votes} <= {"canned,0", "canned,1"}
        assert {event["message_id"] for event in here.events("submessage")} == {poll}
        assert len({event["sender_id"] for event in here.events("submessage")}) == len(votes)


def test_every_reaction_of_the_rules_exists() -> None:
    names = {name for rule in RULES for name in rule.reactions} | set(DEFAULT_REACTIONS)
    assert names <= emoji_names().name_to_code.keys() | EMOJI.keys()


def test_every_emoji_in_an_answer_exists() -> None:
    known = emoji_names().name_to_code.keys() | EMOJI.keys()
    lines = [
        line for rule in (*(rule.lines for rule in RULES), DEFAULTS) for own in rule.values() for line in own
    ]
    assert {name for line in lines for name in re.findall(r":([a-z_]+):", line)} <= known


@pytest.mark.parametrize("speaker", [person.key for person in HUMANS])
@pytest.mark.parametrize(
    "text", ["hello", "thank you!", "what?", "```\ncode\n```", "", "日本語", "the goat", "no"]
)
def test_every_demo_user_has_an_answer_to_any_message(speaker: str, text: str) -> None:
    assert Voice(random.Random(0)).answer(speaker, text)


def test_no_demo_user_repeats_an_answer_immediately() -> None:
    voice = Voice(random.Random(0))
    said = [voice.answer("dario", "thank you") for _ in range(4)]
    assert all(one != other for one, other in itertools.pairwise(said))


def test_a_greeting_with_a_question_is_answered_as_a_question() -> None:
    answers = {
        Voice(random.Random(seed)).answer("farid", "Hi Farid, how do the gusts look?") for seed in range(9)
    }
    gusts = next(rule.lines for rule in RULES if rule.pattern.search("gusts"))
    assert answers <= {*gusts["farid"], *gusts["*"]}


def test_quotes_and_names_do_not_affect_the_choice_of_an_answer() -> None:
    text = "@_**Greta Lindqvist|8** [said](#narrow/near/3):\n```quote\nthe goat\n```\n> goat\nlunch"
    assert without_quotes(text) == "lunch"


async def test_after_a_restart_demo_people_do_not_repeat_themselves(tmp_path: Path) -> None:
    async with town(tmp_path) as here:
        await here.pass_time(1500)
        before = [one.content for one in here.said(here.start)]
    assert any("Hi Ada!" in text for text in before)
    async with town(tmp_path) as here:
        await here.pass_time(1500)
        after = [one.content for one in here.said(here.start)]
    assert after
    assert not set(before) & set(after)
