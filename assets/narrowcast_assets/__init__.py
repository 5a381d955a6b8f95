"""What ships as data: themes, keymaps, the demo world, emoji names."""
