"""The message pane: the list, its rows, and the commands for messages."""
