"""All screens and dialogs of the app."""
