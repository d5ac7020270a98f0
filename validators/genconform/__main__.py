"""`python -m genconform` is `genconform`."""

from genconform.cli import main

main()
