"""Run one case and compare its outputs with the expected ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.last_writer import LastWriterProbe
from neonlab.emulate.machine import Argument as Passed
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, Run
from neonlab.verify.cases.call_arguments import call_arguments as call_arguments
from neonlab.verify.cases.call_arguments import touched_bytes
from neonlab.verify.cases.case import Array, Case, Expected
from neonlab.verify.verdict import LastWriter, Mismatch

#: Instructions a call may take: for each declared multiply-accumulate, for each byte of its buffers, and a constant.
#: They are far more than any kernel needs, so that only an endless loop exceeds them.
_STEPS_PER_MAC, _STEPS_PER_BYTE, _STEPS_AT_LEAST = 200, 200, 1_000_000
#: Where no multiply-accumulates are declared, a call may also take so many for each pair of bytes, as some sorts do, up
#: to what the emulator executes in a second or two.  An endless loop shows at the smallest shapes, where it is little.
_STEPS_PER_PAIR, _STEPS_OF_PAIRS = 32, 1 << 27
#: The name of a mismatch of the returned value.
RETURNED = "returned value"
_AXES = ("channel", "y", "x")


def step_budget(contract: Contract, integers: Mapping[str, int]) -> int:
    """Return the number of instructions after which a call counts as one that never returns."""
    touched = touched_bytes(contract, integers)
    if contract.macs is not None:
        work = _STEPS_PER_MAC * contract.macs.evaluate(integers)
    else:
        work = min(_STEPS_PER_PAIR * touched * touched, _STEPS_OF_PAIRS)
    return _STEPS_AT_LEAST + work + _STEPS_PER_BYTE * touched


def run_case(machine: Machine, contract: Contract, case: Case) -> Run | Fault:
    """Call the kernel on the case, and return its run or its fault."""
    return call_case(machine, contract, case, call_arguments(contract, case))


def call_case(machine: Machine, contract: Contract, case: Case, arguments: Sequence[Passed]) -> Run | Fault:
    """Call the kernel on the case with `arguments`, whose buffers may lie elsewhere, as `run_case` does."""
    return machine.call(
        contract.name,
        arguments,
        contract.signature,
        float_abi=contract.float_abi,
        step_budget=step_budget(contract, case.integers),
        seed=case.seed,
    )


def find_mismatch(program: Program, contract: Contract, case: Case, run: Run) -> Mismatch | None:
    """Return the first output that differs from the expected one, described; None if all are right."""
    for name, expected in case.expected.items():
        got = written_elements(contract, case, run, name)
        if not np.array_equal(got, expected.array.reshape(-1)):
            return describe_mismatch(program, contract, case, name, got.reshape(expected.array.shape), expected)
    if case.returned is not None and run.returned != case.returned:
        return Mismatch(RETURNED, (), str(run.returned), str(case.returned), 1, 1, "", (), None)
    return None


def is_right(contract: Contract, case: Case, run: Run) -> bool:
    """Tell whether every output and the returned value are as expected."""
    if case.returned is not None and run.returned != case.returned:
        return False
    return all(
        np.array_equal(written_elements(contract, case, run, n), e.array.reshape(-1)) for n, e in case.expected.items()
    )


def written_elements(contract: Contract, case: Case, run: Run, name: str) -> Array:
    """Return the elements of an output without the gaps between rows, in the expected dtype and of shape (n,)."""
    expected = case.expected[name].array
    held = run.outputs[name].view(np.uint8).reshape(-1)[contract.argument(name).block(case.integers).written]
    return np.ascontiguousarray(held[: expected.nbytes]).view(expected.dtype)


def describe_mismatch(
    program: Program, contract: Contract, case: Case, name: str, got: Array, expected: Expected
) -> Mismatch:
    """Describe a wrong output: its first wrong element, that element's writer, and a map of all wrong elements."""
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
    """Return the sort key of an axis: channel, y and x first in any layout, then other axes in their own order."""
    return _AXES.index(item[0]) if item[0] in _AXES else len(_AXES)


def last_writer(program: Program, contract: Contract, case: Case, name: str, offset: int) -> LastWriter | None:
    """Run the case again with every store recorded, and return the last writer of byte `offset` of `name`."""
    probe = LastWriterProbe(program)
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
    return LastWriter(
        address,
        f"{line.path}:{line.line}" if line else "",
        (line.expanded or line.text).strip() if line else "",
        instruction.text if instruction else "",
        line.trail if line else (),
    )


_MAP_ROWS, _MAP_COLUMNS = 12, 64


def draw_map(wrong: Array, index: tuple[int, ...], axes: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return a title and rows of `.` and `X` for the plane through `index` over the two largest axes.

    Where the plane is larger than the screen, one character stands for a block: `X` if any element of it is wrong.
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
        title += f", {blocks[0]}x{blocks[1]} elements per character"
    return title, tuple("".join("X" if cell else "." for cell in row) for row in cells)
