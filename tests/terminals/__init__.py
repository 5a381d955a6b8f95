"""The app in real terminals on a screen that nobody sees: ``make terminals``."""
