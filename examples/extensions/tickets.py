"""Tickets as cards: a link to the ticket system gets a card, and ``T-`` is completed with recently mentioned tickets.

[extensions.tickets]
site = "https://tickets.example.com/"
project = "T"
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from narrowcast.extend import App, Card, Extension, Link, Message, Offer

MAX_KEPT = 50


@dataclass(frozen=True)
class Settings:
    """``[extensions.tickets]``."""

    site: str = "https://tickets.example.com/"
    project: str = "T"

    def __post_init__(self) -> None:
        if not self.site.startswith(("https://", "http://")) or not self.site.endswith("/"):
            raise ValueError("site is a URL that ends with a slash, such as https://tickets.example.com/")
        if not re.fullmatch(r"[A-Z]{1,10}", self.project):
            raise ValueError("project is one to ten capital letters")


extension = Extension("tickets", "Tickets as cards", settings=Settings)

seen: dict[str, str] = {}
"""Ticket numbers, with the text of the last message that mentioned each."""


@extension.link_card(r"https?://")
def card(app: App[Settings], link: Link) -> Card | None:
    """A card for links to the ticket system, with the last message about the ticket."""
    if not link.url.startswith(app.settings.site):
        return None
    number = link.url.removeprefix(app.settings.site).split("/", 1)[0]
    if not number.isdecimal():
        return None
    name = f"{app.settings.project}-{number}"
    return Card(f"Ticket {name}", seen.get(number, ""), link.url)


@extension.on_message
async def remember(app: App[Settings], message: Message) -> None:
    """Records mentioned tickets."""
    text = app.text(message)
    for number in re.findall(rf"\b{app.settings.project}-(\d+)", text):
        seen.pop(number, None)
        seen[number] = text
    while len(seen) > MAX_KEPT:
        seen.pop(next(iter(seen)))
    app.redraw()


@extension.completion(r"\b([A-Z]{1,10})-(\d*)")
def numbers(app: App[Settings], typed: re.Match[str]) -> Iterable[Offer]:
    """The mentioned tickets as links, the most recent ones first."""
    if typed[1] != app.settings.project:
        return
    for number in reversed(seen):
        if number.startswith(typed[2]):
            name = f"{app.settings.project}-{number}"
            yield Offer(f"[{name}]({app.settings.site}{number}) ", name, seen[number][:60])
