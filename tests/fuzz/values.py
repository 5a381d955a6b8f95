"""Values for parameters: meaningful ones in the tests' organization, and invalid ones."""

from __future__ import annotations

import json
from random import Random
from typing import Final

BOOLEANS: Final = ("true", "false", "True", "1", '"true"', "null", "")
NUMBERS: Final = (
    "0", "1", "2", "3", "7", "12", "100", "200", "300", "400", "600", "5000", "5001", "-1", "-0", "007", "1.0", "1.5",
    "1e2", "1e308", "1e999", "-1e999", "NaN", "Infinity", "2147483648", "9007199254740992", "9007199254740993",
    "9223372036854775808", "1" * 30, "1" * 5_000, "१२", "0x10", "1_000", " 1 ", "+1", "null", "true", '"1"', "[1]",
)  # fmt: skip
TEXTS: Final = (
    "", " ", "x", "hello", "soup", "Ada Moreno", "general", "engineering", "*", "@**all**", "@**Ada Moreno|2**",
    "@*role:members*", "#**general>t**", "```python\nx\n```", "> quote", "$$x^2$$", "/me waves", "/poll a\nb", "/todo",
    "[x](javascript:alert(1))", "[x](/user_uploads/1/ab/x/a.png)", "<script>", "&amp;", "\x00", "a\x00b", "\x1b[2J",
    "\u202e", "\ud7ff", "e\u0301", "😀", "́", "\r\n", "\t", "%00", "%", "../../etc/passwd", "'", "\\", "' OR 1=1 --",
    "AND OR NOT NEAR", '"', "*", "(", "x*", "a" * 61, "a" * 256, "a" * 10_001, "a " * 5_000, "ada@demo.example", "a@b",
    "user2@demo.example", "https://x.example/{id}", "https://[::1", "#(?P<id>[0-9]+)", "(" * 50, "(a+)+$", "newest",
    "oldest", "first_unread", "everyone", "add", "remove", "start", "stop", "none", "read", "starred", "null", "[]",
)  # fmt: skip
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "type": ("direct", "channel", "stream", "private", "topic"),
    "op": ("add", "remove", "start", "stop"),
    "flag": ("read", "starred", "collapsed", "mentioned", "is_me_message"),
    "anchor": ("newest", "oldest", "first_unread", "0", "1", "10000000000000000"),
    "propagate_mode": ("change_one", "change_later", "change_all"),
    "emoji_name": ("+1", "heart", "tada", "zulip", "nothing_like_it"),
    "emoji_code": ("1f44d", "2764", "zulip", "1"),
    "reaction_type": ("unicode_emoji", "realm_emoji", "zulip_extra_emoji", "service_extra_emoji"),
    "status": ("active", "idle"),
    "msg_type": ("widget", "x"),
    "field_type": ("1", "2", "3", "4", "5", "6", "7", "8"),
    "topics_policy": ("inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"),
    "include_subscribers": ("true", "false", "partial"),
    "timezone": ("UTC", "Europe/Berlin", "", "Mars/Base"),
    "password": ("correct horse battery staple", "x", "x" * 200),
    "report_type": ("spam", "harassment", "inappropriate", "norms", "other"),
}
OPERATORS: Final = (
    "channel", "stream", "topic", "dm", "pm-with", "dm-including", "group-pm-with", "sender", "from", "is", "has", "id",
    "near", "with", "search", "channels", "streams", "in", "-is", "x", "mentions",
)  # fmt: skip
OPERANDS: Final = (
    "dm", "private", "starred", "mentioned", "unread", "alerted", "resolved", "followed", "muted", "link", "image",
    "attachment", "reaction", "home", "all", "public", "web-public", "archived",
)  # fmt: skip


def text(random: Random) -> str:
    """A text from `TEXTS`, or two of them joined."""
    chosen = random.choice(TEXTS)
    return chosen + random.choice(TEXTS) if random.random() < 0.15 else chosen


