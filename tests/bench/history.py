"""The server with a million messages compared to ten thousand: pages, searches, registration."""

from __future__ import annotations

import json
from collections.abc import Callable
from statistics import median

import httpx2

from bench.results import Row, ms
from bench.servers import Served
from bench.watched import cpu_seconds

ROUNDS = 15
MAX_RATIO = 1.5
"""The budget, as a multiple of the work with ten thousand messages."""

Ask = Callable[[httpx2.Client, int], httpx2.Response]


def measure(small: Served, large: Served) -> list[Row]:
    """Measures the server's work for each request, with many and with few messages."""
    with _client(small) as few, _client(large) as many:
        return [_row(what, ask, (small, few), (large, many)) for what, ask in _requests().items()]


def _client(served: Served) -> httpx2.Client:
    return httpx2.Client(
        base_url=f"{served.url}/api/v1", auth=served.auth("ada"), trust_env=False, timeout=120
    )


def _requests() -> dict[str, Ask]:
    def page(anchor: str | None, *terms: tuple[str, object]) -> Ask:
        def ask(client: httpx2.Client, newest: int) -> httpx2.Response:
            params = {
                "anchor": anchor or newest // 2,
                "num_before": 50,
                "num_after": 50,
                "narrow": json.dumps([{"operator": name, "operand": operand} for name, operand in terms]),
            }
            return client.get("/messages", params=params)

        return ask

    channel, topic = ("channel", "channel 7"), ("topic", "topic 3")
    return {
        "page, newest": page("newest"),
        "page, oldest": page("oldest"),
        "page, in the middle": page(None),
        "page, first unread": page("first_unread"),
        "page, channel": page("newest", channel),
        "page, topic": page("newest", channel, topic),
        "page, topic, in the middle": page(None, channel, topic),
        "page, sender": page("newest", ("sender", "bruno@demo.example")),
        "page, unread": page("newest", ("is", "unread")),
        "page, starred": page("newest", ("is", "starred")),
        "search, common word": page("newest", ("search", "gateway")),
        "search, rare word": page("newest", ("search", "needle")),
        "search, two words": page("newest", ("search", "gateway needle")),
        "search, common word in a channel": page("newest", channel, ("search", "gateway")),
        "search, no such word": page("newest", ("search", "nonexistent")),
        "topics of a channel": lambda client, _: client.get(
            f"/users/me/{client.get('/get_stream_id', params={'stream': 'channel 7'}).json()['stream_id']}/topics"
        ),
        "register": lambda client, _: client.post("/register", data={"apply_markdown": "true"}),
    }


def _row(what: str, ask: Ask, few: tuple[Served, httpx2.Client], many: tuple[Served, httpx2.Client]) -> Row:
    times: dict[int, list[float]] = {0: [], 1: []}
    for _ in range(ROUNDS):
        for number, (served, client) in enumerate((few, many)):
            newest = 1_000_000 if number else 10_000
            before = cpu_seconds(served.pid)
            ask(client, newest).raise_for_status()
            times[number].append(cpu_seconds(served.pid) - before)
    less, more = median(times[0]), median(times[1])
    ratio = more / less
    return Row(
        f"{what}, 1,000,000 messages (server's work)",
        ms(more),
        f"10,000 messages {ms(less)}",
        ratio,
        f"<= {MAX_RATIO}",
        ratio <= MAX_RATIO,
    )
