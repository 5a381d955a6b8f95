"""Narrowcast: a terminal client for team chat."""
