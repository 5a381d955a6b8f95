"""Small parts that panes and screens are built from."""
