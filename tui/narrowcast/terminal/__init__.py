"""Terminal and operating system: driver, filter, keyboard, images, signals, folders, logs, external editor."""
