"""A long topic for scrolling: ten days of hourly reports from the ridge, with comments."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from narrowcast_server.demo.script import DAY, HOUR, MINUTE, ScriptedConversation, ScriptLine

TOPIC: Final = "ridge log, mast 1 to 4"
DAYS: Final = 10
_REMARKS: Final = (
    ("greta", "Wiped the snow off the panels. Mast 2 had a hat."),
    ("farid", "Mast 4 is half a degree warmer than the others since noon. Sun on the shield?"),
    ("greta", "Yes, the shield has turned. Turned it back."),
    ("dario", "Thanks! Curve looks sober again."),
    ("bruno", "Pack 3 is at 71 %, that's better than I dared to hope."),
    ("greta", "Fox tracks all around the hut. It didn't sign the visitors' book."),
    ("chiyo", "The guest book is the best page of our site, by the way. Keep writing in it."),
    ("farid", "Pressure falls 4 hPa in three hours. Tie things down, please."),
    ("greta", "Tied down: masts, antenna, teapot, me."),
    ("dario", "Mast 1 sent the same frame twice. Gateway was right to drop one."),
    ("elif", "Could you take a picture of the clip with ice on it? For the card."),
    ("greta", "There's more ice than clip. You will love it."),
    ("bruno", "Heater duty is 31 %. Under a third, in *this*!"),
    ("farid", "Good night, masts."),
    ("greta", "Good morning, masts. −11 °C, no wind, every star there is."),
    ("dario", "Envy, in two letters: NV. Sorry."),
    ("farid", "All four within 0.2 °C of each other for a whole day. I'm framing that plot."),
    ("greta", "A helicopter came by to look at us looking at the weather."),
    ("bruno", "If mast 2 leans any further, it's a sundial."),
    ("greta", "Straightened the sundial."),
)


def field_log(now: int) -> ScriptedConversation:
    """About 250 messages, ending some hours before `now`."""
    conversation = ScriptedConversation("engineering", TOPIC, (), unread=0)
    conversation.lines = sorted([*reports(now), *remarks(now)], key=lambda line: line.when)
    return conversation


def reports(now: int) -> Iterator[ScriptLine]:
    """Jasper's hourly reports."""
    start = now - now % HOUR - DAYS * DAY
    for hour in range(DAYS * 24 - 6):
        celsius = -6 + 4 * math.cos((hour - 14) * math.pi / 12) - 2 * math.sin(hour / 40)
        pressure = 1004 + 9 * math.sin(hour / 31)
        wind = abs(7 + 5 * math.sin(hour / 9) + 2 * math.sin(hour / 2.3))
        sky = ":cloud_with_snow:" if pressure < 1000 else ":partly_sunny:" if wind < 8 else ":wind_face:"
        text = f"{sky} {celsius:+.1f} °C · {pressure:.0f} hPa · gusts {wind:.1f} m/s"
        if hour % 24 == 23:
            text += f"\n*day {hour // 24 + 1} of the log: 4 masts, {96 - hour % 5} of 96 reports*"
        yield ScriptLine("jasper", start + hour * HOUR, text)


def remarks(now: int) -> Iterator[ScriptLine]:
    """The comments, spread over the days."""
    start = now - now % HOUR - DAYS * DAY
    for position, (speaker, text) in enumerate(_REMARKS):
        yield ScriptLine(
            speaker, start + (position * 11 + 7) * HOUR + (position * 13 % 50 + 5) * MINUTE, text
        )
