"""Apps in pseudo-terminals, several windows of several accounts, that are killed and disconnected and must
agree in the end.

    python -m faults.apps [--seed N] [--runs N] [--seconds S] [--acts N] [--windows N]

`backdrop` is the server and the network, `window` one app and its keys, `reporter` the extension with which
an app reports its state, `run` the actions of one seed, `checks` what must hold after them.
"""
