"""How far the state machines explore: the same short way each time, or as far as one asks.

NARROWCAST_EXAMPLES=500 explores 500 random ways and shrinks what fails; without it a failure is shown as it
was found, because shrinking can take minutes.
"""

from __future__ import annotations

import os

from hypothesis import Phase, settings


def exploring(steps: int) -> settings:
    """Settings for a state machine of at most so many steps."""
    asked = os.environ.get("NARROWCAST_EXAMPLES")
    if asked:
        return settings(max_examples=int(asked), stateful_step_count=steps, deadline=None)
    return settings(
        max_examples=40,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
    )
