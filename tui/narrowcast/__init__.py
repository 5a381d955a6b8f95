"""Narrowcast: a terminal client for team chat.

`cli` is the command line, `app` the app, and `commands` everything that a key can do. `screens` are made of `panes`,
`panes` of `widgets`; `content` turns messages into rows, `terminal` is what differs between terminals. Text from a
server reaches the screen only through `text.safe_text`.
"""
