"""Say in one line what an instruction does: lanes as an equation, accesses by address, branches by target.

    smlal v2.8h, v0.8b, v4.8b     v2.h[i] += v0.b[i] * v4.b[i], signed; i below 8
    ld1 {v0.16b}, [x1], #16       load 16 bytes from [x1] to v0; then x1 += 16

The equations are those of `neonlab.isa.model.lane_families` and `lane_bits`, by the same names; a test evaluates them.
"""

from __future__ import annotations

from neonlab.isa.lanes import lane_operation
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction, InstructionClass, MemoryAccess
from neonlab.isa.model.isa import Isa, Register
from neonlab.isa.model.lane_operation import VECTOR_BYTES, LaneOperation, Lanes, general_start, is_general

_LETTERS = {8: "b", 16: "h", 32: "s", 64: "d", 128: "q"}

#: By family: what the destination gets.  {a}, {b}, {c} are the sources, in which `i` is the lane; {n} is the immediate.
_VALUES = {
    "add": "{a} + {b}",
    "sub": "{a} - {b}",
    "hadd": "({a} + {b}{one}) >> 1",
    "hsub": "({a} - {b}) >> 1",
    "mul": "{a} * {b}",
    "mla": "{a} + {b} * {c}",
    "mls": "{a} - {b} * {c}",
    "abd": "|{a} - {b}|",
    "aba": "{a} + |{b} - {c}|",
    "abs": "|{a}|",
    "neg": "-{a}",
    "shl": "{a} << {n}",
    "shr": "({a}{half}) >> {n}",
    "sra": "{a} + (({b}{half}) >> {n})",
    "shift": "{a} << {b}, to the right where {b} is negative",
    "addhn": "the upper half of {a} + {b}",
    "subhn": "the upper half of {a} - {b}",
    "qdmulh": "(2 * {a} * {b}{high}) >> {width}",
    "qdmlah": "({a} << {width}) + 2 * {b} * {c}, rounded, >> {width}",
    "qdmlsh": "({a} << {width}) - 2 * {b} * {c}, rounded, >> {width}",
    "qdmull": "2 * {a} * {b}",
    "qdmlal": "{a} + 2 * {b} * {c}",
    "qdmlsl": "{a} - 2 * {b} * {c}",
    "max": "max({a}, {b})",
    "min": "min({a}, {b})",
    "cmeq": "all ones where {a} == {b}, else 0",
    "cmgt": "all ones where {a} > {b}, else 0",
    "cmge": "all ones where {a} >= {b}, else 0",
    "cmlt": "all ones where {a} < {b}, else 0",
    "cmle": "all ones where {a} <= {b}, else 0",
    "cmtst": "all ones where {a} & {b} is not 0, else 0",
    "pmul": "{a} * {b} as polynomials over bits",
    "and": "{a} & {b}",
    "orr": "{a} | {b}",
    "eor": "{a} ^ {b}",
    "bic": "{a} & ~{b}",
    "orn": "{a} | ~{b}",
    "not": "~{a}",
    "bsl": "{a} ? {b} : {c}, bit by bit",
    "bit": "{c} ? {b} : {a}, bit by bit",
    "bif": "{c} ? {a} : {b}, bit by bit",
    "mov": "{a}",
    "constant": "{n}",
    "orr_constant": "{a} | {n}",
    "bic_constant": "{a} & ~{n}",
    "sli": "{b} << {n}, with the lower {n} bits of {a}",
    "sri": "{b} >> {n}, with the upper {n} bits of {a}",
    "cnt": "the number of ones in {a}",
    "clz": "the number of leading zeros of {a}",
    "cls": "the number of leading bits of {a} that equal its sign",
    "rbit": "the bits of {a}, last first",
}
#: The same for whole registers, whose results do not come lane by lane.  {A} and {B} are registers.
_WHOLE = {
    "dot": "{d}[i] += the four products of {B}[4i..4i+3] and {C}{four}",
    "mmla": "{d}[2i+j] += row i of {B} times row j of {C}, 8 products each",
    "addp": "{d}[i] = sums of neighbours in {A}{then}",
    "adalp": "{d}[i] += {B}[2i] + {B}[2i+1]",
    "addv": "{d} = the sum of all lanes of {A}",
    "maxv": "{d} = the largest lane of {A}",
    "minv": "{d} = the smallest lane of {A}",
    "maxp": "{d}[i] = the larger of neighbours in {A}{then}",
    "minp": "{d}[i] = the smaller of neighbours in {A}{then}",
    "ext": "{d} = {count} bytes of {A}, {B} from byte {n} on",
    "rev": "{d} = the lanes of {A}, last first in each {n} bits",
    "zip1": "{d} = lanes of {A} and {B} in turn, lower halves",
    "zip2": "{d} = lanes of {A} and {B} in turn, upper halves",
    "uzp1": "{d} = the even lanes of {A}, then of {B}",
    "uzp2": "{d} = the odd lanes of {A}, then of {B}",
    "trn1": "{d} = the even lanes of {A} and {B} in turn",
    "trn2": "{d} = the odd lanes of {A} and {B} in turn",
    "tbl": "{d}[i] = the table at {I}[i]; 0 beyond its end",
    "tbx": "{d}[i] = the table at {I}[i]; kept beyond its end",
    "vzip": "{d} and {second} = their lanes in turn",
    "vuzp": "{d} = the even lanes of both, {second} = the odd ones",
    "vtrn": "transpose each 2x2 lanes of {d} and {second}",
    "vswp": "exchange {d} and {second}",
    "pair_in": "{d} = {A} and {B}, low half first",
    "pair_out": "the low half of {A} to {d}, the high one to {second}",
}
_WITH_SIGN = frozenset(
    ("add", "sub", "hadd", "hsub", "mul", "mla", "mls", "abd", "aba", "dot", "mmla", "addp", "adalp", "addv", "shl",
     "shr", "sra", "shift", "max", "min", "maxp", "minp", "maxv", "minv", "cmgt", "cmge", "cmlt", "cmle", "mov")
)  # fmt: skip


