"""The terminal and the machine: driver, filter, keyboard, pictures, signals, folders, logs, editor."""
