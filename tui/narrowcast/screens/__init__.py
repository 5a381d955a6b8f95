"""Whole screens and dialogs."""
