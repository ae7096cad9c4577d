"""Guests that go wrong end as Faults that say where, whatever they do."""

from __future__ import annotations

import numpy as np
import pytest
from tests.emulate.guest_programs import BASE, assembled

from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa

both = pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
RETURN = {Isa.A64: "ret", Isa.A32: "bx lr"}


def call(
    isa: Isa, text: str, *, size: int = 4096, budget: int = 100_000, alignment: int = 64, offset: int = 0
) -> Run | Fault:
    """Call `text` with a read-only buffer `a` in x0/r0 and a writable `c` in x1/r1."""
    a = Buffer("a", np.zeros(size, np.int8), alignment=alignment, offset=offset)
    c = Buffer("c", np.zeros(size, np.int8), writable=True, alignment=alignment, offset=offset)
    signature = parse_prototype("void f(const int8_t *a, int8_t *c)", isa)
    with Machine(assembled(isa, text)) as machine:
        first = machine.call("kernel", [a, c], signature, step_budget=budget)
        again = machine.call("kernel", [a, c], signature, step_budget=budget)
    assert type(first) is type(again)
    if isinstance(first, Fault):
        assert first == again, "a machine that saw a fault is as good as new"
    return first


CASES = {
    # name: (kind, index of the instruction at fault, words of the message, A64, A32)
    "read past the end": (
        "oob-read",
        1,
        "reads 4 bytes at offset 4096 of `a`, which has 4096 bytes",
        "nop\nldr w2, [x0, #4096]\nret",
        "add r0, r0, #4096\nldr r2, [r0]\nbx lr",
    ),
    "read before the start": (
        "oob-read",
        1,
        "reads 1 byte 1 byte before the start of `a`",
        "nop\nldrb w2, [x0, #-1]\nret",
        "nop\nldrb r2, [r0, #-1]\nbx lr",
    ),
    "write past the end": (
        "oob-write",
        1,
        "writes 4 bytes at offset 4096 of `c`, which has 4096 bytes",
        "nop\nstr w2, [x1, #4096]\nret",
        "add r1, r1, #4096\nstr r2, [r1]\nbx lr",
    ),
    "write before the start": (
        "oob-write",
        0,
        "writes 1 byte 1 byte before the start of `c`",
        "strb w2, [x1, #-1]\nret",
        "strb r2, [r1, #-1]\nbx lr",
    ),
    "write to a read-only buffer": (
        "readonly-write",
        1,
        "writes 4 bytes at offset 8 of `a`, which is read-only",
        "nop\nstr w2, [x0, #8]\nret",
        "nop\nstr r2, [r0, #8]\nbx lr",
    ),
    "write to its own code": (
        "readonly-write",
        1,
        "in .text of the program, which is read-only",
        "adr x2, kernel\nstr w3, [x2]\nret",
        "adr r2, kernel\nstr r3, [r2]\nbx lr",
    ),
    "null pointer": (
        "unmapped-access",
        1,
        "reads 4 bytes at 0x0, where nothing is mapped",
        "mov x2, #0\nldr w3, [x2]\nret",
        "mov r2, #0\nldr r3, [r2]\nbx lr",
    ),
    "beyond the stack": (
        "unmapped-access",
        2,
        "below the 64 KiB stack",
        "mov x2, sp\nsub x2, x2, #0x20, lsl 12\nstr w3, [x2]\nret",
        "mov r2, sp\nsub r2, r2, #0x20000\nstr r3, [r2]\nbx lr",
    ),
    "above the stack": (
        "unmapped-access",
        0,
        "above the stack",
        "ldr x3, [sp]\nret",
        "ldr r3, [sp]\nbx lr",
    ),
    "undefined instruction": (
        "undefined-instruction",
        1,
        "is undefined on the emulated CPU",
        "nop\n.inst 0x00000000\nret",
        "nop\nudf #3\nbx lr",
    ),
    "privileged instruction": (
        "undefined-instruction",
        1,
        "is undefined on the emulated CPU",
        "nop\nmsr daifset, #2\nret",
        "nop\nmcr p15, 0, r0, c1, c0, 2\nbx lr",
    ),
    "system call": (
        "undefined-instruction",
        1,
        "calls the operating system, which the emulated machine does not have",
        "nop\nsvc #0\nret",
        "nop\nsvc #0\nbx lr",
    ),
    "call to a secure monitor": (
        "undefined-instruction",
        1,
        "`smc #0`",
        "nop\nsmc #0\nret",
        "nop\n.inst 0xe1600070\nbx lr",
    ),
    "misaligned atomic": (
        "alignment-hint",
        1,
        "needs an aligned address, but its address is not aligned",
        "add x1, x1, #1\nldaxp x2, x3, [x1]\nret",
        "add r1, r1, #1\nldrexd r2, r3, [r1]\nbx lr",
    ),
    "breakpoint": ("undefined-instruction", 1, "raises exception 7", "nop\nbrk #1\nret", "nop\nbkpt #1\nbx lr"),
    "wait for an interrupt": (
        "undefined-instruction",
        1,
        "waits for an event that never comes",
        "nop\nwfi\nret",
        "nop\nwfi\nbx lr",
    ),
    "endless loop": ("step-budget", 0, "did not return within 100000 instructions", "b kernel", "b kernel"),
    "endless loop of matrix instructions": (
        "step-budget",
        None,
        "did not return within 100000 instructions",
        "smmla v0.4s, v1.16b, v2.16b\nb kernel",
        "vsmmla.s8 q0, q1, q2\nb kernel",
    ),
    "return to the wrong place": (
        "bad-return",
        1,
        "which is not where it was called from",
        "add x30, x30, #4\nret",
        "add lr, lr, #4\nbx lr",
    ),
    "return to an address that is none": (
        "bad-return",
        1,
        "which is not where it was called from",
        "orr x30, x30, #2\nret",
        "orr lr, lr, #2\nbx lr",
    ),
    "jump to nowhere": (
        "bad-return",
        1,
        "goes to 0x1000, where the program has no code",
        "mov x2, #0x1000\nbr x2\nret",
        "mov r2, #0x1000\nblx r2\nbx lr",
    ),
    "jump into data": (
        "bad-return",
        0,
        "where the program has no code",
        "br x1",
        "mov pc, r1",
    ),
    "run past the end": (
        "bad-return",
        1,
        "ran past the end of the code",
        "nop\nadd x0, x0, #1",
        "nop\nadd r0, r0, #1",
    ),
}


