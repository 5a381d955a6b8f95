"""Why somebody may not do something."""

from __future__ import annotations


class Refusal(str):
    """A sentence that says who may; empty, and so false, for who may do it.

    `short` says it in the fewest words, to stand beside what is disabled: 'only organization owners'. It is the
    sentence itself where there are none.
    """

    __slots__ = ("short",)
    short: str

    def __new__(cls, sentence: str = "", short: str | None = None) -> Refusal:
        refusal = super().__new__(cls, sentence)
        refusal.short = sentence if short is None else short
        return refusal


ALLOWED = Refusal()
"""What a rule gives for who may."""
