"""Decide where sums are too many to be written out, and bound the error of knowing them by fingerprints instead."""

from __future__ import annotations

import hashlib
import math

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.prove.expressions.canonical import Canonical
from neonlab.prove.expressions.field import log2_error
from neonlab.verify.cases.case import Case

#: Most products that are written out, and most elements of kernels whose contract has no count of products.
MOST_PRODUCTS, MOST_ELEMENTS = 1 << 18, 1 << 17
#: A proof is none unless log2 of the bound on its error is below this.
MOST_ERROR = -50
#: Most comparisons that one proof may make, with other inputs held in each: all of them may err.
_MOST_ATTEMPTS = 64


def is_large(contract: Contract, case: Case) -> bool:
    """Tell whether the sums of a case are too many to be written out."""
    if contract.macs is not None:
        return contract.macs.evaluate(case.integers) > MOST_PRODUCTS
    arrays = [*case.inputs.values(), *(one.array for one in case.expected.values())]
    return sum(array.size for array in arrays) > MOST_ELEMENTS


def seed_of(program: Program, case: Case, held: frozenset[str]) -> bytes:
    """Return what decides the points: the program, the shape, and which inputs are held."""
    found = hashlib.sha256()
    for segment in program.segments:
        found.update(f"{segment.name} {segment.address} {len(segment.data)} ".encode())
        found.update(segment.data)
    found.update(f"{case.shape} {case.seed} {sorted(held)}".encode())
    return found.digest()


def error_of(canonical: Canonical) -> float:
    """Return log2 of a bound on the chance that two different sums that were compared have the same fingerprint.

    Each node with a fingerprint and a form counts as a polynomial of its own, and 0 as another.
    """
    rows = canonical.identified()
    return log2_error(len(rows) + 1, int(rows["degree"].max(initial=1))) + math.log2(_MOST_ATTEMPTS)
