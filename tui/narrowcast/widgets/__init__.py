"""Building blocks of panes and screens."""
