"""The tables of all commands, by where they are used. `narrowcast.commands.registry` combines them."""
