"""One module per resource, one plain function per operation, named after the operation.

Each function takes the `Connection` first and all other parameters by keyword. It gets the server's level if
the contract has a gate for the operation, sends one request (unless its docstring says that it sends
several), and returns a model of `wire`. Responses list the parameters that the server ignored
(`ignored_parameters_unsupported`) and what was not done otherwise (`notices`).

All functions raise the errors of `narrowcast_api.errors`; docstrings name only the errors with a meaning
specific to the operation.
"""
