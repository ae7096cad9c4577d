"""Run the command line, for `python -m neonlab`."""

from neonlab.cli import main

main()
