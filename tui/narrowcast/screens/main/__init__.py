"""The main screen: layout, switching between views, history, hints."""
