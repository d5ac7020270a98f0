"""Reads spec/ into typed, frozen models. Nothing here decides about a trace or a run."""
