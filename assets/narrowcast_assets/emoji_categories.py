"""The category of each emoji, by its first character: those in which pickers show them."""

from bisect import bisect_right
from enum import Enum
from functools import lru_cache

__all__ = ["Category", "category_of"]


class Category(Enum):
    """In the order in which pickers show them."""

    SMILEYS = "smileys"
    PEOPLE = "people"
    ANIMALS = "animals and nature"
    FOOD = "food and drink"
    ACTIVITIES = "activities"
    TRAVEL = "travel and places"
    OBJECTS = "objects"
    SYMBOLS = "symbols"
    FLAGS = "flags"


_RANGES = {
    Category.SMILEYS: (
        "1f600-1f644 1f648-1f64a 1f910-1f917 1f920-1f925 1f927-1f92f 1f970-1f976 1f978-1f97a 1f9d0 "
        "1fae0-1fae9 2639-263a 2620 1f479-1f47b 1f47d-1f480 1f4a9 2763-2764 1f493-1f49f 1f5a4 1f90d-1f90e "
        "1f9e1 1fa75-1fa77 1f48b-1f48c 1f4a2 1f4a4-1f4a6 1f4a8 1f4ab-1f4ad 1f4af 1f573 1f5e8 1f5ef"
    ),
    Category.PEOPLE: (
        "1f440-1f450 1f463-1f478 1f47c 1f481-1f483 1f485-1f487 1f48f 1f491 1f4aa 1f574-1f575 1f57a 1f590 "
        "1f595-1f596 1f5e3 1f645-1f647 1f64b-1f64f 1f6a3 1f6b4-1f6b6 1f6c0 1f6cc 1f90c 1f90f 1f918-1f91f "
        "1f926 1f930-1f93e 1f977 1f9b5-1f9b9 1f9bb 1f9be-1f9bf 1f9cc-1f9cf 1f9d1-1f9e0 1fac0-1fac5 "
        "1faf0-1faf8 1f385 1f3c2-1f3c4 1f3c7 1f3ca-1f3cc 261d 26f7 26f9 270a-270d 1f3fb-1f3ff"
    ),
    Category.ANIMALS: (
        "1f400-1f43f 1f980-1f9ae 1f331-1f335 1f337-1f344 1f490 1f3f5 1f577-1f578 1f54a 1f940 1fab0-1fabf "
        "1face-1facf 2618"
    ),
    Category.FOOD: (
        "1f32d-1f330 1f336 1f345-1f37f 1f382 1f942-1f944 1f950-1f96f 1f9c0-1f9cb 1fad0-1fadb 1f3fa 2615"
    ),
    Category.ACTIVITIES: (
        "1f380-1f381 1f383-1f384 1f386-1f38b 1f38d-1f391 1f396-1f397 1f39f 1f3a3 1f3a8 1f3ab 1f3ad-1f3b4 "
        "1f3bd-1f3c0 1f3c5-1f3c6 1f3c8-1f3c9 1f3cf-1f3d3 1f3f8 1f0cf 1f004 1f52e 1f579 1f6f7 1f93f "
        "1f945-1f94f 1f9e7-1f9e9 1f9f8 1fa80-1fa82 1fa84-1fa86 1faa9 2660 2663 2665-2666 265f 26bd-26be 26f3 "
        "26f8 2728"
    ),
    Category.TRAVEL: (
        "1f300-1f32c 1f3a0-1f3a2 1f3aa 1f3cd-1f3ce 1f3d4-1f3e6 1f3e8-1f3ed 1f3ef-1f3f0 1f488 1f492 1f4a7 "
        "1f525 1f54b-1f54d 1f550-1f567 1f570 1f5fa-1f5ff 1f680-1f6a2 1f6a4-1f6a8 1f6b2 1f6d1 1f6d5-1f6d7 "
        "1f6dd-1f6e5 1f6e9-1f6f6 1f6f8-1f6fc 1f9bc-1f9bd 1f9ed 1f9f1 1f9f3 1fa90 1faa8 231a-231b 23f0-23f3 "
        "2600-2604 2614 2668 2693 26a1 26c4-26c8 26e9-26f2 26f4-26f5 26fa 26fd 2708 2744 2b50"
    ),
    Category.FLAGS: "1f1e6-1f1ff 1f3c1 1f38c 1f3f3-1f3f4 1f6a9",
    Category.SYMBOLS: (
        "0023-21ff 2300-2319 23ce-23cf 23e9-23ef 23f8-23fa 24c2 25aa-25fe 2611 2622-2638 2640-2642 2648-2653 "
        "267b-267f 2695 2699-26a0 26a7-26ab 26d4 2705 2714-2721 2733-2734 2747-2757 2795-27bf 2934-2b1c "
        "2b55-3299 1f170-1f19a 1f201-1f251 1f3a6 1f3e7 1f4f3-1f4f6 1f500-1f506 1f508 1f518-1f524 1f52f-1f549 "
        "1f54e 1f6ab-1f6b1 1f6b3 1f6b7-1f6bc 1f6be 1f6c2-1f6c5 1f6d0 1f7e0-1f7f0 1f4a0 1f4b1-1f4b2 1f4ae"
    ),
}
"""The first characters of the emoji of each category, in hexadecimal; all others are objects."""


@lru_cache(maxsize=1)
def _starts() -> tuple[list[int], list[tuple[int, Category]]]:
    """The first characters of all ranges in order, and for each its last one and the category."""
    ranges = []
    for category, text in _RANGES.items():
        for one in text.split():
            first, _, last = one.partition("-")
            ranges.append((int(first, 16), int(last or first, 16), category))
    ranges.sort(key=lambda one: one[:2])
    return [first for first, _, _ in ranges], [(last, category) for _, last, category in ranges]


def category_of(code: str) -> Category:
    """`1f389` -> its category; that of objects if it is in no other one."""
    character = int(code.partition("-")[0], 16)
    firsts, ends = _starts()
    place = bisect_right(firsts, character) - 1
    if place >= 0 and character <= ends[place][0]:
        return ends[place][1]
    return Category.OBJECTS
