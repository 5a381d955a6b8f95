"""The category of each emoji and its place there, by its first character: the order in which pickers show them."""

from bisect import bisect_right
from enum import Enum
from functools import lru_cache

__all__ = ["Category", "category_of", "emoji_place"]


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
        "1f600 1f603-1f604 1f601 1f606 1f605 1f923 1f602 1f642-1f643 1fae0 1f609-1f60a 1f607 1f970 1f60d "
        "1f929 1f618 1f617 263a 1f61a 1f619 1f972 1f60b 1f61b-1f61c 1f92a 1f61d 1f911 1f917 1f92d "
        "1fae2-1fae3 1f92b 1f914 1fae1 1f910 1f928 1f610-1f611 1f636 1fae5 1f60f 1f612 1f644 1f62c 1f925 "
        "1fae8 1f60c 1f614 1f62a 1f924 1f634 1fae9 1f637 1f912 1f915 1f922 1f92e 1f927 1f975-1f976 1f974 "
        "1f635 1faea-1faeb 1f92f 1f920 1f973 1f978 1f60e 1f913 1f9d0 1f615 1fae4 1f61f 1f641 2639 "
        "1f62e-1f62f 1f632-1f633 1f97a 1f979 1f626-1f628 1f630 1f625 1f622 1f62d 1f631 1f616 1f623 1f61e "
        "1f613 1f629 1f62b 1f971 1f624 1f621 1f620 1f92c 1f608 1f47f 1f480 2620 1f4a9 1f921 1f479-1f47b "
        "1f47d-1f47e 1f916 1f63a 1f638-1f639 1f63b-1f63d 1f640 1f63f 1f63e 1f648-1f64a 1f48c 1f498 1f49d "
        "1f496-1f497 1f493 1f49e 1f495 1f49f 2763 1f494 2764 1fa77 1f9e1 1f49b 1f49a 1f499 1fa75 1f49c "
        "1f90e 1f5a4 1fa76 1f90d 1f48b 1f4af 1f4a2 1f4a5 1faef 1f4ab 1f4a6 1f4a8 1f573 1f4ac 1f5e8 1f5ef "
        "1f4ad 1f4a4"
    ),
    Category.PEOPLE: (
        "1f44b 1f91a 1f590 270b 1f596 1faf1-1faf4 1faf7-1fafa 1f44c 1f90c 1f90f 270c 1f91e 1faf0 1f91f "
        "1f918-1f919 1f448-1f449 1f446 1f595 1f447 261d 1faf5 1f44d-1f44e 270a 1f44a 1f91b-1f91c 1f44f "
        "1f64c 1faf6 1f450 1f932 1f91d 1f64f 270d 1f485 1f933 1f4aa 1f9be-1f9bf 1f9b5-1f9b6 1f442 1f9bb "
        "1f443 1f9e0 1fac0-1fac1 1f9b7 1f9b4 1f440-1f441 1f445 1f444 1fae6 1f476 1f9d2 1f466-1f467 1f9d1 "
        "1f471 1f468 1f9d4 1f469 1f9d3 1f474-1f475 1f64d-1f64e 1f645-1f646 1f481 1f64b 1f9cf 1f647 1f926 "
        "1f937 1f46e 1f575 1f482 1f977 1f477 1fac5 1f934 1f478 1f473 1f472 1f9d5 1f935 1f470 1f930 "
        "1fac3-1fac4 1f931 1f47c 1f385 1f936 1f9b8-1f9b9 1f9d9-1f9df 1f9cc 1fac8 1f486-1f487 1f6b6 "
        "1f9cd-1f9ce 1f3c3 1f483 1f57a 1f574 1f46f 1f9d6-1f9d7 1f93a 1f3c7 26f7 1f3c2 1f3cc 1f3c4 1f6a3 "
        "1f3ca 26f9 1f3cb 1f6b4-1f6b5 1f938 1f93c-1f93e 1f939 1f9d8 1f6c0 1f6cc 1f46d 1f46b-1f46c 1f48f "
        "1f491 1f46a 1f5e3 1f464-1f465 1fac2 1f463 1fac6 1f3fb-1f3ff"
    ),
    Category.ANIMALS: (
        "1f435 1f412 1f98d 1f9a7 1f436 1f415 1f9ae 1f429 1f43a 1f98a 1f99d 1f431 1f408 1f981 1f42f "
        "1f405-1f406 1f434 1face-1facf 1f40e 1f984 1f993 1f98c 1f9ac 1f42e 1f402-1f404 1f437 1f416-1f417 "
        "1f43d 1f40f 1f411 1f410 1f42a-1f42b 1f999 1f992 1f418 1f9a3 1f98f 1f99b 1f42d 1f401 1f400 1f439 "
        "1f430 1f407 1f43f 1f9ab 1f994 1f987 1f43b 1f428 1f43c 1f9a5-1f9a6 1f9a8 1f998 1f9a1 1f43e 1f983 "
        "1f414 1f413 1f423-1f427 1f54a 1f985-1f986 1f9a2 1f989 1f9a4 1fab6 1f9a9 1f99a 1f99c 1fabd 1fabf "
        "1f438 1f40a 1f422 1f98e 1f40d 1f432 1f409 1f995-1f996 1f433 1f40b 1facd 1f42c 1f9ad 1f41f-1f421 "
        "1f988 1f419-1f41a 1fab8 1fabc 1f980 1f99e 1f990-1f991 1f9aa 1f40c 1f98b 1facc 1f41b-1f41d 1fab2 "
        "1f41e 1f997 1fab3 1f577-1f578 1f982 1f99f 1fab0-1fab1 1f9a0 1f490 1f338 1f4ae 1fab7 1f3f5 1f339 "
        "1f940 1f33a-1f33c 1f337 1fabb 1f331 1fab4 1f332-1f335 1f33e-1f33f 2618 1f340-1f343 1fab9-1faba "
        "1f344 1fabe"
    ),
    Category.FOOD: (
        "1f347-1f34d 1f96d 1f34e-1f353 1fad0 1f95d 1f345 1fad2 1f965 1f951 1f346 1f954-1f955 1f33d 1f336 "
        "1fad1 1f952 1f96c 1f966 1f9c4-1f9c5 1f95c 1fad8 1f330 1fada-1fadd 1f35e 1f950 1f956 1fad3 1f968 "
        "1f96f 1f95e 1f9c7 1f9c0 1f356-1f357 1f969 1f953 1f354 1f35f 1f355 1f32d 1f96a 1f32e-1f32f 1fad4 "
        "1f959 1f9c6 1f95a 1f373 1f958 1f372 1fad5 1f963 1f957 1f37f 1f9c8 1f9c2 1f96b 1f371 1f358-1f35d "
        "1f360 1f362-1f365 1f96e 1f361 1f95f-1f961 1f366-1f36a 1f382 1f370 1f9c1 1f967 1f36b-1f36f 1f37c "
        "1f95b 2615 1fad6 1f375-1f376 1f37e 1f377-1f37b 1f942-1f943 1fad7 1f964 1f9cb 1f9c3 1f9c9-1f9ca "
        "1f962 1f37d 1f374 1f944 1f52a 1fad9 1f3fa"
    ),
    Category.ACTIVITIES: (
        "1f383-1f384 1f386-1f387 1f9e8 2728 1f388-1f38b 1f38d-1f391 1f9e7 1f380-1f381 1f397 1f39f 1f3ab "
        "1f396 1f3c6 1f3c5 1f947-1f949 26bd-26be 1f94e 1f3c0 1f3d0 1f3c8-1f3c9 1f3be 1f94f 1f3b3 1f3cf "
        "1f3d1-1f3d2 1f94d 1f3d3 1f3f8 1f94a-1f94b 1f945 26f3 26f8 1f3a3 1f93f 1f3bd 1f3bf 1f6f7 1f94c "
        "1f3af 1fa80-1fa81 1f52b 1f3b1 1f52e 1fa84 1f3ae 1f579 1f3b0 1f3b2 1f9e9 1f9f8 1fa85 1faa9 1fa86 "
        "2660 2665-2666 2663 265f 1f0cf 1f004 1f3b4 1f3ad 1f5bc 1f3a8 1f9f5 1faa1 1f9f6 1faa2"
    ),
    Category.TRAVEL: (
        "1f30d-1f310 1f5fa 1f5fe 1f9ed 1f3d4 26f0 1f30b 1f5fb 1f6d8 1f3d5-1f3d6 1f3dc-1f3df 1f3db 1f3d7 "
        "1f9f1 1faa8 1fab5 1f6d6 1f3d8 1f3da 1f3e0-1f3e6 1f3e8-1f3ed 1f3ef-1f3f0 1f492 1f5fc-1f5fd 1f6d9 "
        "26ea 1f54c 1f6d5 1f54d 26e9 1f54b 26f2 26fa 1f301 1f303 1f3d9 1f304-1f307 1f309 2668 1f3a0 1f6dd "
        "1f3a1-1f3a2 1f488 1f3aa 1f682-1f68a 1f69d-1f69e 1f68b-1f68e 1f690-1f699 1f6fb 1f69a-1f69c 1f3ce "
        "1f3cd 1f6f5 1f9bd 1f9bc 1f6fa 1f6b2 1f6f4 1f6f9 1f6fc 1f68f 1f6e3-1f6e4 1f6e2 26fd 1f6de 1f6a8 "
        "1f6a5-1f6a6 1f6d1 1f6a7 2693 1f6df 26f5 1f6f6 1f6a4 1f6f3 26f4 1f6e5 1f6a2 2708 1f6e9 1f6eb-1f6ec "
        "1fa82 1f4ba 1f681 1f69f-1f6a1 1f6f0 1f680 1f6f8 1f6ce 1f9f3 231b 23f3 231a 23f0-23f2 1f570 1f55b "
        "1f567 1f550 1f55c 1f551 1f55d 1f552 1f55e 1f553 1f55f 1f554 1f560 1f555 1f561 1f556 1f562 1f557 "
        "1f563 1f558 1f564 1f559 1f565 1f55a 1f566 1f311-1f31c 1f321 2600 1f31d-1f31e 1fa90 2b50 "
        "1f31f-1f320 1f30c 2601 26c5 26c8 1f324-1f32c 1f300 1f308 1f302 2602 2614 26f1 26a1 2744 2603 26c4 "
        "2604 1fa8b 1f525 1f4a7 1f30a"
    ),
    Category.OBJECTS: (
        "1f453 1f576 1f97d 1f97c 1f9ba 1f454-1f456 1f9e3-1f9e6 1f457-1f458 1f97b 1fa71-1fa73 1f459-1f45a "
        "1faad 1f45b-1f45d 1f6cd 1f392 1fa74 1f45e-1f45f 1f97e-1f97f 1f460-1f461 1fa70 1f462 1faae "
        "1f451-1f452 1f3a9 1f393 1f9e2 1fa96 26d1 1f4ff 1f484 1f48d-1f48e 1f507-1f50a 1f4e2-1f4e3 1f4ef "
        "1f514-1f515 1f3bc 1f3b5-1f3b6 1f399-1f39b 1f3a4 1f3a7 1f4fb 1f3b7 1fa97 1f3b8-1f3bb 1fa95 1f941 "
        "1fa98 1fa87-1fa8a 1f4f1-1f4f2 260e 1f4de-1f4e0 1f50b 1faab 1f50c 1f4bb 1f5a5 1f5a8 2328 "
        "1f5b1-1f5b2 1f4bd-1f4c0 1f9ee 1f3a5 1f39e 1f4fd 1f3ac 1f4fa 1f4f7-1f4f9 1f4fc 1f50d-1f50e 1f56f "
        "1f4a1 1f526 1f3ee 1fa94 1f4d4-1f4da 1f4d3 1f4d2 1f4c3 1f4dc 1f4c4 1f4f0 1f5de 1f4d1 1f516 1f3f7 "
        "1fa8e 1fa99 1f4b0 1f4b4-1f4b8 1f4b3 1f9fe 1f4b9 2709 1f4e7-1f4e9 1f4e4-1f4e6 1f4eb 1f4ea "
        "1f4ec-1f4ee 1f5f3 270f 2712 1f58b 1f58a 1f58c-1f58d 1fa8c 1f4dd 1f4bc 1f4c1-1f4c2 1f5c2 "
        "1f4c5-1f4c6 1f5d2-1f5d3 1f4c7-1f4ce 1f587 1f4cf-1f4d0 2702 1f5c3-1f5c4 1f5d1 1f512-1f513 "
        "1f50f-1f511 1f5dd 1f528 1fa93 26cf 2692 1f6e0 1f5e1 2694 1f4a3 1fa83 1f3f9 1f6e1 1fa9a 1f527 1fa9b "
        "1f529 2699 1f5dc 2696 1f9af 1f517 26d3 1fa9d 1f9f0 1f9f2 1fa9c 1fa8f 1fa8d 2697 1f9ea-1f9ec "
        "1f52c-1f52d 1f4e1 1f489 1fa78 1f48a 1fa79 1fa7c 1fa7a-1fa7b 1f6aa 1f6d7 1fa9e-1fa9f 1f6cf 1f6cb "
        "1fa91 1f6bd 1faa0 1f6bf 1f6c1 1faa4 1fa92 1f9f4 1f9f7 1f9f9-1f9fb 1faa3 1f9fc 1fae7 1faa5 1f9fd "
        "1f9ef 1f6d2 1f6ac 26b0 1faa6 26b1 1f9ff 1faac 1f5ff 1faa7 1faaa"
    ),
    Category.SYMBOLS: (
        "1f3e7 1f6ae 1f6b0 267f 1f6b9-1f6bc 1f6be 1f6c2-1f6c5 26a0 1f6b8 26d4 1f6ab 1f6b3 1f6ad 1f6af 1f6b1 "
        "1f6b7 1f4f5 1f51e 2622-2623 2b06 2197 27a1 2198 2b07 2199 2b05 2196 2195 2194 21a9-21aa 2934-2935 "
        "1f503-1f504 1f519-1f51d 1f6d0 269b 1f549 2721 2638 262f 271d 2626 262a 262e 1f54e 1f52f 1faaf "
        "2648-2653 26ce 1f500-1f502 25b6 23e9 23ed 23ef 25c0 23ea 23ee 1f53c 23eb 1f53d 23ec 23f8-23fa 23cf "
        "1f3a6 1f505-1f506 1f4f6 1f6dc 1f4f3-1f4f4 2640 2642 26a7 2716 2795-2797 1f7f0 267e 203c 2049 "
        "2753-2755 2757 3030 1f4b1-1f4b2 2695 267b 269c 1f531 1f4db 1f530 2b55 2705 2611 2714 274c 274e "
        "27b0 27bf 303d 2733-2734 2747 00a9 00ae 2122 1fadf 0023 002a 0030-0039 1f51f 1f520-1f524 1f170 "
        "1f18e 1f171 1f191-1f193 2139 1f194 24c2 1f195-1f196 1f17e 1f197 1f17f 1f198-1f19a 1f201-1f202 "
        "1f237 1f236 1f22f 1f250 1f239 1f21a 1f232 1f251 1f238 1f234 1f233 3297 3299 1f23a 1f235 1f534 "
        "1f7e0-1f7e2 1f535 1f7e3-1f7e4 26ab 26aa 1f7e5 1f7e7-1f7e9 1f7e6 1f7ea-1f7eb 2b1b-2b1c 25fc 25fb "
        "25fe 25fd 25aa-25ab 1f536-1f53b 1f4a0 1f518 1f533 1f532"
    ),
    Category.FLAGS: "1f3c1 1f6a9 1f38c 1f3f4 1f3f3 1f1e6-1f1ff",
}
"""The first characters of the emoji of each category in the usual order, in hexadecimal; all others are objects."""


@lru_cache(maxsize=1)
def _starts() -> tuple[list[int], list[tuple[int, int, Category]]]:
    """The first characters of all ranges by number, and for each its last one, the range's place and its category."""
    ranges: list[tuple[int, tuple[int, int, Category]]] = []
    for category, text in _RANGES.items():
        for one in text.split():
            first, _, last = one.partition("-")
            ranges.append((int(first, 16), (int(last or first, 16), len(ranges), category)))
    ranges.sort(key=lambda one: one[0])
    return [first for first, _ in ranges], [rest for _, rest in ranges]


def _found(code: str) -> tuple[int, Category]:
    character = int(code.partition("-")[0], 16)
    firsts, ends = _starts()
    place = bisect_right(firsts, character) - 1
    if place >= 0 and character <= ends[place][0]:
        return ends[place][1:]
    return len(ends), Category.OBJECTS


def category_of(code: str) -> Category:
    """`1f389` -> its category; that of objects if it is in no other one."""
    return _found(code)[1]


def emoji_place(code: str) -> tuple[int, int, str]:
    """What emoji are sorted by: the category, the place there, and the characters that follow the first one."""
    place, category = _found(code)
    return [*Category].index(category), place, code
