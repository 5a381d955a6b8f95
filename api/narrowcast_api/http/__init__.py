"""HTTP requests: connection, transport, encoding, answers, limits, TLS, secrets."""