def equation(instruction: Instruction) -> str:
    """Return what `instruction` does, in one line without its mnemonic."""
    if instruction.accesses:
        told = "; ".join(_access(instruction, access) for access in instruction.accesses)
        back = instruction.writeback
        if back is not None:
            base = back.base.name(instruction.isa)
            step = back.register.name(instruction.isa) if back.register is not None else str(abs(back.immediate))
            sign = "-" if back.register is None and back.immediate < 0 else "+"
            told += f"; then {base} {sign}= {step}"
        return told
    if instruction.branch is not BranchKind.NONE:
        return _branch(instruction)
    operation = lane_operation(instruction)
    if operation is not None:
        return _lanes(instruction.isa, operation)
    return _registers(instruction)


def _access(instruction: Instruction, access: MemoryAccess) -> str:
    isa = instruction.isa
    place = _address(isa, access)
    if access.kind is AccessKind.PREFETCH:
        return f"fetch the line of {place} into the cache"
    is_load = access.kind is AccessKind.LOAD
    address = {access.base, access.index}
    moved = instruction.writes if is_load else instruction.reads
    if instruction.writeback is not None:
        address.add(instruction.writeback.register)
    named = _runs(isa, [one for one in moved if one not in address or (is_load and one != access.base)])
    bytes_ = f"{access.count} byte{'s' * (access.count != 1)}"
    if not named:
        return f"{'load' if is_load else 'store'} {bytes_} at {place}"
    return f"load {bytes_} from {place} to {named}" if is_load else f"store {bytes_} of {named} to {place}"


def _address(isa: Isa, access: MemoryAccess) -> str:
    if access.base is None and access.index is None:
        return f"{access.displacement:#x}"
    parts = [one.name(isa) for one in (access.base, access.index) if one is not None]
    if access.index is not None and access.shift:
        parts[-1] += f" << {access.shift}"
    told = " + ".join(parts)
    if access.displacement:
        told += f" {'-' if access.displacement < 0 else '+'} {abs(access.displacement)}"
    return f"[{told}]"


def _runs(isa: Isa, registers: list[Register]) -> str:
    """Return names of registers, of which those that follow one another are one range."""
    names, at = [], 0
    while at < len(registers):
        end = at
        while end + 1 < len(registers) and registers[end + 1] == Register(registers[at].file, registers[end].index + 1):
            end += 1
        first, last = registers[at].name(isa), registers[end].name(isa)
        names.append(first if end == at else f"{first}, {last}" if end == at + 1 else f"{first}-{last}")
        at = end + 1
    return ", ".join(names)


