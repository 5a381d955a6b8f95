"""Changes to the organization: each function stores a change and emits its events, without repeating earlier
checks.

They run inside `organization.transaction()`. Routes, the demo world and the delivery of scheduled messages all call
them. Functions named `check_...` or `require_...` raise ServiceError; the others trust their callers.
"""
