"""The main screen and what it does: layout, going from view to view, history, hints."""
