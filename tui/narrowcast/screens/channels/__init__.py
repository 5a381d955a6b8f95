"""Screens for channels: browse, settings, subscribers, permissions, folders."""
