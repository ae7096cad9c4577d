"""Check the registers on return and the executed instructions against the procedure call standard and the contract.

Clauses are quoted by section title, since the numbers change between releases; the texts are aapcs32.rst and
aapcs64.rst of https://github.com/ARM-software/abi-aa.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.guest.registers import RegisterState
from neonlab.emulate.hooks.block_meter import BlockMeter
from neonlab.emulate.hooks.served import is_served
from neonlab.emulate.probe import Probe
from neonlab.emulate.run import Fault, FaultKind
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.verify.abi.register_history import RegisterHistory, Write, Writers
from neonlab.verify.known_faults import looked_past

_SAVED = {
    Isa.A64: (*(f"x{i}" for i in range(19, 30)), *(f"d{i}" for i in range(8, 16))),
    Isa.A32: (*(f"r{i}" for i in range(4, 12)), *(f"d{i}" for i in range(8, 16))),
}
_CLAUSES = {
    (Isa.A64, "x"): "AAPCS64, General-purpose Registers: x19-x29 and sp are preserved",
    (Isa.A64, "d"): "AAPCS64, SIMD and Floating-Point Registers: the low 64 bits of v8-v15 are preserved",
    (Isa.A32, "r"): "AAPCS32, Core registers: r4-r11 and sp are preserved",
    (Isa.A32, "d"): "AAPCS32, VFP register usage conventions: d8-d15 are preserved",
}
# All of FPCR: its exception bits live in FPSR.  All of FPSCR except N, Z, C, V, QC and the cumulative exception bits,
# which "are not preserved across a public interface".
CONTROL = {Isa.A64: ("fpcr", 0xFFFFFFFF), Isa.A32: ("fpscr", 0x07FF9F00)}
_X18_CLAUSE = (
    "AAPCS64, General-purpose Registers: x18 is the platform register; a kernel restores it, or its contract says "
    'platform_register = "free"'
)
_NARROW_CLAUSE = (
    "AAPCS32, Result Return: a Fundamental Data Type smaller than 4 bytes is zero- or sign-extended to a word in r0"
)
_BOOLEANS = ("bool", "_Bool")
_A64_HINTS = 0xD503201F  # nop and its neighbours (bti, paciasp): no operation on cores that do not know them

# cps; msr that writes more than flags; saved status and banked registers; arithmetic into pc that restores the status.
_A32_PRIVILEGED = re.compile(
    r"cps|msr\w* (?:cpsr_\w*[cx]|spsr|\w+_(?:usr|fiq|irq|svc|abt|und|mon|hyp)\b)"
    r"|mrs\w* \w+, (?:spsr|\w+_(?:usr|fiq|irq|svc|abt|und|mon|hyp)\b)"
    r"|(?:mov|mvn|add|adc|sub|sbc|rsb|rsc|and|orr|eor|bic|lsl|lsr|asr|ror|rrx)s(?:[a-z]{2})? pc\b"
)
# op1 and op2 of UAO, PAN, SPSel, DAIFSet, DAIFClr (DDI 0487, C6.2, MSR (immediate)).
_PRIVILEGED_FIELDS = ((0, 3), (0, 4), (0, 5), (3, 6), (3, 7))
# Reads of the generic timer's counters and of the cycle counter.
_CLOCKS = re.compile(
    r"mrs \w+, (?:cnt[vp]ct(?:ss)?_el0|pmccntr_el0)|mrrc\w* p15, #[01], \w+, \w+, c14|mrc\w* p15, #0, \w+, c9, c13, #0"
)
_OF_COMPILERS = (".c", ".cc", ".cpp", ".cxx", ".C", ".h", ".hpp", ".hh", ".inc", ".rs")
_STACK_REACH = 1 << 24  # no stack is larger

Rerun = Callable[[Probe], object]
"""Makes the same call again with the probe attached."""


def clock_read(program: Program, fault: Fault) -> Fault | None:
    """Return the fault of an instruction that the emulated CPU refused because it reads a clock; None for any other."""
    instruction = program.by_address.get(fault.address)
    if instruction is None or not _CLOCKS.match(instruction.text):
        return None
    message = f"`{instruction.text}` reads a clock, so its result differs from call to call"
    return replace(
        fault,
        kind=FaultKind.NONDETERMINISTIC,
        message=message,
        clause="a kernel's result is a function of its arguments",
    )


def clause_of(kind: FaultKind, isa: Isa, contract: Contract) -> str:
    """Return the clause that a fault of this kind breaks; an empty string for kinds whose faults carry their own."""
    standard, link = ("AAPCS64", "x30") if isa is Isa.A64 else ("AAPCS32", "lr")
    if kind is FaultKind.BAD_RETURN:
        return f"{standard}, Subroutine Calls: a function returns to the address that {link} held on entry"
    if kind is FaultKind.UNDEFINED_INSTRUCTION:
        return f"isa = {contract.architecture}: user-mode instructions that it defines"
    return "a kernel returns" if kind is FaultKind.STEP_BUDGET else ""


def preserved_registers(isa: Isa) -> tuple[str, ...]:
    """Return the names of the callee-saved registers, without sp."""
    return _SAVED[isa]


def check_exit(
    program: Program, contract: Contract, entry: RegisterState, left: RegisterState, rerun: Rerun
) -> Fault | None:
    """Return the first fault in the registers that a call `left`, compared with those on `entry`; None if all is right.

    In A32 a result narrower than a word must also be extended to a word; AAPCS64 leaves the bits above it open.
    `rerun` is used only when something is wrong, to find the instruction.
    """
    found = _exit_faults(program, contract, entry, left, rerun)
    past = looked_past(program, contract)
    return next((fault for fault in found if (fault.address, fault.kind) not in past), None)


def _exit_faults(
    program: Program, contract: Contract, entry: RegisterState, left: RegisterState, rerun: Rerun
) -> Iterator[Fault]:
    """Yield every fault in the registers, the one that explains most first."""
    isa = program.isa
    if entry.read("sp") != left.read("sp"):
        yield _locate(program, ["sp"], entry, left, rerun)
    spoilt = entry.changed(_SAVED[isa], left)
    while spoilt:
        fault = _locate(program, spoilt, entry, left, rerun)
        yield fault
        spoilt = [name for name in spoilt if name != fault.register]
    control, mask = CONTROL[isa]
    if (entry.read(control) ^ left.read(control)) & mask:
        yield _locate(program, [control], entry, left, rerun)
    if isa is Isa.A64:
        x18_kept = contract.allows.platform_register or entry.read("x18") == left.read("x18")
        last = None if x18_kept else _platform_register(program, entry, left, rerun)
    else:
        last = _narrow_result(program, contract, entry, left, rerun)
    if last is not None:
        yield last


def _platform_register(program: Program, entry: RegisterState, left: RegisterState, rerun: Rerun) -> Fault | None:
    """Return the fault of hand-written code that changed x18; None for code of a compiler, which knows its platform."""
    fault = _locate(program, ["x18"], entry, left, rerun)
    instruction = program.by_address.get(fault.address)
    if instruction is not None and not _is_by_hand(program, instruction):
        return None
    return replace(fault, clause=_X18_CLAUSE)


def _narrow_result(
    program: Program, contract: Contract, entry: RegisterState, left: RegisterState, rerun: Rerun
) -> Fault | None:
    """Return the fault of an 8 or 16 bit result in r0 that is not extended to the whole word; None if it is right."""
    ctype = contract.signature.returns
    if ctype is None or ctype.kind != "integer" or ctype.size >= 4:
        return None
    word, bits = left.read("r0", 4), 1 if ctype.name in _BOOLEANS else 8 * ctype.size
    value = word & (1 << bits) - 1
    if ctype.signed and value >> bits - 1:
        value -= 1 << bits
    if value % (1 << 32) == word:
        return None
    history = RegisterHistory(program, ["r0"], entry)
    rerun(history)
    last = history.collect("r0").last
    how = "sign" if ctype.signed else "zero"
    wanted = "must be 0 or 1" if bits == 1 else f"must be {value}: the low {bits} bits {how}-extended to 32"
    message = f"returns r0 = {word:#010x} for a result of type {ctype.name}, which {wanted}"
    return _fault(program, FaultKind.NARROW_RESULT, message, last.address if last else 0, "r0", _NARROW_CLAUSE)


def _locate(program: Program, spoilt: list[str], entry: RegisterState, left: RegisterState, rerun: Rerun) -> Fault:
    history = RegisterHistory(program, spoilt, entry)
    rerun(history)
    sp = entry.read("sp")
    culprits = {name: culprit(history.collect(name), name, sp) for name in spoilt}
    # The register that went wrong first stands for all the others.
    name = min(spoilt, key=lambda name: write.order if (write := culprits[name][0]) else 0)
    write, restored = culprits[name]
    before, after = entry.read(name), left.read(name)
    standard = "AAPCS64" if program.isa is Isa.A64 else "AAPCS32"
    if name == "sp":
        kind = FaultKind.STACK_POINTER
        change = after - before
        message = f"returns with sp {abs(change)} bytes {'above' if change > 0 else 'below'} its value on entry"
        clause = _CLAUSES[program.isa, "x" if program.isa is Isa.A64 else "r"]
    elif name in ("fpcr", "fpscr"):
        kind = FaultKind.FLOATING_POINT_CONTROL
        message = f"returns with {name.upper()} = {after:#x}; it was {before:#x} on entry"
        clause = f"{standard}: the control bits of {name.upper()} are global and preserved"
    else:
        kind = FaultKind.CLOBBERED_CALLEE_SAVED
        rest = [other for other in spoilt if other != name]
        others = f", and {', '.join(rest)} changed too" if rest else ""
        how = "is restored wrongly" if restored else "is overwritten and not restored"
        if not restored and _is_restore(history.collect(name), sp):
            how = "is overwritten without having been saved"
        message = f"{name} {how}: {before:#x} on entry, {after:#x} on return{others}"
        clause = _CLAUSES[program.isa, name[0]]
    return _fault(program, kind, message, write.address if write else 0, name, clause)


def culprit(writers: Writers, name: str, sp: int) -> tuple[Write | None, bool]:
    """Return the write to blame for the final value of register `name`, and whether it is a wrong restore.

    No restore can be right for a register that was never saved, so then the write that needed a save is to blame.
    """
    if name in ("sp", "fpcr", "fpscr"):
        return writers.last, False
    restored = writers.saved and _is_restore(writers, sp)
    return (writers.last if restored else writers.first), restored


def _is_restore(writers: Writers, sp: int) -> bool:
    """Tell whether the last write looks like a restore.

    Its value comes from the frame, which lies below sp on entry, or from a register, and was not read afterwards.
    """
    from_frame = sp - _STACK_REACH < writers.last_base < sp
    return (from_frame or writers.moved_back) and not writers.used


def _fault(program: Program, kind: FaultKind, message: str, at: int, register: str, clause: str) -> Fault:
    instruction = program.by_address.get(at)
    return Fault(
        kind,
        message,
        at,
        program.line_at(at),
        instruction.text if instruction else "",
        register=register or None,
        clause=clause,
    )


class StaticCheck:
    """Finds executed instructions that no kernel may execute, whatever their operands.

    They are privileged, need features that are not declared, or write the thread pointer.
    """

    def __init__(self, program: Program, contract: Contract) -> None:
        self._program, self._contract = program, contract
        past = looked_past(program, contract)

        def reported(kind: FaultKind) -> list[Instruction]:
            return [i for i in program.instructions if (i.address, kind) not in past]

        self._undeclared = [
            (instruction, missing)
            for instruction in reported(FaultKind.FEATURE_NOT_DECLARED)
            if (missing := missing_features(instruction, contract.features))
            and not is_served(program, instruction.address)
        ]
        self._privileged = [i for i in reported(FaultKind.UNDEFINED_INSTRUCTION) if is_privileged(i)]
        self._thread = [i for i in reported(FaultKind.CLOBBERED_CALLEE_SAVED) if _writes_thread_pointer(i)]

    def collect(self, meter: BlockMeter) -> Fault | None:
        """Return a fault for one forbidden instruction that was executed, or None.

        Undeclared features come first, then privileged instructions, then writes of the thread pointer; each in address
        order.
        """
        if not self._undeclared and not self._privileged and not self._thread:
            return None
        executions = meter.executions()

        def executed(instruction: Instruction) -> bool:
            half = (instruction.address - meter.base) // 2
            return 0 <= half < executions.size and executions[half] > 0

        for instruction, missing in self._undeclared:
            if executed(instruction):
                return self._missing(instruction, missing)
        for instruction in self._privileged:
            if executed(instruction):
                message = f"`{instruction.text}` is undefined outside the kernel of an operating system"
                clause = "isa = instructions that unprivileged code may execute"
                return _fault(self._program, FaultKind.UNDEFINED_INSTRUCTION, message, instruction.address, "", clause)
        for instruction in self._thread:
            if executed(instruction):
                message = (
                    f"`{instruction.text}` writes the thread pointer, which the caller needs for its thread-local data"
                )
                clause = "AAPCS, Thread Local Storage: the thread pointer belongs to the platform"
                return _fault(self._program, FaultKind.CLOBBERED_CALLEE_SAVED, message, instruction.address, "", clause)
        return None

    def undeclared_at(self, address: int) -> Fault | None:
        """Return the fault of the instruction at `address` if it needs an undeclared feature, else None."""
        found = (pair for pair in self._undeclared if pair[0].address == address)
        return next((self._missing(instruction, missing) for instruction, missing in found), None)

    def _missing(self, instruction: Instruction, missing: Collection[str]) -> Fault:
        message = f"`{instruction.text}` needs {' and '.join(missing)}, which the contract does not declare"
        declared = ", ".join(sorted(self._contract.features)) or "nothing more"
        clause = f"isa = {self._contract.architecture}: {declared}"
        return _fault(self._program, FaultKind.FEATURE_NOT_DECLARED, message, instruction.address, "", clause)


def _is_by_hand(program: Program, instruction: Instruction) -> bool:
    """Tell whether the instruction was written by hand; a compiler may use x18 where its platform allows that.

    Lines that our own assembler read count as hand-written whatever the file is called: kernels include loops from
    headers.
    """
    line = program.line_at(instruction.address)
    return line is not None and (bool(line.expanded) or not line.path.endswith(_OF_COMPILERS))


def _writes_thread_pointer(instruction: Instruction) -> bool:
    """Tell whether the instruction writes TPIDR_EL0, or TPIDRURW in A32."""
    if instruction.isa is Isa.A64:
        return instruction.word & 0xFFFFFFE0 == 0xD51BD040
    return instruction.word & 0x0FFF0FFF == 0x0E0D0F50


def is_privileged(instruction: Instruction) -> bool:
    """Tell whether the instruction is for an operating system; the emulated CPU executes or ignores it.

    In A64, it moves a system register that EL0 cannot access, or maintains caches and translation (DDI 0487, C5.2 to
    C5.5 and D17.1.3).  Registers that EL0 may access have op1 = 3 in their names; Linux also lets EL0 read the
    identification registers.  In A32, it changes the mode, masks interrupts, or names another mode's registers, which
    User mode ignores or leaves UNPREDICTABLE (DDI 0406C, B9.3).
    """
    if instruction.isa is Isa.A32:
        return _A32_PRIVILEGED.match(instruction.text) is not None
    word = instruction.word
    if word & 0xFFF8F01F == 0xD500401F:  # msr of an immediate
        return (word >> 16 & 7, word >> 5 & 7) in _PRIVILEGED_FIELDS
    if word & 0xFFD80000 == 0xD5080000:  # sys and sysl: ic, dc, at, tlbi
        return word >> 16 & 7 != 3
    if word & 0xFFD00000 != 0xD5100000:
        return False
    reads, op1, first = word >> 21 & 1, word >> 16 & 7, word >> 12 & 15
    identification = reads and op1 == 0 and first == 0 and word >> 19 & 1
    return op1 != 3 and not identification


def missing_features(instruction: Instruction, declared: Collection[str]) -> tuple[str, ...]:
    """Return the features that the instruction needs and `declared` lacks, sorted."""
    needed = set(instruction.features)
    if instruction.isa is Isa.A64 and instruction.word & 0xFFFFF01F == _A64_HINTS:
        return ()
    if instruction.isa is Isa.A32 and _is_advanced_simd(instruction.word):
        needed.add("neon")
    return tuple(sorted(needed - set(declared)))


def _is_advanced_simd(word: int) -> bool:
    """Tell whether an A32 word is Advanced SIMD rather than VFP (DDI 0406C, A7.4, A7.7 and A7.8)."""
    if word >> 25 == 0b1111001 or word >> 24 == 0xF4:
        return True
    transfer = word >> 28 != 15 and word & 0x0F000F10 == 0x0E000B10  # vmov and vdup between core register and lane
    return transfer and (word & 0x00900000 == 0x00800000 or word & 0x00400020 != 0)
