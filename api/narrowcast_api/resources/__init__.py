"""Small resources, each from its record to its operations in one file."""
