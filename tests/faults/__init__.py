"""Faults between a client and the embedded server, and their effects on a user: nothing is lost, duplicated
or frozen.
"""