@both
@pytest.mark.parametrize("name", list(CASES))
def test_a_guest_that_goes_wrong_is_a_fault_at_its_instruction(isa: Isa, name: str) -> None:
    kind, index, words, *texts = CASES[name]
    fault = call(isa, texts[isa is Isa.A32])
    assert isinstance(fault, Fault), fault
    print(fault)
    assert fault.kind.value == kind
    assert words in fault.message
    if index is not None:
        assert fault.address == BASE + 4 * index
        if fault.source is not None:
            assert fault.source.line == index + 1
            assert fault.instruction


def test_a_return_into_thumb_state_is_a_wrong_return() -> None:
    fault = call(Isa.A32, "orr lr, lr, #1\nbx lr")
    assert isinstance(fault, Fault)
    assert (fault.kind.value, fault.address) == ("bad-return", BASE + 4)


@both
@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("size", [1, 63, 4096, 4097, 12288])
def test_pages_around_a_buffer_are_not_mapped(isa: Isa, side: str, size: int) -> None:
    distance = -4096 if side == "before" else 4096 * (-(-size // 4096))
    register = "x0" if isa is Isa.A64 else "r0"
    load = f"ldrb {'w2' if isa is Isa.A64 else 'r2'}, [{register}]"
    if distance > 0:
        text = f"add {register}, {register}, #{distance}\n{load}\n{RETURN[isa]}"
    else:
        text = f"sub {register}, {register}, #{-distance}\n{load}\n{RETURN[isa]}"
    fault = call(isa, text, size=size)
    assert isinstance(fault, Fault)
    assert (fault.kind.value, fault.buffer, fault.offset) == ("oob-read", "a", distance)


@both
@pytest.mark.parametrize(("alignment", "offset"), [(64, 0), (64, 17), (1, 0), (4096, 5), (16, 8), (256, 255)])
@pytest.mark.parametrize("size", [0, 1, 100, 4096, 5000])
def test_a_buffer_lies_as_its_alignment_asks(isa: Isa, alignment: int, offset: int, size: int) -> None:
    run = call(isa, RETURN[isa], size=size, alignment=alignment, offset=offset)
    assert isinstance(run, Run)
    for address in run.addresses.values():
        assert address % alignment == offset % alignment
        end = address + size
        assert size == 0 or -end % 4096 < alignment, "as close to the unmapped page as the alignment allows"


@both
def test_a_declared_margin_may_be_read_and_no_more(isa: Isa) -> None:
    for reach, kind in ((4096 + 15, Run), (4096 + 16, Fault)):
        data = Buffer("a", np.zeros(4096, np.int8), alignment=1, readable_before=0, readable_after=16)
        x, w = ("x0", "w2") if isa is Isa.A64 else ("r0", "r2")
        text = f"add {x}, {x}, #4096\nldrb {w}, [{x}, #{reach - 4096}]\n{RETURN[isa]}"
        with Machine(assembled(isa, text)) as machine:
            outcome = machine.call("kernel", [data], parse_prototype("void f(int8_t *a)", isa))
        assert isinstance(outcome, kind), outcome


@both
def test_the_budget_allows_exactly_that_many_instructions(isa: Isa) -> None:
    count, one = ("x2", "x2") if isa is Isa.A64 else ("r2", "r2")
    text = f"mov {count}, #100\n1: subs {one}, {one}, #1\nbne 1b\n{RETURN[isa]}"
    needed = 1 + 200 + 1
    assert isinstance(call(isa, text, budget=needed), Run)
    assert isinstance(call(isa, text, budget=needed - 1), Fault)


def test_user_mode_may_do_what_linux_lets_it_do() -> None:
    text = "mrs x2, ctr_el0\nadd x1, x1, #63\nand x1, x1, #~63\ndc zva, x1\nprfm pldl1keep, [x0]\ndmb ish\nret"
    assert isinstance(call(Isa.A64, text), Run)


@pytest.mark.parametrize(
    ("isa", "upset"),
    [
        (Isa.A32, "setend be\nbx lr"),
        (Isa.A32, "mvn r2, #0\nvmsr fpscr, r2\nbx lr"),
        (Isa.A32, "mov sp, #0\nbx lr"),
        (Isa.A32, "orr lr, lr, #1\nbx lr"),
        (Isa.A64, "mov x2, #-1\nmsr fpcr, x2\nmsr fpsr, x2\nret"),
        (Isa.A64, "mov sp, x0\nret"),
    ],
)
def test_what_one_call_leaves_behind_does_not_reach_the_next(isa: Isa, upset: str) -> None:
    one, two = ("x0", "w0") if isa is Isa.A64 else ("r0", "r0")
    status = "mrs x1, fpcr\nmrs x2, fpsr\norr x1, x1, x2" if isa is Isa.A64 else "vmrs r1, fpscr"
    check = f"check:\nldr {two}, [{one}]\n{status}\nadd {one}, {one}, {one.replace('0', '1')}\n{RETURN[isa]}"
    signature = parse_prototype("uint32_t f(const uint8_t *a)", isa)
    a = Buffer("a", np.array([1, 2, 3, 4], np.uint8))
    program = assembled(isa, f"kernel:\n{upset}\n{check}")
    with Machine(program) as machine:
        machine.call("kernel", [a], signature)
        run = machine.call("check", [a], signature)
    with Machine(program) as fresh:
        expected = fresh.call("check", [a], signature)
    assert isinstance(run, Run) and isinstance(expected, Run)
    # flags of floating point that a caller may leave set are noise, the same for each call
    assert run.returned == expected.returned


@both
@pytest.mark.parametrize("seed", range(6))
def test_random_bytes_never_take_the_process_down(isa: Isa, seed: int) -> None:
    rng = np.random.default_rng(seed)
    print(f"seed {seed}")
    words = rng.integers(0, 2**32, 24, np.uint64)
    if isa is Isa.A32:
        words = words & 0x0FFFFFFF | 0xE0000000
    text = "\n".join(f".inst {int(word):#x}" for word in words) + f"\n{RETURN[isa]}"
    assert isinstance(call(isa, text, budget=10_000), (Run, Fault))
