"""What to search for."""

from __future__ import annotations

from narrowcast.screens.dialogs.ask import AskScreen


class SearchScreen(AskScreen):
    """Words and operators; ``base`` narrows the search to the view it began in."""

    def __init__(self, base: str = "") -> None:
        super().__init__(
            "Search messages",
            base,
            placeholder="words, and operators such as channel:general from:ada",
            notes=(
                "channel:NAME  topic:NAME  sender:NAME  dm:NAME   where it is, whose it is",
                "has:link  has:image  has:attachment  has:reaction   what is in it",
                "is:unread  is:starred  is:mentioned  is:resolved   -term leaves out",
            ),
            does="searches",
        )
