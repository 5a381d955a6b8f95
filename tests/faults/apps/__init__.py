"""Apps in pseudo-terminals, several windows of several accounts, that are killed and cut off and must agree in the end.

    python -m faults.apps [--seed N] [--runs N] [--seconds S] [--acts N] [--windows N]

`backdrop` is the server and the network, `window` one app and its keys, `reporter` the extension by which it says what
it knows, `run` what is done from one seed, `checks` what must be true after it.
"""
