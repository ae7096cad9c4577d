"""Small kernels written into tests: source text with a contract to a program, and calls of it."""

from __future__ import annotations

from functools import cache

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.assemble.program import Program
from neonlab.contract.header import Contract, parse_contract
from neonlab.isa.model.isa import Isa

_PLAIN = """/*toml
summary = "nothing"
prototype = "void (void)"
isa = ["{isa}", "neon"]
*/
"""
ARCHITECTURE = {Isa.A64: "armv8.0-a", Isa.A32: "armv7-a"}


def contract_of(isa: Isa, text: str = "") -> Contract:
    """The contract in `text`, or one that says nothing."""
    contract = parse_contract(text or _PLAIN.replace("{isa}", ARCHITECTURE[isa]), "kernel.S")
    assert contract is not None
    return contract


@cache
def kernel(isa: Isa, text: str) -> tuple[Program, Contract]:
    """Program and contract of a source text whose symbol is `kernel`."""
    return link(assemble_text(text, isa=isa, path="kernel.S")), contract_of(isa, text)
