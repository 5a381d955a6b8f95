"""A model of the service in memory: what sessions request, with queues, and nothing that takes time.

It has the rules that matter to a client (ids grow, events reach every queue of their users in order, drafts
are trimmed, an expired queue is unknown) and is small enough to be correct at a glance.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from hashlib import sha256
from typing import Any

from simulation.drafts import Drafts
from simulation.organization import SimulatedOrganization
from simulation.queues import Params, Queues, Refused, Row
from simulation.stored import Stored, details_of, unread_of, versions_of

LEVEL = 442
PEOPLE = {1: "Ada", 2: "Bruno", 3: "Chiyo"}


class Service:
    """One organization. `handle` processes a request; `now` returns seconds since 1970. `reads` are the messages
    that each user marked as read by a request.
    """

    def __init__(self, now: Callable[[], float], monotonic: Callable[[], float]) -> None:
        self._now = now
        self.level = LEVEL
        self.reads: dict[int, set[int]] = {}
        self.messages: dict[int, Stored] = {}
        self._queues = Queues(monotonic)
        self.organization = SimulatedOrganization(self._queues, set(PEOPLE))
        self.drafts_model = self._drafts = Drafts(self._queues, self.number, now)
        self.drafts = self._drafts.rows
        self.sends: list[tuple[int, str]] = []
        self._first: dict[int, int] = {}
        """Channel to its first message, also if that was deleted."""
        self._numbers = 100

    def number(self) -> int:
        self._numbers += 1
        return self._numbers

    # requests

    async def handle(self, user_id: int, method: str, path: str, params: Params) -> Row:
        """Returns the response to one request. Raises Refused."""
        self._queues.expire()
        if method == "GET" and path == "/events":
            return await self._queues.events(user_id, params)
        first, _, rest = path.strip("/").partition("/")
        known: dict[tuple[str, str], Callable[[int, Params, str], Row]] = {
            ("GET", "server_settings"): self._server_settings,
            ("POST", "register"): self.register,
            ("DELETE", "events"): self._queues.forget,
            ("GET", "messages"): self._get_messages,
            ("POST", "messages"): self._post_messages,
            ("PATCH", "messages"): self._edit,
            ("DELETE", "messages"): self._delete_message,
            ("GET", "drafts"): self._drafts.get,
            ("POST", "drafts"): self._drafts.add,
            ("PATCH", "drafts"): self._drafts.edit,
            ("DELETE", "drafts"): self._drafts.delete,
            ("POST", "typing"): lambda user, given, more: {},
            ("GET", "users"): self._topics,
            ("POST", "users"): lambda user, given, more: {"presences": {}, "server_timestamp": self._now()},
        }
        act = known.get((method, first))
        if act is None:
            raise Refused("BAD_REQUEST", f"{method} {path} is not part of the model", 404)
        return {"result": "success", "msg": "", **act(user_id, params, rest)}

    def _server_settings(self, user_id: int, params: Params, rest: str) -> Row:
        return {"zulip_feature_level": self.level, "zulip_version": "12.0", "realm_name": "Simulated"}

    def register(self, user_id: int, params: Params, rest: str) -> Row:
        """POST /register: a queue, and the current state."""
        queue = self._queues.add(f"queue-{self.number()}", user_id)
        mine = [m for m in self.messages.values() if self.may_read(m, user_id)]
        newest: dict[tuple[int, ...], int] = {}
        for message in sorted(mine, key=lambda m: m.id):
            if message.place[0] == "private":
                newest[tuple(i for i in message.place[1] if i != user_id)] = message.id
        return {
            "queue_id": queue.id,
            "last_event_id": -1,
            "zulip_feature_level": self.level,
            "zulip_version": "12.0",
            "user_id": user_id,
            "email": f"user{user_id}@demo.example",
            "full_name": PEOPLE[user_id],
            "max_message_id": max((m.id for m in mine), default=-1),
            "max_message_length": 10000,
            "max_topic_length": 60,
            "event_queue_longpoll_timeout_seconds": 90,
            "server_timestamp": self._now(),
            "server_typing_started_expiry_period_milliseconds": 45000,
            "server_typing_started_wait_period_milliseconds": 30000,
            "server_typing_stopped_wait_period_milliseconds": 12000,
            "server_presence_ping_interval_seconds": 600,
            "realm_users": [
                {"user_id": i, "full_name": n, "email": f"user{i}@demo.example", "role": 400, "is_bot": False}
                for i, n in PEOPLE.items()
            ],
            "realm_non_active_users": [],
            "cross_realm_bots": [],
            **self.organization.of(user_id, self._first),
            "unread_msgs": unread_of(mine, user_id),
            "starred_messages": sorted(m.id for m in mine if "starred" in m.flags.get(user_id, ())),
            "drafts": self._drafts.of(user_id),
            "recent_private_conversations": [
                {"user_ids": list(others), "max_message_id": newest_id}
                for others, newest_id in newest.items()
            ],
            "realm_user_groups": [],
        }

    def expire_queues(self, user_id: int) -> None:
        """Drops the queues, as after a server restart."""
        self._queues.lose(user_id)

    # messages

    @staticmethod
    def may_read(message: Stored, user_id: int) -> bool:
        """Whether a user can see a message."""
        return message.place[0] == "stream" or user_id in message.place[1]

    def _readers(self, message: Stored) -> set[int]:
        return {user_id for user_id in PEOPLE if self.may_read(message, user_id)}

    def _as_sent(self, message: Stored, user_id: int, *, source: bool = False) -> Row:
        content = message.content if source else f"<p>{message.content}</p>"
        row: Row = {
            "id": message.id,
            "type": message.place[0],
            "sender_id": message.sender,
            "sender_full_name": PEOPLE[message.sender],
            "sender_email": f"user{message.sender}@demo.example",
            "content": content,
            "timestamp": message.timestamp,
            "reactions": list(message.reactions),
            "submessages": [],
            "flags": sorted(message.flags.get(user_id, set())),
        }
        if message.edited:
            row["last_edit_timestamp"] = message.edited
        if message.place[0] == "stream":
            _, channel, topic = message.place
            return {
                **row,
                "stream_id": channel,
                "display_recipient": self.organization.names[channel],
                "subject": topic,
            }
        people = [
            {"id": i, "email": f"user{i}@demo.example", "full_name": PEOPLE[i]} for i in message.place[1]
        ]
        return {**row, "display_recipient": people, "subject": ""}

    def say(
        self, sender: int, place: tuple[Any, ...], content: str, *, local: tuple[str, str] | None = None
    ) -> int:
        """Creates a message; `local` is (queue id, local id) of the client that sent it."""
        message = Stored(self.number(), sender, place, content.rstrip(), int(self._now()))
        message.flags[sender] = {"read"}
        self.messages[message.id] = message
        if place[0] == "stream":
            self._first.setdefault(place[1], message.id)
        self.sends.append((sender, content))
        for queue in self._queues.all():
            if self.may_read(message, queue.user_id):
                row = self._as_sent(message, queue.user_id)
                event: Row = {"type": "message", "flags": row.pop("flags"), "message": row}
                if local is not None and local[0] == queue.id:
                    event["local_message_id"] = local[1]
                queue.put(event)
        return message.id

    def _post_messages(self, user_id: int, params: Params, rest: str) -> Row:
        if rest == "flags":
            return self._flags(user_id, params)
        if rest.endswith("/reactions"):
            return self._react(user_id, params, int(rest.split("/")[0]), "add")
        content = params["content"]
        if not content.strip():
            raise Refused("BAD_REQUEST", "Message must not be empty")
        if params["type"] in ("stream", "channel"):
            place: tuple[Any, ...] = ("stream", int(json.loads(params["to"])), params.get("topic", ""))
        else:
            place = ("private", tuple(sorted({user_id, *json.loads(params["to"])})))
        local = (params["queue_id"], params["local_id"]) if "local_id" in params else None
        return {"id": self.say(user_id, place, content, local=local)}

    def _get_messages(self, user_id: int, params: Params, rest: str) -> Row:
        if rest:
            number, _, part = rest.partition("/")
            message = self._message(user_id, int(number))
            if part == "history":
                return {"message_history": versions_of(message)}
            source = params.get("apply_markdown") == "false"
            return {
                "message": self._as_sent(message, user_id, source=source),
                "raw_content": message.content,
            }
        terms = json.loads(params.get("narrow", "[]"))
        found = [self.messages[i] for i in self.messages_in(terms, user_id)]
        before, after = int(params.get("num_before", 0)), int(params.get("num_after", 0))
        anchor = params.get("anchor", "newest")
        unread = [m.id for m in found if "read" not in m.flags.get(user_id, ())]
        place = {
            "newest": 10**16,
            "oldest": 0,
            "first_unread": unread[0] if unread else 10**16,
        }.get(anchor)
        at = int(anchor) if place is None else place
        older = [m for m in found if m.id < at]
        newer = [m for m in found if m.id > at]
        exact = [m for m in found if m.id == at and params.get("include_anchor") != "false"]
        page = [*(older[-before:] if before else []), *exact, *newer[:after]]
        source = params.get("apply_markdown") == "false"
        return {
            "messages": [self._as_sent(m, user_id, source=source) for m in page],
            "anchor": at,
            "found_anchor": bool(exact),
            "found_oldest": len(older) <= before,
            "found_newest": len(newer) <= after,
            "history_limited": False,
        }

    def messages_in(self, terms: Sequence[Row], user_id: int) -> list[int]:
        """Returns what a user may read of a narrow, oldest first."""
        return sorted(
            i for i, m in self.messages.items() if self.may_read(m, user_id) and self._fits(m, terms, user_id)
        )

    def _fits(self, message: Stored, terms: Sequence[Row], user_id: int) -> bool:
        for term in terms:
            operator, operand = term["operator"], term["operand"]
            if operator in ("channel", "stream"):
                fits = message.place[0] == "stream" and message.place[1] == operand
            elif operator == "topic":
                fits = message.place[0] == "stream" and message.place[2].lower() == operand.lower()
            elif operator in ("dm", "pm-with"):
                people = operand if isinstance(operand, list) else [operand]
                fits = message.place[0] == "private" and set(message.place[1]) == {user_id, *people}
            elif operator == "sender":
                fits = message.sender == operand
            elif (operator, operand) == ("in", "home"):
                fits = not self.organization.hides(user_id, message.place)
            else:
                raise Refused("BAD_NARROW", f"{operator} is not part of the model")
            if fits is term.get("negated", False):
                return False
        return True

    def _topics(self, user_id: int, params: Params, rest: str) -> Row:
        """GET /users/me/{channel}/topics, newest first."""
        channel = int(rest.removeprefix("me/").removesuffix("/topics"))
        newest: dict[str, int] = {}
        for message_id, message in sorted(self.messages.items()):
            if message.place[:2] == ("stream", channel):
                newest[message.place[2]] = message_id
        named = [{"name": name, "max_id": newest_id} for name, newest_id in newest.items()]
        return {"topics": sorted(named, key=lambda topic: -topic["max_id"])}

    def _message(self, user_id: int, message_id: int) -> Stored:
        message = self.messages.get(message_id)
        if message is None or not self.may_read(message, user_id):
            raise Refused("BAD_REQUEST", "Invalid message(s)")
        return message

    def _flags(self, user_id: int, params: Params) -> Row:
        flag, op = params["flag"], params["op"]
        asked = json.loads(params["messages"])
        if (flag, op) == ("read", "add"):
            self.reads.setdefault(user_id, set()).update(asked)
        return self._change_flags(user_id, flag, op, asked)

    def mark_read(self, user_id: int, message_ids: Collection[int]) -> None:
        """Marks messages as read in another client of a user."""
        self._change_flags(user_id, "read", "add", sorted(message_ids))

    def _change_flags(self, user_id: int, flag: str, op: str, asked: Sequence[int]) -> Row:
        if flag != "read":
            for message_id in asked:
                self._message(user_id, message_id)  # FLG-14
        ids = [i for i in asked if i in self.messages]
        changed = [i for i in ids if (flag in self.messages[i].flags.get(user_id, ())) is (op == "remove")]
        for i in changed:
            own = self.messages[i].flags.setdefault(user_id, set())
            own.add(flag) if op == "add" else own.discard(flag)
        if changed:
            details = {str(i): details_of(self.messages[i], user_id) for i in changed}
            event: Row = {
                "type": "update_message_flags",
                "op": op,
                "flag": flag,
                "messages": changed,
                "all": False,
            }
            if flag == "read" and op == "remove":
                event["message_details"] = details
            self._queues.tell({user_id}, event)
        return {"messages": ids}

    def _react(self, user_id: int, params: Params, message_id: int, op: str) -> Row:
        message = self._message(user_id, message_id)
        reaction: Row = {
            "emoji_name": params["emoji_name"],
            "emoji_code": params.get("emoji_code", "1f44d"),
            "reaction_type": params.get("reaction_type", "unicode_emoji"),
            "user_id": user_id,
        }
        there = reaction in message.reactions
        if op == "add" and there:
            raise Refused("REACTION_ALREADY_EXISTS", "Reaction already exists.")
        if op == "remove" and not there:
            raise Refused("REACTION_DOES_NOT_EXIST", "Reaction doesn't exist.")
        message.reactions.append(reaction) if op == "add" else message.reactions.remove(reaction)
        self._queues.tell(
            self._readers(message), {"type": "reaction", "op": op, "message_id": message.id, **reaction}
        )
        return {}

    def _edit(self, user_id: int, params: Params, rest: str) -> Row:
        message = self._message(user_id, int(rest))
        if message.sender != user_id:
            raise Refused("BAD_REQUEST", "You don't have permission to edit this message")
        if params.get("prev_content_sha256", was := sha256(message.content.encode()).hexdigest()) != was:
            raise Refused("EXPECTATION_MISMATCH", "The message has another text")
        limit = self.organization.edit_limit
        if limit is not None and self._now() - message.timestamp > limit:
            raise Refused("BAD_REQUEST", "The time limit for editing this message has passed")
        self.edit(message.id, params["content"])
        return {}

    def edit(self, message_id: int, content: str) -> None:
        """Replaces the text of a message."""
        message = self.messages[message_id]
        message.earlier.append((message.edited or message.timestamp, message.content))
        message.content, message.edited = content.rstrip(), int(self._now())
        event: Row = {
            "type": "update_message",
            "user_id": message.sender,
            "rendering_only": False,
            "message_id": message_id,
            "message_ids": [message_id],
            "flags": [],
            "edit_timestamp": message.edited,
            "orig_content": "",
            "content": message.content,
            "rendered_content": f"<p>{message.content}</p>",
            "is_me_message": False,
        }
        for user_id in self._readers(message):
            self._queues.tell({user_id}, {**event, "flags": sorted(message.flags.get(user_id, set()))})

    def move(self, channel_id: int, topic: str, new_topic: str) -> None:
        """Moves all messages of a topic to another one."""
        moved = [m for m in self.messages.values() if m.place == ("stream", channel_id, topic)]
        for message in moved:
            message.place = ("stream", channel_id, new_topic)
        if not moved:
            return
        ids = sorted(message.id for message in moved)
        event: Row = {
            "type": "update_message",
            "user_id": 3,
            "rendering_only": False,
            "message_id": ids[-1],
            "message_ids": ids,
            "edit_timestamp": int(self._now()),
            "stream_id": channel_id,
            "orig_subject": topic,
            "subject": new_topic,
            "propagate_mode": "change_all",
            "topic_links": [],
        }
        for user_id in PEOPLE:
            self._queues.tell({user_id}, {**event, "flags": sorted(moved[-1].flags.get(user_id, set()))})

    def _delete_message(self, user_id: int, params: Params, rest: str) -> Row:
        if rest.endswith("/reactions"):
            return self._react(user_id, params, int(rest.split("/")[0]), "remove")
        message = self._message(user_id, int(rest))
        self.delete(message.id)
        return {}

    def delete(self, message_id: int) -> None:
        """Deletes a message."""
        message = self.messages.pop(message_id)
        event: Row = {"type": "delete_message", "message_ids": [message_id], "message_type": message.place[0]}
        if message.place[0] == "stream":
            event |= {"stream_id": message.place[1], "topic": message.place[2]}
        self._queues.tell(self._readers(message), event)
