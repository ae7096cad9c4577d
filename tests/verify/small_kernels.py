"""Small kernels with contracts, written in the tests themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.assemble.program import Program
from neonlab.contract.header import Contract, parse_contract
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Argument as Passed
from neonlab.isa.model.isa import Isa

MARK = "<- here"
#: Interfaces: a prototype, and what the contract says of each argument.
IN_OUT = ("void k(const uint8_t *x, uint8_t *out)", {"x": 'read = "32"', "out": 'write = "32"'})
COUNTED = (
    "void k(const uint8_t *x, uint8_t *out, unsigned int n)",
    {"x": 'read = "n"', "out": 'write = "n"', "n": "range = [1, 16]"},
)
MARGIN = (
    "void k(const uint8_t *x, uint8_t *out)",
    {"x": 'read = "20", over_read = 12', "out": 'write = "32"'},
)
_REGISTERS = {Isa.A64: [f"x{i}" for i in range(8)], Isa.A32: [f"r{i}" for i in range(4)]}
_HEAD = {Isa.A64: ".text\n", Isa.A32: ".syntax unified\n.fpu neon\n.arm\n.text\n"}
_ISA = {Isa.A64: '["armv8.2-a", "neon", "dotprod"]', Isa.A32: '["armv7-a", "neon"]'}


def kernel(
    isa: Isa, prototype: str, arguments: Mapping[str, str], code: str, *, stack: int = 64
) -> tuple[Program, Contract, int | None]:
    """A program with one kernel `k`, its contract, and the line that bears MARK.

    `arguments` gives what the contract says of each: `read = "16"`; registers are filled in.
    """
    names = list(arguments)
    size = {Isa.A64: ("w", "x"), Isa.A32: ("r", "r")}[isa]
    lines = []
    for number, name in enumerate(names):
        registers = _REGISTERS[isa]
        register = registers[number] if number < len(registers) else f"stack+{8 * (number - len(registers))}"
        if f"int {name}" in prototype:
            register = register.replace("x", size[0])
        lines.append(f'{name} = {{ reg = "{register}", {arguments[name]} }}')
    block = "\n".join(
        [
            "/*toml",
            'summary = "a test"',
            f'prototype = "{prototype}"',
            f"isa = {_ISA[isa]}",
            f"stack = {stack}",
            "[args]",
            *lines,
            "*/",
        ]
    )
    text = f"{block}\n{_HEAD[isa]}.global k\nk:\n{code}\n"
    marked = [number for number, line in enumerate(text.splitlines(), 1) if MARK in line]
    contract = parse_contract(text, "k.S")
    assert contract is not None
    return link(assemble_text(text, isa=isa, path="k.S")), contract, marked[0] if marked else None


def drawn_arguments(contract: Contract, integers: Mapping[str, int], seed: int) -> list[Passed]:
    """Random bytes in every buffer."""
    random = np.random.default_rng(seed)
    passed: list[Passed] = []
    for argument in contract.arguments:
        if argument.is_pointer:
            sizes = [size.evaluate(integers) for size in (argument.read, argument.write) if size is not None]
            data: Any = random.integers(0, 256, max(sizes), np.uint8)
            whole = data.size % argument.dtype.itemsize == 0
            passed.append(
                Buffer(argument.name, data.view(argument.dtype) if whole else data, argument.write is not None)
            )
        else:
            passed.append(integers[argument.name])
    return passed


def lines_of(program: Program, addresses: Sequence[int]) -> list[int]:
    """Source lines of instructions."""
    return [line.line for address in addresses if (line := program.line_at(address)) is not None]
