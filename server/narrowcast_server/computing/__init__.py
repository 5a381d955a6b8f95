"""Computations of unpredictable cost: they run in child processes and are stopped when they take too long."""
