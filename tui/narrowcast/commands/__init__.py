"""The commands for scripts, one module each."""
