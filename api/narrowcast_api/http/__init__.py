"""How one request travels: connection, transport, encoding, answers, limits, TLS, secrets."""
