"""Run the `lean` command line out of a shared library: launch.py LIBRARY [lean options] FILE.

A process of its own for each file, as Lean's `main` ends the process that it runs in.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys


def main() -> None:
    """Call the library's `lean_main` and end with its exit code."""
    library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
    arguments = [b"lean", *map(os.fsencode, sys.argv[2:])]
    vector = (ctypes.c_char_p * (len(arguments) + 1))(*arguments, None)
    library.lean_main.restype = ctypes.c_int
    # Python's handlers would be called from Lean's threads; a killed check should just end.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    code = library.lean_main(len(arguments), vector)
    os._exit(code & 0xFF)


if __name__ == "__main__":
    main()
