"""The recorded trace says what a hook in Python sees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.emulate.guest_programs import BASE, assembled
from unicorn import UC_HOOK_CODE, UC_HOOK_MEM_READ, UC_HOOK_MEM_WRITE, UC_MEM_WRITE, arm64_const, arm_const

from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.emulate.trace import TraceProbe
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.instruction import AccessKind
from neonlab.isa.model.isa import FLAGS, Isa, Register, general, vector

PROGRAMS = {
    Isa.A64: """
        stp d8, d9, [sp, #-32]!
        str x19, [sp, #16]
        mov x19, #5
    1:  ldr q0, [x0], #16
        ld1 {v1.b}[3], [x0]
        smull v2.8h, v0.8b, v1.8b
        saddlp v8.4s, v2.8h
        sqxtn v9.4h, v8.4s
        st1 {v8.4s}, [x1], #16
        and x4, x19, #3
        ldrb w5, [x0, x4]
        ldrsb x6, [x0, w4, sxtw]
        str w5, [x1, x4, lsl #2]
        prfm pldl1keep, [x0, #64]
        subs x19, x19, #1
        b.ne 1b
        mrs x7, fpsr
        bl 2f
        ldr x19, [sp, #16]
        ldp d8, d9, [sp], #32
        ldr x30, [x3]
        ret
    2:  smmla v0.4s, v1.16b, v2.16b
        mov x9, x30
        ld4 {v4.8b-v7.8b}, [x2]
        st2 {v4.8b, v5.8b}, [x1]
        adds w8, w8, w8
        ret x9
    """,
    Isa.A32: """
        push {r4-r7, lr}
        vpush {d8-d9}
        mov r4, #5
    1:  vld1.8 {q0}, [r0]!
        vld1.8 {d2[3]}, [r0]
        vmull.s8 q4, d0, d2
        vpaddl.s16 q3, q4
        vqmovn.s32 d10, q3
        vst1.32 {q3}, [r1]!
        and r5, r4, #3
        ldrb r6, [r0, r5]
        ldrsb r7, [r0, r5]
        tst r4, #1
        streq r6, [r1, r5, lsl #2]
        strne r7, [r1]
        ldrhne r7, [r0, #-2]
        addeq r7, r7, #3
        pld [r0, #64]
        subs r4, r4, #1
        bne 1b
        vmrs r12, fpscr
        vld4.8 {d4-d7}, [r2]
        vst2.8 {d4, d5}, [r1]
        adds r12, r12, r12
        vpop {d8-d9}
        pop {r4-r7, pc}
    """,
}
SIGNATURE = "void f(const uint8_t *a, uint8_t *b, const uint8_t *c, const uint64_t *back)"


def _registers(isa: Isa) -> dict[Register, int]:
    if isa is Isa.A64:
        names = {general(i): f"UC_ARM64_REG_X{i}" for i in range(31)}
        names |= {general(31): "UC_ARM64_REG_SP", FLAGS: "UC_ARM64_REG_NZCV"}
        names |= {vector(i): f"UC_ARM64_REG_Q{i}" for i in range(32)}
        return {register: getattr(arm64_const, name) for register, name in names.items()}
    names = {general(i): f"UC_ARM_REG_R{i}" for i in range(15)} | {FLAGS: "UC_ARM_REG_CPSR"}
    names |= {vector(i): f"UC_ARM_REG_D{i}" for i in range(32)}
    return {register: getattr(arm_const, name) for register, name in names.items()}


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_registers_and_accesses_are_those_that_a_python_hook_sees(isa: Isa) -> None:
    program = assembled(isa, PROGRAMS[isa])
    random = np.random.default_rng(1)
    from neonlab.emulate.guest.address_space import RETURN_ADDRESS

    arguments = [
        Buffer("a", random.integers(0, 256, 128, np.uint8)),
        Buffer("b", np.zeros(160, np.uint8), writable=True),
        Buffer("c", random.integers(0, 256, 128, np.uint8)),
        Buffer("back", np.array([RETURN_ADDRESS], np.uint64)),
    ]
    probe = TraceProbe(program)
    seen: list[tuple[int, dict[Register, int]]] = []
    touched: list[set[tuple[bool, int]]] = []
    registers = _registers(isa)

    def code(engine: Any, address: int, _size: int, _user: Any) -> None:
        seen.append((address, {register: engine.reg_read(name) for register, name in registers.items()}))
        touched.append(set())

    def memory(_engine: Any, kind: int, address: int, size: int, _value: int, _user: Any) -> None:
        touched[-1] |= {(kind == UC_MEM_WRITE, address + i) for i in range(size)}

    with Machine(program, probes=(probe,)) as machine:
        machine.engine.hook_add(UC_HOOK_CODE, code)
        machine.engine.hook_add(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, memory)
        for seed in range(2):  # the second call starts with nothing of the first
            seen.clear()
            touched.clear()
            run = machine.call("kernel", arguments, parse_prototype(SIGNATURE, isa), seed=seed)
        assert isinstance(run, Run), run
        trace = probe.collect(machine)
        exit_state = machine.exit_state
    assert not trace.overflow
    assert trace.pcs.tolist() == [address for address, _ in seen]
    flags = 0xF0000000 if isa is Isa.A64 else 0xF00F0000
    for step, (_, values) in enumerate(seen):
        for register, value in values.items():
            assert trace.before(step, register) == (value & flags if register == FLAGS else value), (step, register)
        stores = {
            (True, a.address + i) for a in trace.accesses(step) if a.kind is AccessKind.STORE for i in range(a.count)
        }
        loads = {
            (False, a.address + i) for a in trace.accesses(step) if a.kind is AccessKind.LOAD for i in range(a.count)
        }
        assert loads | stores == touched[step], step
    for index in range(isa.general_registers):
        register = general(index)
        assert trace.after(len(trace) - 1, register) == exit_state.read(register.name(isa))

    by_step: dict[int, list[tuple[int, int]]] = {step: [] for step in range(len(trace))}
    for pc in trace.executions:
        instruction = program.by_address.get(pc)
        for number, access in enumerate(instruction.accesses if instruction else ()):
            for step, address in zip(*trace.addresses(pc, number), strict=True):
                by_step[int(step)].append((int(address), access.count))
    assert by_step == {step: [(a.address, a.count) for a in trace.accesses(step)] for step in by_step}

    last: dict[int, int] = {}
    for step, bytes_touched in enumerate(touched):
        last |= {address: step for stored, address in bytes_touched if stored}
    for address, step in last.items():
        assert trace.last_store(len(trace), address)[0] == step  # type: ignore[index]
        assert trace.last_store(0, address) is None
        found = trace.last_store(step, address)
        assert found is None or found[0] < step


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_a_definition_is_the_last_step_that_wrote_the_register(isa: Isa) -> None:
    text = {
        Isa.A64: "add x9, x9, #1\nsub x10, x9, #2\nadd x9, x10, x9\nret",
        Isa.A32: "add r9, r9, #1\nsub r10, r9, #2\nadd r9, r10, r9\nbx lr",
    }[isa]
    program = assembled(isa, text)
    probe = TraceProbe(program)
    with Machine(program, probes=(probe,)) as machine:
        machine.call("kernel", [], parse_prototype("void f(void)", isa))
        trace = probe.collect(machine)
    steps = [[trace.definition(step, general(register)) for step in range(5)] for register in (9, 10, 11)]
    assert steps == [[None, 0, 0, 2, 2], [None, None, 1, 1, 1], [None] * 5]
    for register in (general(9), vector(0), vector(31)):
        wholes = [trace.before(step, register) for step in range(4)]
        assert trace.befores(np.arange(4), register).tolist() == [[one % 2**64, one >> 64] for one in wholes]


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_beyond_the_limit_the_call_goes_on_unrecorded(isa: Isa) -> None:
    text = {
        Isa.A64: "mov x9, #100\n1: subs x9, x9, #1\nb.ne 1b\nmov x0, #7\nret",
        Isa.A32: "mov r9, #100\n1: subs r9, r9, #1\nbne 1b\nmov r0, #7\nbx lr",
    }[isa]
    program = assembled(isa, text)
    probe = TraceProbe(program, limit=12)
    with Machine(program, probes=(probe,)) as machine:
        run = machine.call("kernel", [], parse_prototype("int f(void)", isa))
        trace = probe.collect(machine)
    assert isinstance(run, Run)
    assert run.returned == 7
    assert trace.overflow
    assert len(trace) == 12
    assert trace.pcs[:4].tolist() == [BASE, BASE + 4, BASE + 8, BASE + 4]
    assert trace.before(11, general(9)) == 95
