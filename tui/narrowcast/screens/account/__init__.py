"""One's own account: muted people, words to hear of, files, keys, and the server behind it."""
