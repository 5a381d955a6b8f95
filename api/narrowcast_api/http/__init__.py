"""HTTP requests: connection, transport, encoding, responses, limits, TLS, secrets."""
