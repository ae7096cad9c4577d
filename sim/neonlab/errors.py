"""What the lab says when it cannot go on because of what it was given."""

from __future__ import annotations


class InputError(Exception):
    """Bad input from the person: `str()` is one clear message (what, where, what to do); exit status 2."""


class NoContract(InputError):
    """Nothing says how the code is to be called."""
