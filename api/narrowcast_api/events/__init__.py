"""Registration and the stream of events that heals itself."""
