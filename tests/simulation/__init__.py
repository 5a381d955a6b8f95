"""The client below the screen under simulated time, network and disk: a seed is enough to replay any history.

python -m simulation --seeds 0-999        (in tests/; `make soak` runs many more)
"""
