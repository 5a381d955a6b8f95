"""The data folder: database, schema, secrets, locks."""
