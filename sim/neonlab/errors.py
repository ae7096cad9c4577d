"""Define the errors that the lab raises for bad input."""

from __future__ import annotations


class InputError(Exception):
    """Raised for bad input.  `str()` of it is one message: what is wrong, where, and what to do about it.

    The commands print it and exit with status 2.
    """


class NoContract(InputError):
    """Raised where no contract says how to call the code."""


class ContractError(InputError):
    """Raised for a contract that cannot be read, or that contradicts its prototype or the calling convention."""
