"""Run one case and compare what comes out with what must."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import numpy as np

from neonlab.assemble.contract import Argument, Contract
from neonlab.assemble.extent import Block
from neonlab.assemble.program import Program
from neonlab.emulate.buffer import Buffer
from neonlab.emulate.last_writer import LastWriterProbe
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, Run
from neonlab.verify.case import Array, Case, Expected
from neonlab.verify.verdict import Mismatch, Writer

#: Instructions a guest may take: for each declared multiply-accumulate, for each byte of its buffers, and on top.
#: Far more than any kernel needs, so that only one that never ends runs out.
_STEPS_PER_MAC, _STEPS_PER_BYTE, _STEPS_AT_LEAST = 200, 200, 1_000_000
_AXES = ("channel", "y", "x")


def step_budget(contract: Contract, integers: Mapping[str, int]) -> int:
    """Instructions after which a call counts as one that never returns."""
    macs = contract.macs.evaluate(integers) if contract.macs is not None else 0
    sizes = [size.evaluate(integers) for a in contract.arguments for size in (a.read, a.write) if size is not None]
    return _STEPS_AT_LEAST + _STEPS_PER_MAC * macs + _STEPS_PER_BYTE * sum(sizes)


def call_arguments(contract: Contract, case: Case) -> list[int | float | Buffer]:
    """What to pass, in the prototype's order.  Outputs that are not read begin as garbage, repeatable by the seed."""
    garbage = np.random.default_rng([case.seed, zlib.crc32(case.title.encode()), 1])
    arguments: list[int | float | Buffer] = []
    for argument in contract.arguments:
        if argument.is_pointer:
            block = argument.block(case.integers)
            contents = _contents(argument, block, case, garbage)
            buffer = Buffer(
                argument.name,
                contents,
                argument.write is not None,
                readable_before=argument.under_read,
                readable_after=argument.over_read,
                origin=block.origin,
            )
            arguments.append(buffer)
        elif argument.ctype.kind == "integer":
            arguments.append(case.integers[argument.name])
        else:
            arguments.append(float(case.inputs[argument.name]))
    return arguments


def _contents(argument: Argument, block: Block, case: Case, garbage: np.random.Generator) -> Array:
    if argument.write is None and not block.gaps:
        return case.inputs[argument.name]
    contents = garbage.integers(0, 256, block.size, np.uint8)
    if argument.read is not None:
        given = np.ascontiguousarray(case.inputs[argument.name]).view(np.uint8).reshape(-1)
        chosen = block.read
        contents[slice(chosen.start, chosen.start + given.size) if isinstance(chosen, slice) else chosen] = given
    whole = block.size % argument.dtype.itemsize == 0
    return contents.view(argument.dtype) if whole else contents


def run_case(machine: Machine, contract: Contract, case: Case) -> Run | Fault:
    """Call the kernel on the case."""
    return machine.call(
        contract.name,
        call_arguments(contract, case),
        contract.signature,
        float_abi=contract.float_abi,
        step_budget=step_budget(contract, case.integers),
        seed=case.seed,
    )


def find_mismatch(program: Program, contract: Contract, case: Case, run: Run) -> Mismatch | None:
    """The first output that differs from what the case expects, described; None where all are right."""
    for name, expected in case.expected.items():
        written = contract.argument(name).block(case.integers).written
        held = run.outputs[name].view(np.uint8).reshape(-1)[written]
        got = np.ascontiguousarray(held[: expected.array.nbytes]).view(expected.array.dtype)
        if not np.array_equal(got, expected.array.reshape(-1)):
            return describe_mismatch(program, contract, case, name, got.reshape(expected.array.shape), expected)
    return None


def describe_mismatch(
    program: Program, contract: Contract, case: Case, name: str, got: Array, expected: Expected
) -> Mismatch:
    """Name the first wrong element, who wrote it, and where the others are."""
    wrong = got != expected.array
    flat = int(np.argmax(wrong.reshape(-1)))
    index = tuple(int(i) for i in np.unravel_index(flat, wrong.shape))
    title, rows = draw_map(wrong, index, expected.axes)
    offset = contract.argument(name).block(case.integers).offset(flat * got.itemsize)
    return Mismatch(
        output=name,
        index=tuple(sorted(zip(expected.axes, index, strict=True), key=_axis_order)),
        got=str(got[index]),
        expected=str(expected.array[index]),
        wrong=int(wrong.sum()),
        total=wrong.size,
        map_title=title,
        map=rows,
        writer=last_writer(program, contract, case, name, offset),
        offset=offset,
        size=got.itemsize,
    )


def _axis_order(item: tuple[str, int]) -> int:
    """People name an element (channel, y, x) however it is laid out; other axes keep their order, after these."""
    return _AXES.index(item[0]) if item[0] in _AXES else len(_AXES)


def last_writer(program: Program, contract: Contract, case: Case, name: str, offset: int) -> Writer | None:
    """Run the case again with every store recorded; who last wrote byte `offset` of buffer `name`."""
    probe = LastWriterProbe()
    machine = Machine(program, probes=(probe,))
    try:
        run_case(machine, contract, case)
        address = probe.writer(name, offset)
    finally:
        machine.close()
    if address is None:
        return None
    line = program.line_at(address)
    instruction = program.by_address.get(address)
    return Writer(
        address,
        f"{line.path}:{line.line}" if line else "",
        (line.expanded or line.text).strip() if line else "",
        instruction.text if instruction else "",
        line.trail if line else (),
    )


_MAP_ROWS, _MAP_COLUMNS = 12, 64


def draw_map(wrong: Array, index: tuple[int, ...], axes: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The plane through `index` over the two largest axes: a title and rows of `.` and `X`.

    Where the plane is larger than the screen allows, a character stands for a block: `X` if any of it is wrong.
    """
    order = sorted(range(wrong.ndim), key=lambda axis: -wrong.shape[axis])[:2]
    rows_axis, columns_axis = sorted(order) if wrong.ndim > 1 else (None, 0)
    fixed = {axis: index[axis] for axis in range(wrong.ndim) if axis not in (rows_axis, columns_axis)}
    plane = wrong[tuple(fixed.get(axis, slice(None)) for axis in range(wrong.ndim))]
    plane = plane.reshape(1, -1) if plane.ndim == 1 else plane
    blocks = [-(-size // limit) for size, limit in zip(plane.shape, (_MAP_ROWS, _MAP_COLUMNS), strict=True)]
    padded = np.zeros([-(-size // block) * block for size, block in zip(plane.shape, blocks, strict=True)], bool)
    padded[: plane.shape[0], : plane.shape[1]] = plane
    cells = padded.reshape(padded.shape[0] // blocks[0], blocks[0], -1, blocks[1]).max(axis=(1, 3)).tolist()
    at = ", ".join(f"{axes[axis]} {value}" for axis, value in fixed.items())
    down = axes[rows_axis] if rows_axis is not None else ""
    title = f"{at + ': ' if at else ''}{down + ' down, ' if down else ''}{axes[columns_axis]} across"
    if max(blocks) > 1:
        title += f", {blocks[0]}x{blocks[1]} elements a character"
    return title, tuple("".join("X" if cell else "." for cell in row) for row in cells)
