"""Data files: emoji names, the logo, the texts of the demo world."""
