"""Each thing that a kernel may not do to memory, done once, and the instruction that did it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.emulate.guest_programs import assembled
from tests.verify.sanitized_call import call, contract_of, line_of, standard_contract

from neonlab.contract.header import ContractError
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.isa.model.isa import Isa
from neonlab.verify.sanitized_machine import SanitizedMachine

A64, A32 = Isa.A64, Isa.A32
K = FaultKind

# isa, text (one statement a line), kind, line, part of the message.  The buffers have 29 bytes, the stack 64.
WRONG = [
    (
        A64,
        "nop\n ldr q0, [x0, #13]\n ldr q0, [x0, #14]\n ret",
        K.OUT_OF_BOUNDS_READ,
        3,
        "16 bytes of `src` at offset 14",
    ),
    (A64, "ldrb w3, [x0, #28]\n ldrb w3, [x0, #29]\n ret", K.OUT_OF_BOUNDS_READ, 2, "1 byte beyond its end"),
    (A64, "ldrb w3, [x0]\n ldurb w3, [x0, #-1]\n ret", K.OUT_OF_BOUNDS_READ, 2, "1 byte before its start"),
    (A64, "ld1 {v0.16b, v1.16b}, [x0]\n ret", K.OUT_OF_BOUNDS_READ, 1, "32 bytes of `src` at offset 0 of 29: 3 bytes"),
    (A64, "ld4 {v0.8b-v3.8b}, [x0]\n ret", K.OUT_OF_BOUNDS_READ, 1, "3 bytes beyond its end"),
    (
        A64,
        "add x0, x0, #26\n ld3 {v0.b, v1.b, v2.b}[5], [x0], #3\n ld1r {v0.2s}, [x0]\n ret",
        K.OUT_OF_BOUNDS_READ,
        3,
        "4",
    ),
    (A64, "str q0, [x1, #13]\n str q0, [x1, #14]\n ret", K.OUT_OF_BOUNDS_WRITE, 2, "16 bytes of `dst` at offset 14"),
    (A64, "mov x3, #25\n str w4, [x1, x3]\n stp w4, w5, [x1, #24]\n ret", K.OUT_OF_BOUNDS_WRITE, 3, "3 bytes beyond"),
    (A64, "mov w3, #-1\n strb w4, [x1, w3, sxtw]\n ret", K.OUT_OF_BOUNDS_WRITE, 2, "offset -1"),
    (
        A64,
        "ldr x3, [x0]\n str x3, [x0]\n ret",
        K.READ_ONLY_WRITE,
        2,
        "8 bytes of `src` at offset 0 of 29, which is read-only",
    ),
    (A64, "adr x3, kernel\n ldr w4, [x3]\n str w4, [x3]\n ret", K.READ_ONLY_WRITE, 3, "offset 0 of .text"),
    (A64, "mov x3, #0\n ldr w4, [x3]\n ret", K.OUT_OF_BOUNDS_READ, 2, "at 0x0, where the kernel has no memory"),
    (A64, "str xzr, [sp, #8]\n ret", K.OUT_OF_BOUNDS_WRITE, 1, "the caller's frame"),
    (A64, "str x3, [sp, #-8]\n ret", K.BELOW_STACK, 1, "sp-8"),
    (
        A64,
        "stp x3, x4, [sp, #-32]!\n ldp x3, x4, [sp], #32\n ldr x3, [sp, #-32]\n ret",
        K.BELOW_STACK,
        3,
        "reads 8 bytes",
    ),
    (A64, "sub sp, sp, #80\n add sp, sp, #80\n ret", K.STACK_POINTER, 1, "80 bytes below"),
    (
        A64,
        "str x3, [sp, #-8]!\n str x3, [sp]\n add sp, sp, #8\n ret",
        K.STACK_POINTER,
        1,
        "8 bytes off a multiple of 16",
    ),
    (A64, "add sp, sp, #16\n sub sp, sp, #16\n ret", K.STACK_POINTER, 1, "above its value on entry"),
    (
        A32,
        "nop\n vld1.8 {d0, d1}, [r0]!\n vld1.8 {d0, d1}, [r0]\n bx lr",
        K.OUT_OF_BOUNDS_READ,
        3,
        "offset 16 of 29: 3 bytes",
    ),
    (A32, "ldrb r3, [r0, #28]!\n ldrb r3, [r0, #1]\n bx lr", K.OUT_OF_BOUNDS_READ, 2, "offset 29"),
    (A32, "mov r3, #4\n ldr r12, [r0, -r3, lsl #1]\n bx lr", K.OUT_OF_BOUNDS_READ, 2, "8 bytes before its start"),
    (A32, "cmp r0, r0\n strbne r3, [r1, #29]\n strbeq r3, [r1, #30]\n bx lr", K.OUT_OF_BOUNDS_WRITE, 3, "offset 30"),
    (A32, "mvn r3, #0\n movs r12, #1, 2\n ldrb r12, [r0, r3, rrx]\n bx lr", K.OUT_OF_BOUNDS_READ, 3, "reads 1 byte"),
    (A32, "vst4.8 {d0[7], d1[7], d2[7], d3[7]}, [r0]\n bx lr", K.READ_ONLY_WRITE, 1, "4 bytes of `src`"),
    (A32, "add r3, pc, #0\n str r3, [r3]\n bx lr", K.READ_ONLY_WRITE, 2, ".text"),
    (A32, "ldr r3, [sp]\n bx lr", K.OUT_OF_BOUNDS_READ, 1, "which holds no arguments"),
    (A32, "stmdb sp, {r3, r12}\n bx lr", K.BELOW_STACK, 1, "sp-8"),
    (A32, "push {r4-r5}\n pop {r4-r5}\n ldrd r2, r3, [sp, #-8]\n bx lr", K.BELOW_STACK, 3, "reads 8 bytes"),
    (A32, "sub sp, sp, #72\n add sp, sp, #72\n bx lr", K.STACK_POINTER, 1, "72 bytes below"),
    (A32, "sub sp, sp, #6\n str r3, [sp]\n add sp, sp, #6\n bx lr", K.STACK_POINTER, 1, "2 bytes off a multiple of 4"),
    (
        A32,
        "vld1.8 {d0}, [r0]\n vld1.8 {d0}, [r0 :64]\n bx lr",
        K.ALIGNMENT_HINT,
        2,
        "promises an address aligned to 8 bytes",
    ),
    (A32, "vst1.8 {d0-d1}, [r1 :128]!\n bx lr", K.ALIGNMENT_HINT, 1, "promises an address aligned to 16 bytes"),
    (A32, "vldr d0, [r0]\n bx lr", K.ALIGNMENT_HINT, 1, "needs an address aligned to 4 bytes"),
    (A32, "ldm r0, {r2, r3}\n bx lr", K.ALIGNMENT_HINT, 1, "`src`"),
    (
        A32,
        "ldr r3, 1f\n cmp r3, #0\n 1: .word 0xffffffff\n bx lr",
        K.UNDEFINED_INSTRUCTION,
        3,
        "not a known instruction",
    ),
]


@pytest.mark.parametrize(("isa", "text", "kind", "line", "message"), WRONG, ids=lambda value: None)
def test_one_wrong_thing_is_one_fault_at_its_instruction(
    isa: Isa, text: str, kind: FaultKind, line: int, message: str
) -> None:
    fault = call(isa, text, standard_contract(isa))
    assert isinstance(fault, Fault)
    assert fault.kind is kind, fault
    assert message in fault.message
    assert fault.clause
    assert fault.seed == 3
    if kind is not K.UNDEFINED_INSTRUCTION:  # a word that is no instruction has no line here
        assert line_of(fault) == line


RIGHT = [
    (A64, "ld1 {v0.16b}, [x0], #16\n ldr x3, [x0], #5\n ldr x3, [x0]\n str q0, [x1]\n strb w3, [x1, #28]\n ret"),
    (A64, "prfm pldl1keep, [x0, #4096]\n prfm pldl1keep, [x0, #-8]\n ret"),
    (
        A64,
        "stp x19, x20, [sp, #-64]!\n ldr x19, [x0]\n ldp x19, x20, [sp], #64\n ret",
    ),
    (A64, "ldr w3, 1f\n b 2f\n 1: .word 7\n 2: ret"),
    (A64, "mov x9, sp\n sub sp, sp, #32\n str q0, [x9, #-16]\n mov sp, x9\n ret"),
    (
        A32,
        "vld1.8 {d0-d2}, [r0]!\n ldr r3, [r0], #1\n ldr r3, [r0]\n vst1.32 {d0[1]}, [r1]\n strb r3, [r1, #28]\n bx lr",
    ),
    (A32, "pld [r0, #1024]\n pld [r0, #-64]\n bx lr"),
    (A32, "cmp r0, r0\n ldrne r3, [r0, #256]\n strne r3, [r0]\n vmoveq.f32 s0, s1\n bx lr"),
    (A32, "push {r4-r11, lr}\n vpush {d8-d10}\n ldr r4, [r0]\n vpop {d8-d10}\n pop {r4-r11, pc}"),
]


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize(("isa", "text"), RIGHT, ids=lambda value: None)
def test_what_is_allowed_raises_nothing_wherever_the_buffers_lie(isa: Isa, text: str, turn: int) -> None:
    assert isinstance(call(isa, text, standard_contract(isa), turn=turn), Run)


@pytest.mark.parametrize("isa", Isa)
@pytest.mark.parametrize("turn", range(4))
def test_declared_margins_may_be_read_to_the_byte_and_not_written(isa: Isa, turn: int) -> None:
    contract = standard_contract(isa, src=", over_read = 3, under_read = 1")
    base, end = ("x0", "ret") if isa is A64 else ("r0", "bx lr")
    byte = "w3" if isa is A64 else "r3"
    ahead = f"add {base}, {base}, #28\n"

    def fault_of(text: str) -> FaultKind | None:
        outcome = call(isa, f"{text}\n {end}", contract, turn=turn)
        return outcome.kind if isinstance(outcome, Fault) else None

    assert fault_of(f"{ahead} ldr {byte}, [{base}]") is None
    assert fault_of(f"{ahead} ldr {byte}, [{base}, #1]") is K.OUT_OF_BOUNDS_READ
    assert fault_of(f"ldrb {byte}, [{base}, #-1]") is None
    assert fault_of(f"ldrb {byte}, [{base}, #-2]") is K.OUT_OF_BOUNDS_READ
    assert fault_of(f"strb {byte}, [{base}, #29]") is K.OUT_OF_BOUNDS_WRITE


@pytest.mark.parametrize("isa", Isa)
def test_a_declared_red_zone_may_be_used_and_no_more(isa: Isa) -> None:
    contract = standard_contract(isa, top="below_stack = 64")
    store, end = ("str x3, [sp, #-{}]", "ret") if isa is A64 else ("str r3, [sp, #-{}]", "bx lr")
    assert isinstance(call(isa, f"{store.format(64)}\n {end}", contract), Run)
    fault = call(isa, f"{store.format(72)}\n {end}", contract)
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.register) == (K.BELOW_STACK, "sp")
    assert "below_stack = 64" in fault.clause


@pytest.mark.parametrize("isa", Isa)
def test_stack_arguments_may_be_touched_and_the_caller_beyond_them_not(isa: Isa) -> None:
    names = [f"a{i}" for i in range(9)]
    prototype = f"void ({', '.join(f'size_t {name}' for name in names)})"
    contract = contract_of(isa, prototype, dict.fromkeys(names, "range = [0, 9]"))
    register, end, slot, passed = ("x9", "ret", 8, 1) if isa is A64 else ("r0", "bx lr", 4, 5)

    def run(offset: int) -> Run | Fault:
        text = f"ldr {register}, [sp, #{offset}]\n str {register}, [sp, #{offset}]\n {end}"
        with SanitizedMachine(assembled(isa, text), contract) as machine:
            return machine.call("kernel", list(range(9)), contract.signature)

    assert all(isinstance(run(slot * number), Run) for number in range(passed))
    fault = run(slot * passed)
    assert isinstance(fault, Fault)
    assert fault.kind is K.OUT_OF_BOUNDS_READ
    assert f"beyond the {slot * passed} bytes of arguments there" in fault.message


def test_an_argument_read_further_than_it_is_written_is_held_to_its_write_bytes() -> None:
    contract = contract_of(
        A64,
        "void (int32_t *sums, size_t n)",
        {"sums": 'read = "4*n", write = "4*(n - 1)"', "n": "range = [1, 99]"},
    )
    with SanitizedMachine(
        assembled(A64, "ldr w3, [x0, #12]\n str w3, [x0, #8]\n str w3, [x0, #12]\n ret"), contract
    ) as m:
        fault = m.call("kernel", [Buffer("sums", np.zeros(4, np.int32), True), 4], contract.signature)
    assert isinstance(fault, Fault)
    assert (fault.kind, line_of(fault), fault.offset) == (K.OUT_OF_BOUNDS_WRITE, 3, 12)
    assert fault.clause == "sums: write = 4*(n - 1)"


def test_the_guest_is_stopped_before_the_access_takes_place() -> None:
    text = "mov w3, #1\n strb w3, [x1, #28]\n strb w3, [x0]\n strb w3, [x1]\n ret"
    contract = standard_contract(A64)
    with SanitizedMachine(assembled(A64, text), contract) as machine:
        fault = machine.call(
            "kernel",
            [Buffer("src", np.zeros(9, np.uint8)), Buffer("dst", np.zeros(29, np.uint8), True), 9],
            contract.signature,
        )
        assert isinstance(fault, Fault)
        assert (fault.kind, fault.buffer, fault.offset) == (K.OUT_OF_BOUNDS_WRITE, "dst", 28)
        assert machine.exit_state.read("pc") == fault.address


@pytest.mark.parametrize("isa", Isa)
def test_the_hash_of_accesses_tells_runs_apart_by_order_place_and_instruction(isa: Isa) -> None:
    end, src = ("ret", "x0") if isa is A64 else ("bx lr", "r0")
    byte = "w3" if isa is A64 else "r3"
    texts = {
        name: "\n ".join((*lines, end))
        for name, lines in {
            "two": (f"ldrb {byte}, [{src}]", f"ldrb {byte}, [{src}, #1]"),
            "exchanged": (f"ldrb {byte}, [{src}, #1]", f"ldrb {byte}, [{src}]"),
            "wider": (f"ldrb {byte}, [{src}]", f"ldrh {byte}, [{src}, #1]"),
            "later": ("nop", f"ldrb {byte}, [{src}]", f"ldrb {byte}, [{src}, #1]"),
            "one": (f"ldrb {byte}, [{src}]",),
        }.items()
    }

    def hash_of(text: str) -> int:
        contract = standard_contract(isa)
        buffers = [Buffer("src", np.zeros(29, np.uint8)), Buffer("dst", np.zeros(29, np.uint8), True)]
        with SanitizedMachine(assembled(isa, text), contract) as machine:
            hashes = set()
            for seed in range(3):
                assert isinstance(machine.call("kernel", [*buffers, 29], contract.signature, seed=seed), Run)
                hashes.add(machine.memory.access_hash)
        assert len(hashes) == 1
        return hashes.pop()

    assert len({hash_of(text) for text in texts.values()}) == len(texts)


@pytest.mark.parametrize("isa", Isa)
def test_a_contract_that_says_nothing_of_the_stack_allows_any_depth_of_it(isa: Isa) -> None:
    end = "ret" if isa is A64 else "bx lr"
    deep = f"sub sp, sp, #4096\n {'str x3' if isa is A64 else 'str r3'}, [sp]\n add sp, sp, #4096\n {end}"
    assert isinstance(call(isa, deep, standard_contract(isa, top="")), Run)
    for top in ("stack = 0", "stack = 4080"):
        fault = call(isa, deep, standard_contract(isa, top=top))
        assert isinstance(fault, Fault)
        assert (fault.kind, line_of(fault), fault.clause) == (K.STACK_POINTER, 1, top)
    lost = f"mov {'x9' if isa is A64 else 'r3'}, #256\n mov sp, {'x9' if isa is A64 else 'r3'}\n nop\n {end}"
    fault = call(isa, lost, standard_contract(isa, top=""))
    assert isinstance(fault, Fault)
    assert (fault.kind, line_of(fault)) == (K.STACK_POINTER, 2)


def test_stack_used_is_the_depth_that_was_touched() -> None:
    contract = standard_contract(A64)
    text = "sub sp, sp, #64\n str x3, [sp, #24]\n add sp, sp, #64\n ret"
    with SanitizedMachine(assembled(A64, text), contract) as machine:
        buffers = [Buffer("src", np.zeros(29, np.uint8)), Buffer("dst", np.zeros(29, np.uint8), True)]
        assert isinstance(machine.call("kernel", [*buffers, 29], contract.signature), Run)
        assert machine.memory.stack_used == 40
        assert machine.memory.accesses == 1


@pytest.mark.parametrize(
    ("top", "extra", "message"),
    [
        ("below_stack = -16", {}, "below_stack is a number of bytes"),
        ('below_stack = "16"', {}, "below_stack is a number of bytes"),
        ("", {"src": ", over_read = 1.5"}, "over_read is a number of bytes"),
        ("", {"src": ", under_read = true"}, "under_read is a number of bytes"),
        ("", {"dst": ", over_read = 16"}, "`dst` declares over_read or under_read, but no `read`"),
    ],
)
def test_a_contract_that_declares_them_wrongly_is_refused(top: str, extra: dict[str, str], message: str) -> None:
    with pytest.raises(ContractError, match=message):
        standard_contract(A64, top=top, **extra)