def identity(random: Random) -> int:
    """An id; most of them exist."""
    return random.choice((random.randint(-1, 30), random.randint(1, 14), random.randint(1, 14), 2**53, 10**6))


def scalar(random: Random) -> object:
    """A value for an item of a list or an object."""
    return random.choice((identity(random), text(random), None, True, False, 1.5, -1, 2**70, [], {}))


def json_text(random: Random, depth: int = 0) -> object:
    """Any JSON value, possibly nested."""
    kind = random.random()
    if kind < 0.5 or depth > 3:
        return scalar(random)
    if kind < 0.75:
        return [json_text(random, depth + 1) for _ in range(random.randint(0, 4))]
    keys = ("name", "id", "type", "to", "topic", "content", "op", "property", "value", "new", "old", "direct_members",
            "direct_subgroups", "stream_id", "operator", "operand", "negated", "timestamp", "color", "x")  # fmt: skip
    return {random.choice(keys): json_text(random, depth + 1) for _ in range(random.randint(0, 4))}


def narrow(random: Random) -> list[object]:
    """Narrow terms, as objects or pairs."""
    terms: list[object] = []
    for _ in range(random.randint(0, 4)):
        operator = random.choice(OPERATORS)
        operand = random.choice((random.choice(OPERANDS), text(random), identity(random), [identity(random)]))
        pair = random.random() < 0.3
        terms.append(
            [operator, operand] if pair else {"operator": operator, "operand": operand, "negated": pair}
        )
    return terms


def large(random: Random) -> str:
    """A value of about the maximum size of a request."""
    return random.choice(
        (
            json.dumps(list(range(30_000))),
            json.dumps([1] * 100_000),
            "[" * 50_000,
            json.dumps([f"word {number}" for number in range(20_000)]),
            json.dumps([{"name": f"channel {number}"} for number in range(10_000)]),
            json.dumps({f"key {number}": number for number in range(10_000)}),
            "x" * 500_000,
            "```java\n" + "a\n" * 4_900 + "```",
            "*a " * 3_300,
            "[[" * 5_000,
        )
    )


def value(random: Random, name: str) -> str:
    """A value for the parameter of that name."""
    chance = random.random()
    if chance < 0.004:
        return large(random)
    if name in CHOICES and chance < 0.7:
        return random.choice(CHOICES[name])
    if name == "narrow" and chance < 0.85:
        return json.dumps(narrow(random))
    if ("_group" in name or name == "can_create_groups") and chance < 0.8:
        setting = random.choice(
            (identity(random), {"direct_members": [identity(random)], "direct_subgroups": [identity(random)]})
        )
        return json.dumps({"new": setting} if random.random() < 0.8 else setting)
    if (
        name.endswith(("_id", "_ids", "to", "messages", "members", "principals", "subscribers"))
        and chance < 0.8
    ):
        ids = [identity(random) for _ in range(random.randint(0, 4))]
        return json.dumps(random.choice((identity(random), ids)))
    if name in ("subscriptions", "drafts", "subscription_data", "draft", "storage", "data") and chance < 0.7:
        return json.dumps(random.choice((structure(random, name), [structure(random, name)])))
    return random.choice(
        (
            random.choice(NUMBERS),
            random.choice(BOOLEANS),
            text(random),
            text(random),
            json.dumps(json_text(random)),
        )
    )


def structure(random: Random, name: str) -> object:
    """An object as the parameter of that name takes it, sometimes with an invalid value."""
    forms: dict[str, dict[str, object]] = {
        "subscriptions": {"name": text(random), "description": text(random), "color": "#ff0000"},
        "subscription_data": {"stream_id": identity(random), "property": "color", "value": text(random)},
        "storage": {"a": "b"},
    }
    draft = {"type": "stream", "to": [identity(random)], "topic": text(random), "content": text(random)}
    form = {**forms.get(name, draft)}
    if random.random() < 0.4:
        form[random.choice(list(form))] = scalar(random)
    if random.random() < 0.3:
        form["timestamp"] = random.choice((0, -1, 1.5, 1e300, 2**60, "x", None))
    return form
