"""Follow the path of a run with forms in place of registers, so that it is the path of every size at once.

Outside loops each instruction is followed where the run took it.  Of a loop that grows one pass is followed, from the
registers that a pass from t on finds: what each held at the first pass, plus t times what a pass adds to it.  That the
next pass finds the same of t + 1 is what the pass must show.  All conditions must be as in the run, for every pass that
is made and every size, and not so at the exit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from neonlab.emulate.trace import Trace
from neonlab.isa.model.condition import holds
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction, MemoryAccess
from neonlab.isa.model.isa import FLAGS, Isa, general
from neonlab.prove.refusal import Refusal
from neonlab.prove.trips import rules
from neonlab.prove.trips.decide import is_zero, low_bits, truth
from neonlab.prove.trips.form import Form, Region, Unknown, Value
from neonlab.prove.trips.passes import Loop
from neonlab.prove.trips.state import RETURN, State, named_registers

_LINK, _COUNTER = {Isa.A64: 30, Isa.A32: 14}, 15
_RULE = "a rule of the prover is wrong"


@dataclass(frozen=True, slots=True)
class Access:
    """One access of `count` bytes at a form, of an instruction at `place`; in a pass of loop number `loop`, else -1."""

    kind: AccessKind
    form: Form
    count: int
    loop: int
    place: str


@dataclass
class Walk:
    """A walk along a trace.  `blocks` are the fewest and the most by which the size exceeds that of the trace.

    `bases` has the address of each buffer and of the stack in the run.  `accesses` has all of them, once it was walked,
    and `after` what registers hold after the passes of each loop.
    """

    trace: Trace
    registers: Mapping[int, Value]
    slots: Mapping[int, tuple[Value, int]]
    bases: Mapping[str, int]
    loops: Sequence[Loop]
    blocks: tuple[int, int]
    accesses: list[Access] = field(default_factory=list)
    after: list[Mapping[int, Value]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._state = State(dict(self.registers), dict(self.slots), 8 * self.trace.isa.pointer_bytes)
        self._bits = 8 * self.trace.isa.pointer_bytes
        self._loop = -1

    def walk(self) -> None:
        """Follow the whole path.  Raises Refusal where it is not that of every size."""
        region, at = Region.outside(*self.blocks), 0
        for number, loop in enumerate(self.loops):
            self._steps(at, loop.start, region)
            self._pass(number, loop)
            at = loop.end
        self._steps(at, len(self.trace), region)

    # Loops.

    def _pass(self, number: int, loop: Loop) -> None:
        """Follow a general pass of a loop, and leave the state before its exit."""
        entry, region = self._state, Region.of_passes(*self.blocks, loop.passes, loop.growth)
        added = {
            index: self._signed(self._read(loop.start + loop.length, index) - self._read(loop.start, index))
            for index in entry.registers
        }
        general_state: dict[int, Value] = {
            index: value._replace(t=added[index]) if isinstance(value, Form) else value
            for index, value in entry.registers.items()
        }
        kept = len(self.accesses)
        self._loop = number
        while True:
            del self.accesses[kept:]
            self._state = State(dict(general_state), dict(entry.slots), self._bits)
            self._steps(loop.start, loop.start + loop.length, region)
            if self._state.slots != entry.slots:
                raise self._refusal("a pass of the loop stores on the stack", loop.start)
            wrong = {
                index: self._join(value, self._state.registers[index])
                for index, value in general_state.items()
                if not self._is_next(value, self._state.registers[index])
            }
            if not wrong:
                break
            general_state |= wrong
        self._loop = -1
        ended: dict[int, Value] = {
            index: Form(value.number + value.t * loop.passes, value.k + value.t * loop.growth, 0, value.base)
            if isinstance(value, Form)
            else value
            for index, value in general_state.items()
        }
        for index, value in ended.items():
            self._check(loop.end, index, value)
        self.after.append(ended)
        self._state = State(dict(ended), dict(entry.slots), self._bits)

    @staticmethod
    def _is_next(value: Value, after: Value) -> bool:
        """Tell whether a pass leaves what the next one finds."""
        if isinstance(value, Form):
            return after == value._replace(number=value.number + value.t)
        return value is Unknown.JUNK or after is value

    @staticmethod
    def _join(value: Value, after: Value) -> Value:
        """Return what is known at the head of a loop of a register that its passes do not advance evenly."""
        return Unknown.DATA if isinstance(value, Form) and after is Unknown.DATA else Unknown.JUNK

    # Steps.

    def _steps(self, first: int, last: int, region: Region) -> None:
        for step in range(first, last):
            instruction = self.trace.instruction(step)
            if instruction is None:
                raise self._refusal("a function of the lab is called", step)
            try:
                self._step(step, instruction, region)
            except Refusal as refusal:
                if refusal.place:
                    raise
                raise self._refusal(refusal.reason, step) from None

    def _step(self, step: int, instruction: Instruction, region: Region) -> None:
        if instruction.branch is not BranchKind.NONE:
            self._branch(step, instruction, region)
        if instruction.condition and instruction.branch is BranchKind.NONE:
            if self.trace.isa is Isa.A32 and not self._met(step, instruction.condition, region):
                return
        elif instruction.condition and not self._met(step, instruction.condition, region):
            return
        if instruction.accesses:
            self._access(step, instruction, region)
        elif instruction.branch is BranchKind.NONE:
            self._compute(step, instruction, region)

    def _met(self, step: int, condition: str, region: Region) -> bool:
        """Tell whether a condition holds, in the run and for every size and pass."""
        recorded = holds(condition, self.trace.before(step, FLAGS))
        flags = self._state.flags
        if isinstance(flags, Unknown):
            raise Refusal("a condition depends on what is not known, or on data")
        if flags is not None and truth(condition, flags, region) is not recorded:
            raise Refusal(_RULE)
        return recorded

    def _branch(self, step: int, instruction: Instruction, region: Region) -> None:
        if instruction.branch in (BranchKind.INDIRECT, BranchKind.CALL):
            raise Refusal("a call, or a branch to an address in a register")
        if instruction.branch is BranchKind.RETURN:
            if not instruction.accesses and self._state.value(_LINK[self.trace.isa]) != Form(0, base=RETURN):
                raise Refusal("the address of the return is not the caller's")
            return
        following = int(self.trace.pcs[step + 1]) if step + 1 < len(self.trace) else -1
        if instruction.mnemonic in ("cbz", "cbnz", "tbz", "tbnz"):
            self._compare_and_branch(instruction, following == instruction.target, region)

    def _compare_and_branch(self, instruction: Instruction, taken: bool, region: Region) -> None:
        parts = rules.operands(instruction)
        register = rules.register_number(instruction.isa, parts[0])
        if register is None:
            raise Refusal("no rule for this branch")
        value, bits = self._state.value(register[0]), register[1]
        if not isinstance(value, Form):
            raise Refusal("a branch depends on what is not known, or on data")
        if instruction.mnemonic in ("cbz", "cbnz"):
            zero = is_zero(value, bits, region)
        else:
            number = int(parts[1].lstrip("#"), 0)
            zero = not low_bits(value, number + 1) >> number & 1
        if (zero is (instruction.mnemonic in ("cbz", "tbz"))) is not taken:
            raise Refusal(_RULE)

    # Arithmetic.

    def _compute(self, step: int, instruction: Instruction, region: Region) -> None:
        read = [one.index for one in instruction.reads if one.file == "general"]
        written = [one.index for one in instruction.writes if one.file == "general"]
        values = {index: self._state.value(index) for index in read}
        forms = {index: value for index, value in values.items() if isinstance(value, Form)}
        if len(forms) < len(values):
            self._compute_unknown(instruction, written, values)
            return
        reads_vectors = any(one.file in ("vector", "status") for one in instruction.reads)
        if instruction.mnemonic.startswith(("csel", "csinc", "csinv", "csneg", "cset", "cinc", "cinv", "cneg")):
            self._choose(step, instruction, forms, region)
            return
        flags_read = FLAGS in instruction.reads and not (instruction.condition and instruction.isa is Isa.A32)
        if flags_read and self._state.flags is not None:
            raise Refusal("an instruction computes with flags that depend on the size, on a pass or on data")
        if all(form.is_number for form in forms.values()):
            for index in written:
                self._state.set(index, Unknown.DATA if reads_vectors else Form(self._read(step + 1, index)))
            if FLAGS in instruction.writes:
                self._state.flags = Unknown.DATA if reads_vectors else None
            return
        if reads_vectors or any(one.file == "vector" for one in instruction.writes):
            raise Refusal("a number that depends on the size, a pass or an address becomes data")
        found = rules.outcome(instruction, forms, region)
        if found.register is not None and found.register >= 0 and found.form is not None:
            self._state.set(found.register, found.form)
        if set(written) - {found.register}:
            raise Refusal("the instruction writes several registers")
        if FLAGS in instruction.writes:
            self._state.flags = found.flags if found.flags is not None else Unknown.JUNK
        for index in written:
            self._check(step + 1, index, self._state.registers[index])

    def _compute_unknown(self, instruction: Instruction, written: list[int], values: Mapping[int, Value]) -> None:
        """Leave data where only data and numbers are read."""
        known = [value for value in values.values() if isinstance(value, Form)]
        if Unknown.JUNK in values.values():
            if instruction.mnemonic != "mov" or len(values) > 1:
                raise Refusal("an instruction reads a register that nobody set, or that varies from pass to pass")
            self._state.set(written[0], Unknown.JUNK)
            return
        if not all(form.is_number for form in known):
            raise Refusal("data are mixed with a number that depends on the size, a pass or an address")
        for index in written:
            self._state.set(index, Unknown.DATA)
        if FLAGS in instruction.writes:
            self._state.flags = Unknown.DATA

    def _choose(self, step: int, instruction: Instruction, forms: Mapping[int, Form], region: Region) -> None:
        parts = rules.operands(instruction)
        first = self._met(step, parts[-1], region)
        target = rules.register_number(instruction.isa, parts[0])
        if target is None:
            raise Refusal("no rule for this choice")
        if instruction.mnemonic == "csel":
            source = rules.register_number(instruction.isa, parts[1 if first else 2])
            if source is None or source[1] != self._bits:
                raise Refusal("no rule for this choice")
            found = Form(0) if source[0] < 0 else forms[source[0]]
        elif all(form.is_number for form in forms.values()):
            found = Form(self._read(step + 1, target[0]))
        else:
            raise Refusal("no rule for this choice")
        self._state.set(target[0], found)
        self._check(step + 1, target[0], found)

    # Memory.

    def _access(self, step: int, instruction: Instruction, region: Region) -> None:
        taken = self.trace.accesses(step)
        forms = []
        for access, ran in zip(instruction.accesses, taken, strict=True):
            form = self._address(access)
            if access.kind is not AccessKind.PREFETCH:
                if (self._at(form) - ran.address) % (1 << self._bits):
                    raise Refusal(_RULE)
                self.accesses.append(Access(access.kind, form, access.count, self._loop, self._place(step)))
            forms.append(form)
        values = self._moved(instruction, step, forms)
        if instruction.writeback is not None:
            self._write_back(step, instruction)
        for index, value in values.items():
            self._state.set(index, value)

    def _address(self, access: MemoryAccess) -> Form:
        form = self._state.form(access.base.index) if access.base is not None else Form(0)
        found = form.plus(Form(access.displacement))
        if access.index is not None and found is not None:
            index = self._state.form(access.index.index)
            sign = -1 if access.extend.startswith("-") else 1
            extend = access.extend.removeprefix("-")
            if extend not in ("", "lsl", "uxtx", "sxtx"):
                raise Refusal("no rule for an index that is extended")
            moved = index.times(sign << access.shift)
            found = found.plus(moved) if moved is not None else None
        if found is None:
            raise Refusal("an address is added to an address")
        return found

    def _write_back(self, step: int, instruction: Instruction) -> None:
        change = instruction.writeback
        assert change is not None
        found: Form | None = self._state.form(change.base.index).plus(Form(change.immediate))
        if change.register is not None and found is not None:
            if change.extend not in ("", "lsl"):
                raise Refusal("no rule for an index that is extended")
            moved = self._state.form(change.register.index).times(1 << change.shift)
            found = found.plus(moved) if moved is not None else None
        if found is None:
            raise Refusal("an address is added to an address")
        self._state.set(change.base.index, found)
        if self.trace.isa is Isa.A64 or instruction.branch is BranchKind.NONE:
            self._check(step + 1, change.base.index, found)

    def _moved(self, instruction: Instruction, step: int, forms: Sequence[Form]) -> dict[int, Value]:
        """Store general registers on the stack, and return what is loaded into general registers."""
        named = named_registers(instruction)
        stores = any(access.kind is AccessKind.STORE for access in instruction.accesses)
        loads = any(access.kind is AccessKind.LOAD for access in instruction.accesses)
        if (stores and loads) or (len(instruction.accesses) > 1 and named):
            raise Refusal("no rule for what this instruction moves")
        counts = [access.count for access in instruction.accesses]
        if stores:
            for form, count in zip(forms, counts, strict=True):
                self._state.store(form, count, named)
            return {}
        base = instruction.writeback.base.index if instruction.writeback is not None else None
        written = {one.index for one in instruction.writes if one.file == "general"} - {base}
        if written != set(named) - {_COUNTER if self.trace.isa is Isa.A32 else -1}:
            raise Refusal("no rule for what this instruction loads")
        if loads and not named:
            for form, count in zip(forms, counts, strict=True):
                self._state.refuse_numbers(form, count)
        found = {
            index: self._loaded(forms[0], counts[0] // len(named), at, step, index) for at, index in enumerate(named)
        }
        if self.trace.isa is Isa.A32 and found.pop(_COUNTER, Form(0, base=RETURN)) != Form(0, base=RETURN):
            raise Refusal("the address of the return is not the caller's")
        return found

    def _loaded(self, form: Form, size: int, at: int, step: int, index: int) -> Value:
        """Return what a general register gets from `size` bytes at a form, after `at` registers of the same size."""
        return self._state.loaded(form, size, at) if form.base else Form(self._read(step + 1, index))

    # Registers.

    def _read(self, step: int, index: int) -> int:
        return self.trace.before(step, general(index))

    def _at(self, form: Form) -> int:
        """Return the value of a form in the run, at the first pass."""
        return form.number + (self.bases[form.base] if form.base else 0)

    def _check(self, step: int, index: int, value: Value) -> None:
        """Compare a form with what the run had; a difference is a wrong rule."""
        if isinstance(value, Form) and (self._at(value) - self._read(step, index)) % (1 << self._bits):
            raise Refusal(_RULE)

    def _signed(self, number: int) -> int:
        number &= (1 << self._bits) - 1
        return number - (1 << self._bits) if number >> self._bits - 1 else number

    def _place(self, step: int) -> str:
        line = self.trace.program.line_at(int(self.trace.pcs[step]))
        return f"{line.path}:{line.line}" if line else ""

    def _refusal(self, reason: str, step: int) -> Refusal:
        instruction = self.trace.instruction(step)
        return Refusal(f"{reason}: {instruction.text}" if instruction else reason, place=self._place(step))
