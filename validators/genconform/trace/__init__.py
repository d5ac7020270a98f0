"""Traces of real runs: their format, the booleans that their evidence bears, and their verdict."""
