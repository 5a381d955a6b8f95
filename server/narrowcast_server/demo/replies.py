"""The replies of the demo people: rules on the text of a message, with lines for each person."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

ANYBODY: Final = "*"
Lines = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class ReplyRule:
    """If `pattern` matches a message: lines by first name or for anybody, and suitable reactions."""

    pattern: re.Pattern[str]
    lines: Lines
    reactions: Sequence[str] = ()


def rule(pattern: str, lines: Lines, *reactions: str) -> ReplyRule:
    """A rule whose pattern ignores case."""
    return ReplyRule(re.compile(pattern, re.IGNORECASE), lines, reactions)


RULES: Final = (
    rule(
        r"close (it|this|the topic)|call it fixed|it'?s fixed|say so|looks fixed",
        {
            "dario": ("Then it's fixed. I'll leave the topic open until tomorrow, out of superstition.",),
            ANYBODY: ("Good. One less thing to dream about.", "Then let's call it done."),
        },
        "tada",
        "check",
    ),
    rule(
        r"\b(thanks?|thank you|cheers|well done|great work|nice work|good job|bravo)\b",
        {
            "dario": (
                "You are welcome! It was mostly stubbornness.",
                "Any time. Well, any time after coffee.",
            ),
            "greta": ("Happy to. The masts say you're welcome, too.",),
            "bruno": ("I'll tell the soldering iron, it'll be pleased.",),
            ANYBODY: ("Gladly!", "You're welcome. :smile:", "That's kind of you, thank you."),
        },
        "heart",
        "+1",
    ),
    rule(
        r"^\W*(hi|hello|hey|hiya|good (morning|evening|afternoon)|moin|hola|salut|hallo)\b[^?]{0,25}$",
        {
            "bruno": ("Hello! Mind the cables.", "Morning. Or whatever it is by now."),
            "chiyo": ("Hello hello! :wave: How is your day?", "Good to see you here!"),
            "dario": ("Hi! Two minutes, my build is at 98 %.", "Hello! What's up?"),
            "greta": ("Hello from the ridge! Wind is 4, mood is 9.",),
            ANYBODY: ("Hi there! :wave:", "Hello! How are things?", "Hey, good to read you."),
        },
        "wave",
    ),
    rule(
        r"\bgoat\b",
        {
            "greta": ("It is looking at me right now. Say nothing.", "Mast 2 has been licked again."),
            "bruno": ("I have met the goat. I shall not speak of it.",),
            ANYBODY: ("The goat is, statistically, a member of this team.", "Has anybody *asked* the goat?"),
        },
        "goat",
        "joy",
    ),
    rule(
        r"\b(gusts?|wind|spikes?|anemometer|mast ?\d?)\b",
        {
            "dario": (
                "Still clean on mast 3. I look every half hour, which is not healthy.",
                "The blanking window is 40 ms; I could make it 60 and still lose nothing.",
            ),
            "farid": (
                "I can plot that. Give me ten minutes and a colour that isn't red.",
                "In the table it's 212 spikes before the fix and none after. I like *none*.",
            ),
            "greta": ("From where I sit it's about 6 m/s, and my hat agrees.",),
            ANYBODY: ("Let me look at the curve before I say something clever.", "Which mast do you mean?"),
        },
        "eyes",
        "wind_face",
    ),
    rule(
        r"\b(batter(y|ies)|packs?|power|heater|mA)\b",
        {
            "bruno": (
                "Numbers or it didn't happen. (I have numbers: 7.9 days with the new ring.)",
                "Cold packs lie about their charge. Always measure them under load.",
            ),
            ANYBODY: ("Bruno has a spreadsheet for that. Bruno has a spreadsheet for everything.",),
        },
        "battery",
        "bulb",
    ),
    rule(
        r"\b(lunch|noodles?|soup|dinner|cake|hungry|coffee|tea)\b",
        {
            "chiyo": ("Count me in. I'm *always* in when there is cake.",),
            "greta": ("There is soup up here, but it's a long way to carry it.",),
            ANYBODY: ("Noodles, obviously.", "You had me at lunch.", "I second that, with lemon."),
        },
        "ramen",
        "coffee",
        "birthday",
    ),
    rule(
        r"```|\b(code|bug|crash|traceback|stack ?trace|segfault|compile[sd]?|unit tests?)\b",
        {
            "dario": (
                "Could you put the line before it, too? That's usually where it went wrong.",
                "Looks right to me, which is when I start to worry. What does the test say?",
            ),
            "farid": ("I'd pass the clock in. I would always pass the clock in.",),
            ANYBODY: (
                "I'll leave that one to Dario. :sweat_smile:",
                "Reading it now. Nice and short, at least.",
            ),
        },
        "eyes",
        "bug",
    ),
    rule(
        r"\b(ship(s|ped|ping)?|releas(e|ed|ing)|launch|deploy(ed)?)\b",
        {
            "chiyo": ("Support is ready: six macros, two cups, one blanket.",),
            ANYBODY: ("Ship it! :rocket:", "After the smoke test, please. Preferably one without smoke."),
        },
        "rocket",
        "tada",
    ),
    rule(
        r"\b(how do i|how can i|where is|where do|what key|which key|help|stuck|shortcut)\b",
        {
            "chiyo": (
                "Press `?` and it shows every key. `ctrl+k` finds the rest.",
                "Happy to help! What were you trying to do, and what happened instead?",
            ),
            ANYBODY: ("Chiyo knows. Chiyo always knows. (Or try `?`.)", "`?` lists the keys, if that is it."),
        },
        "bulb",
    ),
    rule(
        r"\b(haha|hehe|lol|rofl|funny)\b|:joy:|:grinning:",
        {ANYBODY: ("I aim to please.", "You should hear the version with the goat.", ":grinning:")},
        "joy",
    ),
    rule(
        r"\b(sorry|oops|my bad|apolog)",
        {ANYBODY: ("No harm done.", "It happens to all of us; to Bruno twice.", "Nothing broke. Probably.")},
        "heart",
    ),
    rule(
        r"\b(test(ing)?|trying (this|it) out|is this on|ping)\b",
        {
            "jasper": (),
            ANYBODY: ("Reads fine here!", "Pong. :smile:", "Loud and clear.", "Arrived, and in one piece."),
        },
        "check",
        "+1",
    ),
    rule(
        r"\b(yes|sure|agreed|ok(ay)?|sounds good|go ahead|do it|fine (by|with) me|let'?s)\b",
        {
            "bruno": ("Then I'll order it before you change your mind.",),
            "elif": ("Lovely. A first version this evening.",),
            ANYBODY: ("Perfect, I'll go ahead.", "Good, then it's settled.", "On it. :working_on_it:"),
        },
        "+1",
        "check",
    ),
    rule(
        r"\b(no|nope|don'?t|not now|later|wait)\b",
        {ANYBODY: ("Fair enough. Tell me when.", "All right, it can wait.", "Then not. No hard feelings.")},
        "+1",
    ),
    rule(
        r"\?\s*$|\?\s",
        {
            "bruno": (
                "Good question. I'd measure it before I guess.",
                "Short answer: yes. Long answer: bring coffee.",
            ),
            "chiyo": ("Let me check the handbook, one moment.", "I think so, but ask me again after lunch."),
            "dario": ("I think so. Let me try it on the bench first.", "Honest answer: I don't know yet."),
            "elif": (
                "Can I draw you the answer? It'd be quicker.",
                "Both, if we can. The simpler one, if not.",
            ),
            "farid": ("The data says *probably*.", "I'd say yes, with 80 % confidence and no error bars."),
            "greta": ("Ask me when my fingers are warm again. (Yes.)",),
            "hugo": ("From the enclosure's side: yes, easily.",),
            ANYBODY: ("Hm, let me think about that for a bit.", "Good question!"),
        },
        "thinking",
        "eyes",
    ),
)

DEFAULTS: Final[Lines] = {
    "bruno": (
        "Noted.",
        "Makes sense to me.",
        "I'll write that on the wall. The *left* wall, where it counts.",
    ),
    "chiyo": (
        "Nice! Shall I put that into the handbook?",
        "Good to know, thank you.",
        "That will save a ticket or two.",
    ),
    "dario": ("Hah, true.", "Interesting. Let me sleep on it.", "I had not thought of that."),
    "elif": ("I like it.", "Oh, that's neat!", "Give me an evening and I'll sketch it."),
    "farid": ("I'll see what the data thinks of that.", "Agreed.", "That matches what I see."),
    "greta": ("Understood. Over the wind I mean.", "Sounds right from up here.", "I'll try it on mast 4."),
    "hugo": ("Thank you for explaining!", "Good to know, I'm learning a lot here."),
    ANYBODY: ("I see!", "Good point."),
}
DEFAULT_REACTIONS: Final = ("+1", "heart", "smile", "octopus", "100")


@dataclass
class Voice:
    """Chooses replies and avoids recent ones."""

    chance: random.Random
    said: list[str] = field(default_factory=list)

    def answer(self, speaker: str, text: str) -> str:
        """The reply of `speaker` (a first name) to a text."""
        plain = without_quotes(text)
        rule = next((one for one in RULES if one.pattern.search(plain)), None)
        lines = [*self._lines(rule.lines if rule else DEFAULTS, speaker)]
        fresh = [line for line in lines if line not in self.said] or lines
        line = self.chance.choice(fresh)
        self.said = [*self.said[-11:], line]
        return line

    def reaction(self, text: str) -> str:
        """The name of a suitable emoji for a text."""
        plain = without_quotes(text)
        rule = next((one for one in RULES if one.reactions and one.pattern.search(plain)), None)
        return self.chance.choice(rule.reactions if rule else DEFAULT_REACTIONS)

    def _lines(self, lines: Lines, speaker: str) -> Sequence[str]:
        own = lines.get(speaker, ())
        return own if own and self.chance.random() < 0.8 else [*own, *lines.get(ANYBODY, ())]


def without_quotes(text: str) -> str:
    """The sender's own words: without quotes and mentions."""
    text = re.sub(r"```quote\n.*?(\n```|$)", "", text, flags=re.DOTALL)
    text = re.sub(r"^>.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"@_?\*\*[^*]+\*\*( \[said\]\([^)]*\):)?", "", text).strip()
