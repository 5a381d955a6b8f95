"""Requests and answers: the application, its parameters, its connections and their limits."""
