"""Scheduled messages, reminders, and saved snippets."""
