"""List the rewrites in the order in which they are tried."""

from __future__ import annotations

from dataclasses import replace

from neonlab.optimize.rewrites.elements import ELEMENTS
from neonlab.optimize.rewrites.loads import LOADS
from neonlab.optimize.rewrites.pointers import POINTERS
from neonlab.optimize.rewrites.rewrite import Rewrite
from neonlab.optimize.rewrites.sums import SUMS
from neonlab.optimize.rewrites.unroll import UNROLLING

#: Of an unrolled loop, pointers can be stepped once for all iterations.
_LATE = (*UNROLLING, *(replace(one, late=True) for one in POINTERS))
REWRITES: tuple[Rewrite, ...] = (*SUMS, *LOADS, *ELEMENTS, *POINTERS, *_LATE)
