"""People: user cards, the user's own profile, bots, and the administration of accounts."""
