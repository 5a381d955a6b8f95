"""The version of this distribution; packaging reads it from here."""

VERSION = "0.1.0"
