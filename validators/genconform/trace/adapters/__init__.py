"""Adapters: one module a source, each a pure function from a parsed payload to observations.

An adapter says which shapes of payload it knows, and for each where every number stands and by
which convention the source counts. It reads nothing else, and never puts a zero where nothing is.
"""
