"""What panes, screens and commands need of the running app: its interface, frames, background work."""
