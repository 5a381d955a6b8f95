"""One module a resource, one plain function an operation, named after it.

Each function takes the `Connection` first and everything else by keyword, asks the server's level where the
contract has a gate, sends one request (or says that it repeats), and gives a model of `wire`. Every answer
tells what the server ignored (`ignored_parameters_unsupported`) and what the library left out itself
(`notices`).

All functions raise the errors of `narrowcast_api.errors`; docstrings name only those with a meaning of
their own.
"""
