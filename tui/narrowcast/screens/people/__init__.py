"""People: somebody's card, one's own profile, bots, and the accounts that administrators keep."""
