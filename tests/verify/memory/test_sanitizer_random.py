"""Random accesses, judged by the compiled sanitizer and by a slow model fed with the emulator's own memory events."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from tests.emulate.guest_programs import assembled
from tests.verify.sanitized_call import contract_of
from unicorn import UC_HOOK_MEM_READ, UC_HOOK_MEM_WRITE, arm64_const, arm_const
from unicorn.unicorn_const import UC_MEM_WRITE

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.guest.address_space import STACK_TOP
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, Run
from neonlab.isa.model.isa import Isa
from neonlab.verify.sanitized_machine import SanitizedMachine

FUNCTIONS, LENGTH, SIZE = 60, 40, 520
# Bases begin in the middle of a buffer, and offsets reach its ends now and then.
MIDDLE, REACH = SIZE // 2, 264
OVER, UNDER = 5, 3


def _far(random_: random.Random, step: int = 1, reach: int = REACH) -> int:
    if random_.random() < 0.98:
        reach = reach * 5 // 8
    return random_.randint(-reach // step, reach // step) * step


def _a64(r: random.Random) -> str:
    base = r.choice(["x0", "x1", "x1", "sp"])
    store = r.random() < (0.01 if base == "x0" else 0.6)
    op = "st" if store else "ld"
    if base == "sp":
        register, size = r.choice([("w9", 4), ("x9", 8), ("q1", 16)])
        return f"{op}r {register}, [sp, #{r.randint(0, 4) * size}]" if r.random() < 0.99 else f"{op}ur x9, [sp, #-8]"
    match r.randrange(8):
        case 0:
            return f"{op}ur {r.choice(['w9', 'x9', 'b1', 'h1', 's1', 'd1', 'q1'])}, [{base}, #{_far(r, reach=255)}]"
        case 1:
            return f"{op}rb w9, [{base}, #{abs(_far(r))}]"
        case 2:
            return f"mov x5, #{_far(r)}\n {op}r {r.choice(['w9', 'x9', 'd1', 'q1'])}, [{base}, x5]"
        case 3:
            return f"mov w5, #{_far(r)}\n {op}rb w9, [{base}, w5, sxtw]"
        case 4:
            register, step = r.choice([("w9, w10", 4), ("x9, x10", 8), ("d1, d2", 8), ("q1, q2", 16)])
            return f"{op}p {register}, [{base}, #{_far(r, step, 250)}]"
        case 5:
            move = _far(r, reach=120)
            return f"{op}r {r.choice(['w9', 'x9', 'q1'])}, " + r.choice([f"[{base}, #{move}]!", f"[{base}], #{move}"])
        case 6:
            registers, count = r.choice([("1 {v1.16b}", 1), ("1 {v1.2d-v4.2d}", 4), ("2 {v1.8h-v2.8h}", 2)])
            return f"add x6, {base}, #{abs(_far(r))}\n {op}{registers}, [x6], #{16 * count}"
        case _:
            registers, _ = r.choice([("4 {v1.8b-v4.8b}", 32), ("3 {v1.h-v3.h}[5]", 6), ("1 {v1.b}[9]", 1)])
            return f"sub x6, {base}, #{abs(_far(r))}\n {op}{registers}, [x6]"


def _a32(r: random.Random) -> str:
    base = r.choice(["r0", "r1", "r1", "sp"])
    store = r.random() < (0.01 if base == "r0" else 0.6)
    op = "st" if store else "ld"
    if base == "sp":
        return f"{op}r r3, [sp, #{r.randint(0, 15) * 4}]" if r.random() < 0.99 else f"{op}r r3, [sp, #-4]"
    condition = r.choice(["", "", "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"])
    match r.randrange(8):
        case 0:
            return f"{op}r{condition} r3, [{base}, #{_far(r, 4)}]"
        case 1:
            return f"{op}r{'b' if r.random() < 0.5 else 'h'}{condition} r3, [{base}, #{_far(r, 1, 255)}]"
        case 2:
            shift = r.choice(["lsl #1", "lsr #1", "asr #1", "ror #31"])
            return f"ldr r12, ={_far(r, 2) & 0xFFFFFFFF}\n {op}r r3, [{base}, {r.choice(['', '-'])}r12, {shift}]"
        case 3:
            return (
                f"cmp r{r.randrange(2, 4)}, #{r.randrange(9)}\n {op}rd{condition} r2, r3, [{base}, #{_far(r, 4, 252)}]"
            )
        case 4:
            return f"v{op}r{condition} {r.choice(['d1', 's2'])}, [{base}, #{_far(r, 4)}]"
        case 5:
            move = _far(r, 4, 120)
            return f"{op}r r3, " + r.choice([f"[{base}, #{move}]!", f"[{base}], #{move}"])
        case 6:
            registers = r.choice(["{r2, r3}", "{r2, r3, r12}"])
            mode = r.choice(["ia", "ib", "da", "db"])
            return f"add r12, {base}, #{abs(_far(r, 4)) // 4 * 4}\n {op}m{mode} r12{r.choice(['', '!'])}, " + (
                "{r2, r3}" if registers.count("r12") else registers
            )
        case _:
            element = r.choice(["1.8 {d1-d4}", "4.8 {d1-d4}", "2.16 {d1[2], d2[2]}", "3.8 {d1[], d2[], d3[]}"])
            element = "1.16 {d1[3]}" if store and "[]" in element else element
            return f"sub r12, {base}, #{abs(_far(r, 1, 255))}\n v{op}{element}, [r12]{r.choice(['', '!', ', r3'])}"


def _program(isa: Isa, seed: int) -> str:
    r = random.Random(seed)
    write, back = ("x", "ret") if isa is Isa.A64 else ("r", "bx lr")
    functions = [f"idle: {back}"]
    for number in range(FUNCTIONS):
        name = "kernel" if number == 0 else f"f{number}"
        prologue = [f"add {write}0, {write}0, #{MIDDLE}", f"add {write}1, {write}1, #{MIDDLE}", "sub sp, sp, #64"]
        body = [_a64(r) if isa is Isa.A64 else _a32(r) for _ in range(LENGTH)]
        pool = [".ltorg"] if isa is Isa.A32 else []
        functions.append("\n ".join([f"{name}:", *prologue, *body, "add sp, sp, #64", back, *pool]))
    return "\n".join(functions)


class Model:
    """A plain machine with a Python hook on memory, and sets of the addresses that may be touched."""

    def __init__(self, program: Program, contract: Contract) -> None:
        self.contract = contract
        self.machine = Machine(program)
        self.events: list[tuple[int, int, int, bool, int]] = []
        sp = arm64_const.UC_ARM64_REG_SP if program.isa is Isa.A64 else arm_const.UC_ARM_REG_SP
        pc = arm64_const.UC_ARM64_REG_PC if program.isa is Isa.A64 else arm_const.UC_ARM_REG_PC

        def remember(engine: Any, kind: int, address: int, size: int, _value: int, _user: object) -> None:
            self.events.append(
                (engine.reg_read(pc), address, size, kind == UC_MEM_WRITE, engine.reg_read(sp)),
            )

        self.machine.engine.hook_add(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, remember)
        run = self.machine.call("idle", [*_buffers(), SIZE], contract.signature)
        assert isinstance(run, Run)
        src, dst = run.addresses["src"], run.addresses["dst"]
        self.source = {src + i for i in range(-UNDER, SIZE + OVER)}
        self.writable = {dst + i for i in range(SIZE)}
        self.code = {a for s in program.segments for a in range(s.address, s.end)}
        self.stack = set(range(STACK_TOP - 65536, STACK_TOP))

    def first_wrong(self, symbol: str, seed: int) -> tuple[int, str] | None:
        """pc and kind of the first forbidden access of a call, or None."""
        self.events.clear()
        outcome = self.machine.call(symbol, [*_buffers(), SIZE], self.contract.signature, seed=seed)
        for pc, address, size, writes, sp in self.events:
            touched = set(range(address, address + size))
            if touched <= self.stack:
                if address < sp:
                    return pc, "below-stack"
            elif writes and not touched <= self.writable:
                return pc, "readonly-write" if touched <= self.source | self.code else "oob-write"
            elif not touched <= self.source | self.writable | self.code:
                return pc, "oob-read"
        return (outcome.address, "unmapped") if isinstance(outcome, Fault) else None


def _buffers() -> list[Buffer]:
    # In the middle of a page each, so that no access near them crosses one: the emulator reports such twice.
    return [
        Buffer("src", np.zeros(SIZE, np.uint8), False, 4096, 1001 // 8 * 8, UNDER, OVER),
        Buffer("dst", np.zeros(SIZE, np.uint8), True, 4096, 1504),
    ]


CONTRACTS = {
    isa: contract_of(
        isa,
        "void (const uint8_t *src, uint8_t *dst, size_t n)",
        {
            "src": f'read = "n", over_read = {OVER}, under_read = {UNDER}',
            "dst": 'write = "n"',
            "n": "range = [1, 4096]",
        },
        "stack = 64",
    )
    for isa in Isa
}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("isa", Isa)
def test_random_accesses_are_judged_as_a_slow_model_judges_them(isa: Isa) -> None:
    seed = random.Random().randrange(1 << 30)
    print(f"seed {seed}")
    program, contract = assembled(isa, _program(isa, seed)), CONTRACTS[isa]
    model = Model(program, contract)
    seen: Counter[str] = Counter()
    with SanitizedMachine(program, contract) as machine:
        for number in range(FUNCTIONS):
            symbol = "kernel" if number == 0 else f"f{number}"
            expected = model.first_wrong(symbol, seed + number)
            machine.call(symbol, [*_buffers(), SIZE], contract.signature, seed=seed + number)
            seen["accesses"] += machine.memory.accesses
            fault = machine.memory.collect()
            if fault is None:
                assert expected is None, (symbol, expected)
                seen["right"] += 1
                continue
            assert expected is not None, (symbol, fault)
            address, kind = expected
            assert fault.address == address, (symbol, expected, fault)
            # A piece of an access may lie within a buffer where the whole of it does not.
            writes = {"oob-write", "readonly-write"}
            allowed = writes if kind in writes else {kind} if kind != "unmapped" else {*writes, "oob-read"}
            assert fault.kind.value in allowed, (symbol, expected, fault)
            seen[fault.kind.value] += 1
    model.machine.close()
    print(dict(seen))
    assert len(seen) >= 4 and seen["accesses"] > 400, seen
