"""Dialogs of general use: questions, forms, lists to choose from or look after, help, palette."""
