"""List the rewrites in the order in which they are tried."""

from __future__ import annotations

from neonlab.optimize.rewrites.loads import LOADS
from neonlab.optimize.rewrites.rewrite import Rewrite
from neonlab.optimize.rewrites.sums import SUMS
from neonlab.optimize.rewrites.unroll import UNROLLING

REWRITES: tuple[Rewrite, ...] = (*SUMS, *LOADS, *UNROLLING)
