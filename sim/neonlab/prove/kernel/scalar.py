"""Express what instructions on general registers compute as steps on lanes, and narrow loads as extensions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from neonlab.emulate.operands import ALWAYS
from neonlab.isa.general_names import general_named
from neonlab.isa.lanes import LaneOperation, Lanes
from neonlab.isa.model.condition import NAMES as CONDITION_NAMES
from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.isa.model.isa import FLAGS, Isa
from neonlab.isa.model.lane_operation import general_start
from neonlab.prove.kernel.conditions import CONDITION_AT, ELSE_AT, OF_BITS, OF_DIFFERENCE, OF_SUM, SIGN_OF_BITS
from neonlab.prove.kernel.operands import NoRule, Steps
from neonlab.prove.kernel.places import FROM_AT, SIGNED_AT, WIDTH_AT, Numbers

_HALVES = re.compile(r"^sm(ul|la)([bt])([bt])$")
_LOAD = re.compile(r"^ldu?r(s?)([bhw])$")
_A32_LOAD = re.compile(r"^ldr(s?)([bh])$")
_EXTEND = re.compile(r"^([su])xt([bhw])$")
_FIELD = re.compile(r"^([su])bf(x|iz)$")
_INSERT = re.compile(r"^bf(i|xil|c)$")
_SATURATE = re.compile(r"^([su])sat$")
_LONG = re.compile(r"^([su])m(ul|la|add|sub)l$")
_HIGH = re.compile(r"^smmulr?$")
_BITS = {"b": 8, "h": 16, "w": 32}
_SUMS = {"add": "add", "sub": "sub", "rsb": "sub", "cmp": "sub", "cmn": "add", "neg": "sub"}
_BITWISE = {
    "and": "and", "orr": "orr", "eor": "eor", "bic": "bic", "orn": "orn", "eon": "eor", "tst": "and", "teq": "eor",
    "mvn": "not", "mov": "mov", "movw": "mov",
}  # fmt: skip
_ONLY_FLAGS = ("cmp", "cmn", "tst", "teq")
_SHIFTS = ("lsl", "lsr", "asr")
_PRODUCTS = {"mul": "mul", "mneg": "mls", "madd": "mla", "msub": "mls", "mla": "mla", "mls": "mls"}
_CHOICES = ("csel", "csinc", "csinv", "csneg", "cset", "csetm", "cinc", "cinv", "cneg")


@dataclass(frozen=True, slots=True)
class Extension:
    """A lane of `bits`, from memory or from byte `source` of the register file, written to a register of `width` bytes.

    Bytes from the end of the destination up to `clear_end` become zero.
    """

    destination: int
    width: int
    clear_end: int
    bits: int
    signed: bool
    loads: bool
    source: int = 0


def extension(instruction: Instruction) -> Extension | None:
    """Return a load that is narrower than its register, or an extension; None for another instruction."""
    isa, parts = instruction.isa, [part.strip() for part in instruction.operands.split(",")]
    name = instruction.mnemonic.removesuffix(instruction.condition or "")
    loaded = (_LOAD if isa is Isa.A64 else _A32_LOAD).match(name)
    extended = _EXTEND.match(instruction.mnemonic)
    target = general_named(isa, parts[0])
    if target is None or not (loaded or extended):
        return None
    index, width = target
    start = general_start(isa, index)
    end = start + isa.pointer_bytes
    if loaded:
        return Extension(start, width, end, _BITS[loaded[2]], loaded[1] == "s", True)
    assert extended is not None
    source = general_named(isa, parts[-1])
    if len(parts) != 2 or source is None:
        return None
    bits, at = _BITS[extended[2]], general_start(isa, source[0])
    return Extension(start, width, end, bits, extended[1] == "s", False, at)


def scalar_operations(instruction: Instruction, numbers: Numbers) -> tuple[LaneOperation, ...]:
    """Return the steps of an instruction on general registers; none where it has no rule.

    An instruction of A32 that executes on a condition ends with a choice between its result and what was there.
    """
    written = [one.file for one in instruction.writes if one.file != "status"]
    if instruction.accesses or instruction.branch is not BranchKind.NONE or set(written) - {"general", "flags"}:
        return ()
    name, conditional = instruction.mnemonic, bool(instruction.condition)
    if conditional:
        name = name.removesuffix(instruction.condition)
        if written != ["general"]:
            return ()
    sets_flags = FLAGS in instruction.writes
    if sets_flags and name not in _ONLY_FLAGS and not name.startswith("ccm"):
        name = name.removesuffix("s")
    try:
        steps = Steps(instruction.isa, instruction.operands, numbers)
        rule = _rule(instruction.isa, name)
        if rule is None or (name in ("mov", "movw") and not conditional and not sets_flags):
            return ()
        rule(steps, name, sets_flags)
        if conditional:
            _on_condition(steps, instruction.condition)
    except (NoRule, IndexError):
        return ()
    return tuple(steps.steps)


_Rule = Callable[[Steps, str, bool], None]


def _rule(isa: Isa, name: str) -> _Rule | None:
    if name in _SUMS:
        return _sum
    if name in _BITWISE:
        return _bits_a64 if isa is Isa.A64 else _bits_a32
    if name in _SHIFTS:
        return _shift
    if name in _PRODUCTS:
        return _product
    if isa is Isa.A64 and name in _CHOICES:
        return _choice
    if isa is Isa.A64 and name in ("ccmp", "ccmn"):
        return _comparison_on_condition
    others: tuple[tuple[re.Pattern[str], _Rule], ...] = (
        (_HALVES, _product_of_halves),
        (_FIELD, _bit_field),
        (_INSERT, _insert_field),
        (_EXTEND, _extend),
        (_LONG, _long_a64 if isa is Isa.A64 else _long_a32),
        (_SATURATE, _saturate),
        (_HIGH, _high_product),
    )
    return next((rule for pattern, rule in others if pattern.match(name)), None)


def _on_condition(steps: Steps, condition: str) -> None:
    """Let the last step write beside the register, and choose between its result and what the register held."""
    last = steps.steps.pop()
    beside = replace(steps.temporary(last.destination.bits), signed=last.destination.signed)
    steps.steps.append(replace(last, destination=beside, clear_end=beside.end))
    steps.add("choose", last.destination, beside, last.destination, immediate=CONDITION_NAMES.index(condition))


def _flags(steps: Steps, kind: int, left: Lanes, right: Lanes, condition: int = ALWAYS, otherwise: int = 0) -> None:
    steps.add("compare", left, left, right, immediate=kind | condition << CONDITION_AT | otherwise << ELSE_AT)


def _two(steps: Steps, first: int) -> tuple[Lanes, Lanes]:
    """Return the two operands from text `first` on; of A32's short forms the destination is the first of them."""
    at = first + 1
    short = first and (len(steps) == 2 or (len(steps) == 3 and steps.texts[2].startswith((*_SHIFTS, "sxt", "uxt"))))
    if short:
        at, first = 1, 0
    return steps.register(first), steps.last(at)


