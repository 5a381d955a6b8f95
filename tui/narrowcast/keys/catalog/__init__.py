"""The tables of all commands, by where they are used. `narrowcast.keys.registry` combines them."""
