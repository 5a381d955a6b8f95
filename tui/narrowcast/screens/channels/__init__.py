"""Screens about channels."""
