"""Notice after a run that compared results alone whether a watched run would find a fault that leaves them right.

The registers that a call must preserve are compared.  Instructions that only a watched run judges, such as one of an
undeclared feature, or a store below sp, are looked for among those that ran.
"""

from __future__ import annotations

import numpy as np

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.guest.registers import RegisterState, offset_of
from neonlab.emulate.hooks.block_meter import BlockMeter
from neonlab.emulate.hooks.served import is_served
from neonlab.isa.model.instruction import AccessKind, Instruction
from neonlab.isa.model.isa import Isa
from neonlab.verify.abi.obligations import CONTROL, StaticCheck, preserved_registers
from neonlab.verify.memory.sanitizer import is_ordered


class UnwatchedCheck:
    """Tells of single calls of one kernel whether they should be made again, watched."""

    def __init__(self, program: Program, contract: Contract) -> None:
        isa = program.isa
        self._static = StaticCheck(program, contract)
        own = [one for one in program.instructions if not is_served(program, one.address)]
        self._suspects = np.array([one.address for one in own if _is_suspect(one, contract)], np.int64)
        names = dict.fromkeys(preserved_registers(isa), 8) | {"sp": 8 if isa is Isa.A64 else 4}
        if isa is Isa.A64 and not contract.allows.platform_register:
            names["x18"] = 8
        spans = [(offset_of(isa, name), size if name[0] != "r" else 4) for name, size in names.items()]
        control, bits = CONTROL[isa]
        size = max(start for start, _ in [*spans, (offset_of(isa, control), 8)]) + 8
        self._mask = np.zeros(-(-size // 8) * 8, np.uint8)
        for start, width in spans:
            self._mask[start : start + width] = 0xFF
        start = offset_of(isa, control)
        self._mask[start : start + 4] = np.frombuffer(bits.to_bytes(4, "little"), np.uint8)

    def is_due(self, entry: RegisterState, left: RegisterState, meter: BlockMeter) -> bool:
        """Tell whether a register was not preserved, or an instruction ran that only a watched run judges."""
        size = self._mask.size
        if ((entry.image[:size] ^ left.image[:size]) & self._mask).any():
            return True
        if self._suspects.size and meter.executions()[(self._suspects - meter.base) >> 1].any():
            return True
        return self._static.collect(meter) is not None


def _is_suspect(instruction: Instruction, contract: Contract) -> bool:
    if is_ordered(instruction, contract):
        return True
    return any(
        access.kind is AccessKind.STORE
        and access.base is not None
        and access.base.name(instruction.isa) == "sp"
        and access.displacement < 0
        and instruction.writeback is None
        for access in instruction.accesses
    )
