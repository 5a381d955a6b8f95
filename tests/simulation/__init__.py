"""Runs the client without its screen under simulated time, network and disk: a seed replays any history.

    python -m simulation [--app] [--first SEED] [--count N]        (in tests/; `make soak` runs many)

With --app the windows of the first user are apps that are controlled by keys.
"""
