"""Demangle C++ and Rust names."""

from __future__ import annotations

import functools

#: Longer names are left as they are: to take them apart needs a stack as deep as they are long.
_LONGEST = 4096


@functools.lru_cache(maxsize=1 << 14)
def demangle(name: str) -> str:
    """Return `dot(signed char const*, int)` for `_Z3dotPKai`; the name itself where it is not of C++ or Rust."""
    if not name.startswith(("_Z", "_R")) or len(name) > _LONGEST:
        return name
    import pydemumble

    bare, stub, rest = name.partition("@")  # `@plt` of a stub, `@@VERSION`
    return (pydemumble.demangle(bare) or bare) + stub + rest
