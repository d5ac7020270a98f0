"""genconform: whether accelerated text generation kept its obligations.

The lifecycle of eight stages and sixty routes is held four times, each written on its own, and
the checks of this package prove that the four agree. See README.md for the commands.
"""

__version__ = "0.1.0"
