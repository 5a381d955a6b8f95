"""Tests the app in real terminals on a virtual screen: ``make terminals``."""
