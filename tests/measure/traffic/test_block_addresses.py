"""Addresses worked out where control arrives, against registers read before each instruction and the memory hook."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.emulate.guest_programs import assembled
from tests.measure.recorded_accesses import Call, bytes_of, bytes_seen, planned, stepped
from tests.measure.test_counts import CASES, arguments, signature
from tests.saboteurs import right_kernels

from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import Buffer, PointerField
from neonlab.emulate.machine import Argument, Machine
from neonlab.emulate.run import Fault, Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_kernel, open_library
from neonlab.lab.run.plan import draw_case, plan_cases
from neonlab.measure.traffic.block_addresses import make_plan
from neonlab.verify.cases.case import Depth
from neonlab.verify.check_case import run_case

ROOT = Path(__file__).parents[3]
both = pytest.mark.parametrize("isa", Isa, ids=lambda isa: isa.value)


def agree(program: Program, call: Call, *, stepwise: bool | None = None) -> int:
    """Access by access, in order, then byte by byte against the emulator; returns how many accesses there were."""
    got, feed = planned(program, call, stepwise=stepwise)
    want, events = stepped(program, call)
    assert feed.unplanned is None
    for number, (one, other) in enumerate(zip(got, want, strict=False)):
        assert one == other, (number, program.by_address[other[0]].text)
    assert len(got) == len(want)
    # The emulator makes one access into several where it crosses a page: bytes tell, in the order of instructions.
    assert bytes_of(got) == bytes_seen(events)
    return len(got)


KERNELS = (
    *open_library(ROOT).kernels,
    *(open_kernel(path) for path in right_kernels()),
)


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: f"{kernel.isa.value} {kernel.name}")
@pytest.mark.sweep
def test_every_access_of_every_kernel_is_worked_out_in_order(kernel: Kernel) -> None:
    program, accesses = kernel_program(kernel), 0
    names = [name for name in plan_cases(kernel, patterns=("random",)) if name.depth is Depth.FULL]
    for index in np.random.default_rng(5).choice(len(names), min(3, len(names)), replace=False):
        case = draw_case(kernel, names[index])
        print(names[index].shape)
        accesses += agree(program, lambda machine, case=case: run_case(machine, kernel.contract, case))  # type: ignore[misc]
    if any(instruction.accesses for instruction in program.instructions):
        assert accesses > 0


def call_with_pointers(isa: Isa, seed: int, n: int = 3, symbol: str = "kernel") -> Call:
    """A call (n, a: 64 KiB, p: 16 pointers into the middle of a, i: small numbers)."""
    r = np.random.default_rng(seed)
    a = Buffer("a", r.integers(0, 256, 65536).astype(np.uint8), writable=True, alignment=4096)
    width = isa.pointer_bytes
    fields = tuple(PointerField(width * k, a, 32768 + int(r.integers(0, 512)) * 16) for k in range(16))
    p = Buffer("p", np.zeros(16 * width, np.uint8), alignment=64, pointers=fields)
    i = Buffer("i", r.integers(0, 64, 256).astype(np.uint8))
    given: list[Argument] = [n, a, p, i]
    types = parse_prototype("void f(size_t n, uint8_t *a, const void *p, const uint8_t *i)", isa)

    def call(machine: Machine) -> Run | Fault:
        return machine.call(symbol, given, types, seed=seed)

    return call


@pytest.mark.parametrize(("isa", "text"), CASES)
def test_runs_that_the_emulator_cuts_and_computed_jumps_are_followed(isa: Isa, text: str) -> None:
    program = assembled(isa, text)
    for n in (1, 5, 37):
        agree(program, lambda machine, n=n: machine.call("kernel", arguments(n), signature(isa)))  # type: ignore[misc]


LONG = {
    Isa.A64: "add x1, x1, #1024\n1:\n.rept 150\nld4 {v0.16b-v3.16b}, [x1], #64\nst4 {v0.b-v3.b}[3], [x1]\n"
    "prfm pldl1keep, [x1, #64]\n.endr\nsub x1, x1, #8192\nsub x1, x1, #1408\nsubs x0, x0, #1\nb.ne 1b\nret",
    Isa.A32: "add r1, r1, #1024\n1:\n.rept 150\nvld4.8 {d0-d3}, [r1]!\nvst4.8 {d0[1], d1[1], d2[1], d3[1]}, [r1]\n"
    "pld [r1, #64]\n.endr\nsub r1, r1, #4800\nsubs r0, r0, #1\nbne 1b\nbx lr",
}


@both
def test_a_run_too_long_for_one_block_is_walked_once(isa: Isa) -> None:
    assert agree(assembled(isa, LONG[isa]), call_with_pointers(isa, 2)) == 3 * 450


RETURNS = {
    Isa.A64: "adr x5, 2f\nmov x6, x30\nmov x30, x5\nret\nldr x7, [x1]\n2: .inst 0xf9400029\n.if 0\n.endif\n"
    "ldr x8, [x1, #8]\nmov x30, x6\nret",
    Isa.A32: "add r12, pc, #12\nmov r3, lr\nmov lr, r12\nbx lr\nldr r2, [r1]\nldr r2, [r1, #4]\nldr r2, [r1, #8]\n"
    "mov lr, r3\nbx lr",
}


@both
def test_an_arrival_that_the_text_does_not_tell_of_is_noticed_and_stepping_gets_it_right(isa: Isa) -> None:
    program = assembled(isa, RETURNS[isa])
    call = call_with_pointers(isa, 3)
    _, feed = planned(program, call)
    assert feed.unplanned is not None and feed.unplanned in program.by_address
    assert agree(program, call, stepwise=True) >= 2


def _a64(r: random.Random, number: int) -> str:
    """One statement over x5-x9, which point near the middle of `a`; x10 is a small index, x11-x14 are scratch."""
    base, other = f"x{r.randint(5, 9)}", f"x{r.randint(5, 9)}"
    op = r.choice(["ld", "st"])
    step = r.randint(-8, 8) * 16
    statements: list[Callable[[], str]] = [
        lambda: f"ldr {base}, [x2, #{8 * r.randrange(16)}]",
        lambda: f"add {base}, {other}, #{r.randrange(200)}",
        lambda: f"sub {base}, {other}, #{r.randrange(200)}",
        lambda: f"add {base}, {other}, x10, lsl #{r.randrange(4)}",
        lambda: f"sub {base}, {other}, x10",
        lambda: f"add {base}, {other}, w10, {r.choice(['uxtw', 'sxtw'])} #{r.randrange(3)}",
        lambda: f"mov {base}, {other}",
        lambda: f"ldrb w10, [x3, #{r.randrange(200)}]",
        lambda: f"mov w10, #{r.randrange(90)}",
        lambda: f"lsl x11, x10, #2\n add {base}, {other}, x11",
        lambda: f"mov x10, #{r.randrange(90)}",
        lambda: f"cmp x10, #{r.randrange(64)}\n csel {base}, {base}, {other}, {r.choice(['lo', 'eq', 'hi'])}",
        lambda: f"{op}r q1, [{base}, #{abs(step)}]",
        lambda: f"{op}r x11, [{base}, x10, lsl #3]",
        lambda: f"{op}rb w11, [{base}, w10, {r.choice(['uxtw', 'sxtw'])}]",
        lambda: f"{op}r {r.choice(['q1', 'x11', 'w11'])}, [{base}], #{step}",
        lambda: f"{op}r {r.choice(['q1', 'x11', 'w11'])}, [{base}, #{step}]!",
        lambda: f"{op}p {r.choice(['q1, q2', 'x11, x12'])}, [{base}], #{step}",
        lambda: f"{op}1 {{v1.16b-v4.16b}}, [{base}], #64",
        lambda: f"{op}4 {{v1.8b-v4.8b}}, [{base}], x10",
        lambda: f"{op}4 {{v1.h-v4.h}}[{r.randrange(8)}], [{base}]",
        lambda: f"{op}1 {{v1.s}}[{r.randrange(4)}], [{base}], x10",
        lambda: f"prfm pldl1keep, [{base}, #{abs(step)}]",
        lambda: f"prfm pldl1strm, [{base}, x10]",
        lambda: f"tbz x10, #{r.randrange(4)}, 1{number}f\n {op}r x11, [{base}]\n add {base}, {base}, #16\n1{number}:",
        lambda: "nop",
    ]
    return r.choice(statements)()


def _a32(r: random.Random, number: int) -> str:
    """One statement over r4-r8, which point near the middle of `a`; r9 is a small index, r10-r12 are scratch."""
    base, other = f"r{r.randint(4, 8)}", f"r{r.randint(4, 8)}"
    op = r.choice(["ld", "st"])
    step = r.randint(-8, 8) * 16
    condition = r.choice(["eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"])
    maybe = r.choice(["", condition])
    statements: list[Callable[[], str]] = [
        lambda: f"ldr{maybe} {base}, [r2, #{4 * r.randrange(16)}]",
        lambda: f"add{maybe} {base}, {other}, #{r.randrange(200)}",
        lambda: f"sub {base}, {other}, #{r.randrange(200)}",
        lambda: f"add{maybe} {base}, {other}, r9, lsl #{r.randrange(4)}",
        lambda: f"sub {base}, {other}, r9, lsr #{r.randrange(1, 4)}",
        lambda: f"rsb r10, {other}, #0\n rsb {base}, r10, #32",
        lambda: f"mov{maybe} {base}, {other}",
        lambda: f"ldrb r9, [r3, #{r.randrange(200)}]",
        lambda: f"movw r9, #{r.randrange(90)}\n movt r9, #0",
        lambda: f"cmp r9, #{r.randrange(64)}",
        lambda: f"subs r10, r9, #{r.randrange(64)}",
        lambda: f"{op}r{maybe} r10, [{base}, #{step}]",
        lambda: f"{op}r{maybe} r10, [{base}, {r.choice(['', '-'])}r9, {r.choice(['lsl #2', 'lsr #1', 'asr #1'])}]",
        lambda: f"{op}r{maybe} r10, [{base}], #{step}",
        lambda: f"{op}r{maybe} r10, [{base}, #{step}]!",
        lambda: f"{op}rb{maybe} r10, [{base}], r9",
        lambda: f"{op}rd{maybe} r10, r11, [{base}, #{step}]",
        lambda: f"{op}m{r.choice(['ia', 'ib', 'da', 'db'])}{maybe} {base}{r.choice(['', '!'])}, {{r10, r11, r12}}",
        lambda: f"v{op}m{r.choice(['ia', 'db'])}{maybe} {base}!, {{d1-d5}}",
        lambda: f"v{op}r{maybe} d1, [{base}, #{step}]",
        lambda: f"v{op}1.8 {{d1-d4}}, [{base}]{r.choice(['', '!', ', r9'])}",
        lambda: f"v{op}4.8 {{d1-d4}}, [{base}]{r.choice(['', '!', ', r9'])}",
        lambda: f"v{op}2.16 {{d1[2], d2[2]}}, [{base}]{r.choice(['', '!', ', r9'])}",
        lambda: f"pld [{base}, #{step}]",
        lambda: f"pld [{base}, r9, lsl #1]",
        lambda: (
            f"tst r9, #{1 << r.randrange(4)}\n b{condition} 1{number}f\n {op}r r10, [{base}]\n"
            f" add {base}, {base}, #16\n1{number}:"
        ),
        lambda: "nop",
    ]
    return r.choice(statements)()


def random_function(isa: Isa, r: random.Random, name: str, length: int) -> str:
    if isa is Isa.A64:
        before = [f"ldr x{k}, [x2, #{8 * k}]" for k in range(5, 10)] + ["ldrb w10, [x3]", "2:"]
        after = ["subs x0, x0, #1", "b.ne 2b", "ret"]
        body = [_a64(r, number) for number in range(length)]
    else:
        before = ["push {r4-r10, lr}", *(f"ldr r{k}, [r2, #{4 * k}]" for k in range(4, 9)), "ldrb r9, [r3]", "2:"]
        after = ["subs r0, r0, #1", "bne 2b", "pop {r4-r10, pc}"]
        body = [_a32(r, number) for number in range(length)]
    return "\n ".join([f"{name}:", *before, *body, *after])


@pytest.mark.slow
@both
def test_random_programs_are_worked_out_in_order(isa: Isa) -> None:
    seed = random.Random().randrange(1 << 30)
    print(f"seed {seed}")
    r = random.Random(seed)
    names = ["kernel", *(f"f{number}" for number in range(39))]
    program = assembled(isa, "\n".join(random_function(isa, r, name, 30) for name in names))
    accesses = sum(agree(program, call_with_pointers(isa, seed, 3, name)) for name in names)
    assert accesses > 1000
    plan = make_plan(program)
    assert plan.stops and plan.sums.size > 10