def _sum(steps: Steps, name: str, sets_flags: bool) -> None:
    only_flags = name in _ONLY_FLAGS
    if name == "neg":
        left, right = steps.number(0), steps.last(1)
    else:
        left, right = _two(steps, 0 if only_flags else 1)
    if name == "rsb":
        left, right = right, left
    if sets_flags:
        _flags(steps, OF_SUM if _SUMS[name] == "add" else OF_DIFFERENCE, left, right)
    if not only_flags:
        steps.add(_SUMS[name], steps.destination(), left, right)


def _bits_a64(steps: Steps, name: str, sets_flags: bool) -> None:
    _bits(steps, name, OF_BITS if sets_flags else 0)


def _bits_a32(steps: Steps, name: str, sets_flags: bool) -> None:
    """Add a bitwise operation: V stays as it was, and C may come from the shifter."""
    _bits(steps, name, SIGN_OF_BITS if sets_flags else 0)


def _bits(steps: Steps, name: str, flags: int) -> None:
    alone = name in ("mvn", "mov", "movw")
    sources = [steps.last(1)] if alone else [*_two(steps, 0 if name in _ONLY_FLAGS else 1)]
    if name == "eon":
        steps.add("not", steps.temporary(), sources[1])
        sources[1] = steps.steps[-1].destination
    to = steps.temporary() if name in _ONLY_FLAGS or flags else steps.destination()
    steps.add(_BITWISE[name], to, *sources)
    if flags:
        _flags(steps, flags, to, to)
        if name not in _ONLY_FLAGS:
            steps.add("mov", steps.destination(), to)


def _shift(steps: Steps, name: str, sets_flags: bool) -> None:
    source = steps.register(1) if len(steps) == 3 else steps.register(0)
    to = steps.temporary() if sets_flags else steps.destination()
    if steps.is_number(len(steps) - 1):
        steps.shifted(name, source, steps.value(len(steps) - 1), to)
    else:
        steps.shifted_by_register(name, source, steps.texts[-1], to)
    if sets_flags:
        _flags(steps, SIGN_OF_BITS, to, to)
        steps.add("mov", steps.destination(), to)


def _product(steps: Steps, name: str, sets_flags: bool) -> None:
    if sets_flags:
        raise NoRule(name)
    family, bits = _PRODUCTS[name], steps.bits
    factors = (steps.register(1), steps.register(2 if len(steps) > 2 else 0))
    if family == "mul":
        steps.add(family, steps.destination(), *factors)
    else:
        total = steps.number(0) if name == "mneg" else steps.register(3)
        steps.add(family, steps.destination(), replace(total, bits=bits), *factors)


def _product_of_halves(steps: Steps, name: str, _: bool) -> None:
    halves = _HALVES.match(name)
    assert halves is not None
    factors = [steps.register(at, 16, True, 2 * (halves[at + 1] == "t")) for at in (1, 2)]
    if halves[1] == "la":
        steps.add("mla", steps.destination(), steps.register(3), *factors)
    else:
        steps.add("mul", steps.destination(), *factors)