def _branch(instruction: Instruction) -> str:
    isa = instruction.isa
    if instruction.branch is BranchKind.RETURN:
        return "return to the caller"
    words = {BranchKind.CALL: "call", BranchKind.INDIRECT: "continue at"}.get(instruction.branch, "branch to")
    target = f"{instruction.target:#x}" if instruction.target is not None else _runs(isa, list(instruction.reads))
    condition = f" if {instruction.condition}" if instruction.condition else ""
    tested = [one for one in instruction.reads if one.file == "general"]
    if instruction.branch is BranchKind.CONDITIONAL and not condition and tested:
        condition = f", by {_runs(isa, tested)}"
    return f"{words} {target}{condition}"


def _registers(instruction: Instruction) -> str:
    isa = instruction.isa
    writes, reads = _runs(isa, list(instruction.writes)), _runs(isa, list(instruction.reads))
    if not writes and not reads:
        return "no register changes"
    told = " from ".join(part for part in (writes or "nothing", reads) if part)
    kind = instruction.instruction_class
    return f"{told}, {kind.value}" if kind is InstructionClass.INTEGER else told


def _lanes(isa: Isa, operation: LaneOperation) -> str:
    destination, sources, bits = operation.destination, operation.sources, operation.destination.bits
    named = dict(zip("abc", (_lane(isa, one) for one in sources), strict=False))
    wholes = dict(zip("ABC", (_register(isa, one) for one in sources), strict=False))
    words = {
        "n": str(operation.immediate),
        "half": f" + {1 << operation.immediate - 1}" if operation.rounds and operation.immediate else "",
        "one": " + 1" if operation.rounds else "",
        "high": f" + {1 << bits - 1}" if operation.rounds else "",
        "width": str(bits),
        "count": str(destination.size),
        "then": f", then in {wholes['B']}" if len(sources) > 1 else "",
        "four": "" if len(sources) > 2 and sources[2].same else "[4i..4i+3]",
        "I": _register(isa, sources[-1]) if sources else "",
        "second": _register(isa, operation.second) if operation.second is not None else "",
    }
    whole = _WHOLE.get(operation.family)
    if whole is not None:
        told = whole.format(d=_register(isa, destination), **wholes, **words)
    else:
        if len(sources) < 2 and operation.family in ("cmeq", "cmgt", "cmge", "cmlt", "cmle", "cmtst"):
            named["b"] = "0"
        value = _VALUES[operation.family].format(**named, **words)
        target = _lane(isa, destination)
        told = f"{target} += {value[len(target) + 3 :]}" if value.startswith(f"{target} + ") else f"{target} = {value}"
    signs = {one.signed for one in sources if one.signed is not None} if operation.family in _WITH_SIGN else set()
    kind = {frozenset((True,)): ", signed", frozenset((False,)): ", unsigned"}.get(frozenset(signs), "")
    ends = kind + (", clamped" if operation.saturates else "")
    rounds = operation.rounds and operation.family in ("shift", "addhn", "subhn")
    counts = f"; i below {destination.count}" if destination.count > 1 and "[i]" in told else ""
    return told + ends + (", rounded" if rounds else "") + counts


def _register(isa: Isa, lanes: Lanes) -> str:
    """Return lanes as a register: `v2.h`, `d3.s8`-like halves by their own names, `x5`."""
    if is_general(isa, lanes):
        index = (lanes.start - general_start(isa, 0)) // 8
        return f"{'r' if isa is Isa.A32 else 'w' if lanes.bits <= 32 else 'x'}{index}"
    size = VECTOR_BYTES[isa]
    index, within = divmod(lanes.start, size)
    letter = _LETTERS.get(lanes.bits, str(lanes.bits))
    if isa is Isa.A32 and lanes.size > 8 and not index % 2:
        return f"q{index // 2}.{letter}"
    name = f"{'d' if isa is Isa.A32 else 'v'}{index}.{letter}"
    if lanes.same and lanes.count > 1:  # the group of a dot product
        return f"{name}[{within * 8 // lanes.bits}..{within * 8 // lanes.bits + lanes.count - 1}]"
    return name


def _lane(isa: Isa, lanes: Lanes) -> str:
    """Return one lane: `v2.h[i]`, or `v4.b[3]` where all results use the same."""
    name = _register(isa, lanes)
    if is_general(isa, lanes):
        return name
    within = lanes.start % VECTOR_BYTES[isa] * 8 // lanes.bits
    if lanes.same or lanes.count == 1:
        return f"{name}[{within}]"
    return f"{name}[i+{within}]" if within else f"{name}[i]"
