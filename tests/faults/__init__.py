"""Faults between a client and the embedded server, and what a user sees of them: nothing lost, doubled, frozen."""
