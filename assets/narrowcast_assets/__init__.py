"""What ships as data: emoji names, the logo, the texts of the demo world."""
