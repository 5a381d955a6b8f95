"""Types and constants of the wire format between client and server.

``vocabulary`` is quick to import; the other modules define models based on msgspec. Nothing here depends on HTTP.
"""
