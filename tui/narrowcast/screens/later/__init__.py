"""What happens later, or again and again: scheduled messages, reminders, saved snippets."""
