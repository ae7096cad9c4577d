"""Make a contract from a prototype alone, for calls whose arguments give the sizes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from neonlab.contract.model import Argument, Contract
from neonlab.isa.c.ctype import CType
from neonlab.isa.c.procedure_call import FloatAbi, place_arguments
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.architecture import FEATURES
from neonlab.isa.model.isa import Isa
from neonlab.sources.contracts.merge import Merged
from neonlab.sources.toolchain import PLAIN_ARCHITECTURES


def bare_contract(path: Path, merged: Merged, isa: Isa, symbol: str) -> Contract:
    """Return a contract without sizes that allows every instruction; of the merged table only the declaration counts.

    Raises PrototypeError.
    """
    prototype, structs = (merged.text.string(merged.table, key) for key in ("prototype", "structs"))
    signature = parse_prototype(prototype, isa, structs)
    places = place_arguments(isa, signature, FloatAbi.HARD)
    arguments = tuple(
        Argument(parameter.name, parameter.ctype, place, element_type(parameter.ctype))
        for parameter, place in zip(signature.parameters, places, strict=True)
    )
    return Contract(
        str(path),
        1,
        "",
        prototype,
        signature,
        isa,
        PLAIN_ARCHITECTURES[isa],
        frozenset(FEATURES),
        arguments,
        symbol=symbol,
        structs=structs,
    )


def element_type(ctype: CType) -> np.dtype[np.generic]:
    """Return the numpy dtype of a number, or of a pointer's target; uint8 if the target is not a number."""
    base = ctype.pointee if ctype.kind == "pointer" else ctype
    if base is None or base.kind not in ("integer", "float"):
        return np.dtype(np.uint8)
    return np.dtype(f"{'f' if base.kind == 'float' else 'i' if base.signed else 'u'}{base.size}")
