"""Lean: find a toolchain, check the package in lean/, audit it, and certify its agreement.

The Lean sources are written by hand. One module of them is written from here: the certificate,
which holds the Python machine's answers for Lean's kernel to compare with its own.
"""
