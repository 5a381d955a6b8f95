"""The data folder: the database and its schema, secrets, locks."""
