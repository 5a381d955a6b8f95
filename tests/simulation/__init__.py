"""The client below the screen under simulated time, network and disk: a seed is enough to replay any history.

    python -m simulation [--app] [--first SEED] [--count N]        (in tests/; `make soak` runs many)

With --app the windows of the first person are apps, in which keys are pressed.
"""
