"""Registration, the self-healing stream of events by long poll or WebSocket, and the connection status."""
