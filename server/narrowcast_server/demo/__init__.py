"""The demo world: a believable small team, its history, and simulated people while the server runs."""

from narrowcast_server.demo.alive import alive
from narrowcast_server.demo.world import populate

__all__ = ["alive", "populate"]
