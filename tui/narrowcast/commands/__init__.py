"""Every command of the app: the registry, the keys, and the functions, imported when they are used."""
