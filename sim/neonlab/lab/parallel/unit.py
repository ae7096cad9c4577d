"""Mark functions as units of work: what a worker may run for others, and whether its results are kept."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
_MARK = "neonlab_unit"


def unit(function: F) -> F:
    """Mark a unit of work on one kernel, which its first argument names.

    All arguments and the result are values that `neonlab.lab.cache.plain` writes.  The result depends on nothing but
    the kernel, the other arguments and the lab, so it is kept under these.
    """
    setattr(function, _MARK, True)
    return function


def unit_not_kept(function: F) -> F:
    """Mark a unit of work whose result depends on more, such as the version of a package that no key names."""
    setattr(function, _MARK, False)
    return function


def is_unit(function: Callable[..., Any]) -> bool:
    """Tell whether the function is a unit of work."""
    return hasattr(function, _MARK)


def is_kept(function: Callable[..., Any]) -> bool:
    """Tell whether results of the function are kept; those of one without a mark are not."""
    return bool(getattr(function, _MARK, False))


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a unit of work, such as `lab.parallel.proofs:_prove`."""
    return f"{function.__module__.removeprefix('neonlab.')}:{function.__name__}"


def unit_named(name: str) -> Callable[..., Any]:
    """Return the unit of work of a name.  Raises LookupError for what is no unit of neonlab."""
    module, _, function = name.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), function)):
        raise LookupError(name)
    try:
        found = getattr(importlib.import_module(f"neonlab.{module}"), function)
    except (ImportError, AttributeError):
        raise LookupError(name) from None
    if not callable(found) or not is_unit(found) or name_of(found) != name:
        raise LookupError(name)
    return found  # type: ignore[no-any-return]
