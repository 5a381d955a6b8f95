"""The pane of messages: the list, its rows, and what one does with a message."""
