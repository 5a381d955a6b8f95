"""The machinery of extensions: finding, loading and supervising them. They are written with `narrowcast.extend`."""
