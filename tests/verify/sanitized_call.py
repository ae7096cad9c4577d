"""Small kernels of GNU as under contracts of a line or two, called on a SanitizedMachine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from tests.emulate.guest_programs import assembled

from neonlab.contract.header import Contract, parse_contract
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Argument
from neonlab.emulate.run import Fault, Run
from neonlab.isa.c.procedure_call import place_arguments
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa
from neonlab.verify.memory import placement
from neonlab.verify.sanitized_machine import SanitizedMachine

_ARCHITECTURE = {Isa.A64: "armv8.0-a", Isa.A32: "armv7-a"}


def contract_of(
    isa: Isa, prototype: str, arguments: Mapping[str, str], top: str = "", features: Sequence[str] = ("neon",)
) -> Contract:
    """A contract for the function `kernel`; `arguments` gives what each says beyond its register."""
    signature = parse_prototype(prototype, isa)
    lines = [
        f'{parameter.name} = {{ reg = "{place}", {arguments[parameter.name]} }}'
        for parameter, place in zip(signature.parameters, place_arguments(isa, signature), strict=True)
    ]
    named = ", ".join(f'"{name}"' for name in (_ARCHITECTURE[isa], *features))
    text = f'/*toml\nsummary = "test"\nprototype = "{prototype}"\nisa = [{named}]\n{top}\n[args]\n'
    contract = parse_contract(text + "\n".join(lines) + "\n*/\n", "kernel.S")
    assert contract is not None
    return contract


def standard_contract(isa: Isa, top: str = "stack = 64", **extra: str) -> Contract:
    """`void kernel(const uint8_t *src, uint8_t *dst, size_t n)` with n bytes each."""
    arguments = {
        "src": 'read = "n"' + extra.get("src", ""),
        "dst": 'write = "n"' + extra.get("dst", ""),
        "n": "range = [1, 4096]",
    }
    return contract_of(isa, "void (const uint8_t *src, uint8_t *dst, size_t n)", arguments, top)


def call(
    isa: Isa, text: str, contract: Contract, size: int = 29, turn: int = 1, seed: int = 3, steps: int = 100_000
) -> Run | Fault:
    """Run `text` under a `standard_contract`."""
    arguments: list[Argument] = [
        Buffer("src", np.arange(size, dtype=np.uint8)),
        Buffer("dst", np.zeros(size, np.uint8), True),
        size,
    ]
    with SanitizedMachine(assembled(isa, text), contract) as machine:
        placed = placement.place_arguments(contract, arguments, turn)
        return machine.call("kernel", placed, contract.signature, seed=seed, step_budget=steps)


def line_of(fault: Fault) -> int:
    """Number of the instruction at fault, from 1."""
    assert fault.source is not None, fault
    return fault.source.line
