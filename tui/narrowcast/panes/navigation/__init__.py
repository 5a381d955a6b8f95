"""The navigation pane: views, direct conversations, channels and topics."""
