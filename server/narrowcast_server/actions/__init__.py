"""What changes the organization: each function checks nothing twice, writes, and emits the events that follow.

They run inside `core.transaction()`. Routes, the demo world and the delivery of scheduled messages call them alike.
Functions named `check_...` or `require_...` refuse with ServiceError; the others trust their callers.
"""
