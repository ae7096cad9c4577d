"""`python -m neonlab`: the command line."""

from neonlab.cli import main

main()
