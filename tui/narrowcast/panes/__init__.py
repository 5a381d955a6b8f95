"""The panes of the main screen: navigation, messages, compose, people."""
