"""Narrowcast: a terminal client for team chat.

`cli` is the command line and `commands` what it runs, `app` the app. `screens` are made of `panes`, `panes` of
`widgets`; `content` turns messages into rows, `platform` is what differs from machine to machine. `actions` lists
everything that a key can do, `safe_text` is the only way for a text of the server to the screen.
"""
