"""Faults made on purpose: in accepted runs and documents by authors, in the table by operators.

An author's mutation changes one accepted input and names the route or rule that must catch it. An
operator changes the lifecycle itself; the authors' inputs must then notice.
"""
