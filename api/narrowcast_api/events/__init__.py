"""Registration and the stream of events that heals itself, by long poll or WebSocket, and what to call its state."""
