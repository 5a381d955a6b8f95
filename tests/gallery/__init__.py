"""Pictures of the main screens, as terminals show them."""