def _long_a64(steps: Steps, name: str, _: bool) -> None:
    found = _LONG.match(name)
    assert found is not None
    factors = [steps.register(at, 32, found[1] == "s") for at in (1, 2)]
    if found[2] == "ul":
        steps.add("mul", steps.destination(), *factors)
    elif found[2] in ("add", "sub"):
        steps.add("mla" if found[2] == "add" else "mls", steps.destination(), steps.register(3), *factors)
    else:
        raise NoRule(name)


def _long_a32(steps: Steps, name: str, sets_flags: bool) -> None:
    found = _LONG.match(name)
    assert found is not None
    if sets_flags or found[2] not in ("ul", "la"):
        raise NoRule(name)
    factors = [steps.register(at, 32, found[1] == "s") for at in (2, 3)]
    product = steps.temporary(64)
    if found[2] == "la":
        low, high = steps.extended(steps.register(0, 32, False), 64), steps.extended(steps.register(1, 32, True), 64)
        steps.shifted("lsl", high, 32, high)
        steps.add("add", low, low, high)
        steps.add("mla", product, low, *factors)
    else:
        steps.add("mul", product, *factors)
    steps.add("mov", steps.destination(0), replace(product, bits=32))
    steps.add("shr", steps.destination(1), replace(product, signed=True), immediate=32)


def _high_product(steps: Steps, name: str, _: bool) -> None:
    product = steps.temporary(64)
    steps.add("mul", product, steps.register(1, 32, True), steps.register(2, 32, True))
    steps.add("shr", steps.destination(), replace(product, signed=True), immediate=32, rounds=name.endswith("r"))


def _bit_field(steps: Steps, name: str, _: bool) -> None:
    """Move the field to the upper end of the register, then down to its place."""
    found = _FIELD.match(name)
    assert found is not None
    low, width, bits = steps.value(2), steps.value(3), steps.bits
    if bits == 64:  # at the upper end it may exceed what intervals hold
        places = (0, low) if found[2] == "x" else (low, 0)
        _field(steps, *places, width, steps.register(1), signed=found[1] == "s")
        return
    to = steps.temporary()
    above = bits - width - (low if found[2] == "x" else 0)
    steps.shifted("lsl", steps.register(1), above, to)
    down = bits - width - (low if found[2] == "iz" else 0)
    steps.shifted("asr" if found[1] == "s" else "lsr", to, down, steps.destination())


def _insert_field(steps: Steps, name: str, _: bool) -> None:
    """Put the lowest bits of a register, or zeros, at a place of another one, or bits from a place at the lowest."""
    if name == "bfc":
        _field(steps, steps.value(1), 0, steps.value(2), steps.register(0), steps.number(0))
        return
    at, width = steps.value(2), steps.value(3)
    places = (at, 0) if name == "bfi" else (0, at)
    _field(steps, *places, width, steps.register(0), steps.register(1))


def _field(steps: Steps, to: int, low: int, width: int, *sources: Lanes, signed: bool = False) -> None:
    """Add a step that moves a field of the last source, from bit `low` on, to bit `to` of the destination."""
    immediate = to | low << FROM_AT | width << WIDTH_AT | signed << SIGNED_AT
    steps.add("field", steps.destination(), *sources, immediate=immediate)


def _extend(steps: Steps, name: str, _: bool) -> None:
    found = _EXTEND.match(name)
    if found is None or len(steps) != 2:
        raise NoRule(name)
    steps.add("mov", steps.destination(), steps.register(1, _BITS[found[2]], found[1] == "s"))


def _saturate(steps: Steps, name: str, _: bool) -> None:
    width, signed = steps.value(1), name == "ssat"
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    above = replace(steps.temporary(), signed=True)
    steps.add("max", above, replace(steps.last(2), signed=True), replace(steps.number(low), signed=True))
    steps.add("min", replace(steps.destination(), signed=True), above, replace(steps.number(high), signed=True))


def _choice(steps: Steps, name: str, _: bool) -> None:
    condition, to = steps.condition(len(steps) - 1), steps.destination()
    if name in ("cset", "csetm"):
        first, second = steps.number(1 if name == "cset" else -1), steps.number(0)
    else:
        # cinc, cinv and cneg change what the opposite condition of csinc and its relatives leaves.
        first, second = steps.register(1), steps.register(1 if name[1] != "s" else 2)
        kind = name[1:] if name[1] != "s" else name[2:]
        if kind != "el":
            changed = steps.temporary()
            if kind == "inc":
                steps.add("add", changed, second, steps.number(1))
            elif kind == "inv":
                steps.add("not", changed, second)
            else:
                steps.add("sub", changed, steps.number(0), second)
            second = changed
        if name[1] != "s":
            condition ^= 1
    steps.add("choose", to, first, second, immediate=condition)


def _comparison_on_condition(steps: Steps, name: str, _: bool) -> None:
    right = steps.number(steps.value(1)) if steps.is_number(1) else steps.register(1)
    kind = OF_DIFFERENCE if name == "ccmp" else OF_SUM
    _flags(steps, kind, steps.register(0), right, steps.condition(3), steps.value(2))
