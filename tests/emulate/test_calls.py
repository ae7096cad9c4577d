"""Calls against callees that GCC compiled, which take the calling convention from the same standard independently."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest
from tests.emulate.guest_programs import assembled, compiled

from neonlab.emulate.guest.buffer import Buffer, PointerField
from neonlab.emulate.guest.memory import CallError
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.isa.c.procedure_call import FloatAbi
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa

TYPES = {
    **{f"int{bits}_t": f"__INT{bits}_TYPE__" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}_t": f"__UINT{bits}_TYPE__" for bits in (8, 16, 32, 64)},
    "size_t": "__SIZE_TYPE__",
    "float": "float",
    "double": "double",
    "const int8_t *": "const __INT8_TYPE__ *",
}
TYPEDEFS = "".join(f"typedef {builtin} {name};\n" for name, builtin in TYPES.items() if name.endswith("_t"))
CONVENTIONS = [
    pytest.param(Isa.A64, FloatAbi.HARD, (), id="a64"),
    pytest.param(Isa.A32, FloatAbi.HARD, ("-mfloat-abi=hard", "-mfpu=neon"), id="a32-hard"),
    pytest.param(Isa.A32, FloatAbi.SOFT, ("-mfloat-abi=softfp", "-mfpu=neon"), id="a32-soft"),
]
both = pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
RETURN = {Isa.A64: "ret", Isa.A32: "bx lr"}


def size_of(name: str, isa: Isa) -> int:
    return parse_prototype(f"void f({name} x)", isa).parameters[0].ctype.size


def random_value(name: str, isa: Isa, rng: random.Random) -> int | float:
    if name in ("float", "double"):
        return float(np.float32(rng.uniform(-1e6, 1e6)))
    bits = 8 * size_of(name, isa)
    signed = name.startswith("int")
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return rng.choice([low, high, 0, rng.randint(low, high)])


@pytest.mark.parametrize(("isa", "abi", "options"), CONVENTIONS)
@pytest.mark.parametrize("seed", range(8))
def test_a_callee_finds_each_argument_where_the_caller_put_it(
    isa: Isa, abi: FloatAbi, options: tuple[str, ...], seed: int
) -> None:
    rng = random.Random(seed)
    names = [rng.choice(list(TYPES)) for _ in range(rng.randint(1, 24))]
    names.insert(rng.randint(0, len(names)), "double *")
    out = names.index("double *")
    parameters = ", ".join(f"{name} p{i}" for i, name in enumerate(names))
    # Every value is widened to 64 bits by the callee, so that it depends on each bit it may rely on and on no other.
    body = "".join(
        f"((double *)p{out})[{i}] = p{i};\n"
        if name in ("float", "double")
        else f"((long long *)p{out})[{i}] = (long long)({'__UINTPTR_TYPE__' if '*' in name else name})p{i};\n"
        for i, name in enumerate(names)
        if i != out
    )
    program = compiled(isa, f"{TYPEDEFS}void kernel({parameters}) {{\n{body}}}\n", *options)
    values = [random_value(name, isa, rng) for name in names]
    result = Buffer("out", np.zeros(len(names), np.int64), writable=True)
    arguments = [result if i == out else value for i, value in enumerate(values)]
    with Machine(program) as machine:
        run = machine.call("kernel", arguments, parse_prototype(f"void f({parameters})", isa), float_abi=abi, seed=seed)
    print(f"seed {seed}: {parameters}: {values}")
    assert isinstance(run, Run), run
    for i, (name, value) in enumerate(zip(names, values, strict=True)):
        if i == out:
            continue
        word = run.outputs["out"][i]
        if name in ("float", "double"):
            assert word.view(np.float64) == value, (i, name)
        else:
            assert isinstance(value, int)
            assert int(word) & (1 << 64) - 1 == value & (1 << 64) - 1, (i, name)


@pytest.mark.parametrize(("isa", "abi", "options"), CONVENTIONS)
@pytest.mark.parametrize("name", list(TYPES))
def test_a_result_comes_back_as_the_callee_left_it(
    isa: Isa, abi: FloatAbi, options: tuple[str, ...], name: str
) -> None:
    program = compiled(isa, f"{TYPEDEFS}{name} kernel({name} x) {{ return x; }}\n", *options)
    signature = parse_prototype(f"{name} kernel({name} x)", isa)
    rng = random.Random(name)
    with Machine(program) as machine:
        for value in [random_value(name, isa, rng) for _ in range(20)]:
            run = machine.call("kernel", [value], signature, float_abi=abi)
            assert isinstance(run, Run)
            assert run.returned == value


@both
def test_nothing_is_returned_by_void(isa: Isa) -> None:
    with Machine(assembled(isa, RETURN[isa])) as machine:
        run = machine.call("kernel", [], parse_prototype("void f(void)", isa))
    assert isinstance(run, Run)
    assert (run.returned, run.steps) == (None, 1)


@both
def test_buffers_come_back_in_their_own_shape_and_the_originals_stay(isa: Isa) -> None:
    text = "mov w1, #7\nstrb w1, [x0, #5]\nret" if isa is Isa.A64 else "mov r1, #7\nstrb r1, [r0, #5]\nbx lr"
    program = assembled(isa, text)
    data = np.arange(24, dtype=np.int16).reshape(2, 3, 4)[:, ::-1]
    before = data.copy()
    with Machine(program) as machine:
        run = machine.call("kernel", [Buffer("c", data, writable=True)], parse_prototype("void f(int16_t *c)", isa))
    assert isinstance(run, Run)
    want = before.copy()
    want.reshape(-1).view(np.uint8)[5] = 7
    assert run.outputs["c"].dtype == np.int16
    np.testing.assert_array_equal(run.outputs["c"], want)
    np.testing.assert_array_equal(data, before)


@both
def test_a_buffer_given_twice_is_one_piece_of_memory(isa: Isa) -> None:
    program = assembled(isa, f"sub {'x0, x0, x1' if isa is Isa.A64 else 'r0, r0, r1'}\n{RETURN[isa]}")
    one = Buffer("a", np.zeros(9, np.int8))
    with Machine(program) as machine:
        run = machine.call("kernel", [one, one], parse_prototype("size_t f(int8_t *a, int8_t *b)", isa))
    assert isinstance(run, Run)
    assert run.returned == 0


@both
def test_a_buffer_of_pointers_leads_to_other_buffers(isa: Isa) -> None:
    source = f"{TYPEDEFS}int32_t kernel(const int8_t *const *rows) {{ return rows[0][3] * 1000 + rows[1][0]; }}"
    row = Buffer("row", np.array([1, 2, 3, 4], np.int8))
    width = isa.pointer_bytes
    rows = Buffer(
        "rows",
        np.zeros(2 * width, np.uint8),
        pointers=(PointerField(0, row), PointerField(width, row, displacement=2)),
    )
    with Machine(compiled(isa, source)) as machine:
        run = machine.call("kernel", [rows], parse_prototype("int32_t f(const int8_t **rows)", isa))
    assert isinstance(run, Run)
    assert run.returned == 4003


@both
def test_one_field_may_be_many_pointers(isa: Isa) -> None:
    source = (
        f"{TYPEDEFS}int32_t kernel(const int8_t *const *at) {{ return at[0][0] * 100 + at[1][0] * 10 + at[2][0]; }}"
    )
    row = Buffer("row", np.array([1, 2, 3, 4], np.int8), origin=1)
    memory, displacements = np.zeros(3 * isa.pointer_bytes, np.uint8), np.array([2, -1, 0])
    signature = parse_prototype("int32_t f(const int8_t **at)", isa)
    with Machine(compiled(isa, source)) as machine:
        run = machine.call("kernel", [Buffer("at", memory, pointers=(PointerField(0, row, displacements),))], signature)
        assert isinstance(run, Run) and run.returned == 412
        with pytest.raises(CallError, match="no room for a pointer at offset 1"):
            machine.call("kernel", [Buffer("at", memory, pointers=(PointerField(1, row, displacements),))], signature)


@both
def test_what_nobody_set_is_noise_that_the_seed_repeats(isa: Isa) -> None:
    with Machine(assembled(isa, RETURN[isa])) as machine:
        signature = parse_prototype("void f(int8_t x)", isa)

        def entry(seed: int) -> tuple[list[int], bytes, int]:
            machine.call("kernel", [1], signature, seed=seed)
            state = machine.entry_state
            status = state.read("pstate" if isa is Isa.A64 else "cpsr")
            return state.general.tolist(), state.vectors.tobytes(), status

        first = [entry(seed) for seed in range(12)]
        assert first == [entry(seed) for seed in range(12)]
        assert len({status for *_, status in first}) > 4, "flags are random"
        fixed = {13: "sp", 14: "lr"} if isa is Isa.A32 else {30: "lr"}
        for register in range(len(first[0][0])):
            values = {general[register] for general, *_ in first}
            if isa is Isa.A32 and register == 0:
                assert values == {1}, "AAPCS32 widens a narrow argument"
            elif isa is Isa.A64 and register == 0:
                assert {value & 0xFF for value in values} == {1}
                assert len(values) == 12, "AAPCS64 leaves the rest of a narrow argument open"
            else:
                assert len(values) == (1 if register in fixed else 12), register


@both
def test_the_state_at_exit_is_what_the_guest_left(isa: Isa) -> None:
    text = "mov x9, #77\nmovi v9.16b, #3\nret" if isa is Isa.A64 else "mov r9, #77\nvmov.i8 q9, #3\nbx lr"
    with Machine(assembled(isa, text)) as machine:
        machine.call("kernel", [], parse_prototype("void f(void)", isa))
        before, after = machine.entry_state, machine.exit_state
    changed = np.flatnonzero(before.general != after.general)
    assert changed.tolist() == [9]
    assert after.read("x9" if isa is Isa.A64 else "r9") == 77
    assert np.flatnonzero((before.vectors != after.vectors).any(axis=1)).tolist() == [9]
    assert after.read("d18" if isa is Isa.A32 else "d9") == 0x0303030303030303
    assert after.read("sp") == before.read("sp")
    assert after.read("sp") % (16 if isa is Isa.A64 else 8) == 0


@both
def test_a_machine_serves_a_thousand_calls_of_different_sizes(isa: Isa) -> None:
    source = f"""{TYPEDEFS}
    void kernel(size_t n, const int8_t *a, int32_t *c) {{ for (size_t i = 0; i < n; i++) c[i] = a[i] * 3 + c[i]; }}"""
    signature = parse_prototype("void f(size_t n, const int8_t *a, int32_t *c)", isa)
    rng = np.random.default_rng(5)
    with Machine(compiled(isa, source)) as machine:
        for call in range(1000):
            n = int(rng.integers(0, 3000)) if call % 10 == 0 else int(rng.integers(0, 40))
            a, c = rng.integers(-128, 128, n, np.int8), rng.integers(-1000, 1000, n, np.int32)
            run = machine.call("kernel", [n, Buffer("a", a), Buffer("c", c, writable=True)], signature)
            assert isinstance(run, Run), run
            np.testing.assert_array_equal(run.outputs["c"], a.astype(np.int32) * 3 + c)


@both
def test_a_call_does_not_depend_on_calls_before_it(isa: Isa) -> None:
    source = f"""{TYPEDEFS}
    static int counter = 5;
    int32_t kernel(const int8_t *a, const int8_t *b) {{ return *a + *b; }}"""
    signature = parse_prototype("int32_t f(const int8_t *a, const int8_t *b)", isa)
    pair = [Buffer("a", np.ones(100, np.int8)), Buffer("b", np.ones(3, np.int8))]
    with Machine(compiled(isa, source)) as machine:
        first = machine.call("kernel", pair, signature)
        many = [Buffer("a", np.ones(10000, np.int8)), Buffer("b", np.ones(1, np.int8), offset=1)]
        machine.call("kernel", many, signature)
        again = machine.call("kernel", pair, signature)
    assert isinstance(first, Run)
    assert isinstance(again, Run)
    assert first.addresses == again.addresses


@both
def test_parent_and_child_of_a_fork_both_use_the_machine(isa: Isa) -> None:
    source = f"{TYPEDEFS}int32_t kernel(int8_t *a) {{ a[0]++; return a[0] * 2; }}"
    signature = parse_prototype("int32_t f(int8_t *a)", isa)
    buffer = Buffer("a", np.array([20], np.int8), writable=True)
    with Machine(compiled(isa, source)) as machine:
        assert isinstance(machine.call("kernel", [buffer], signature), Run)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                run = machine.call("kernel", [buffer], signature)
                status = 0 if isinstance(run, Run) and run.returned == 42 else 2
            finally:
                os._exit(status)
        run = machine.call("kernel", [buffer], signature)
        assert isinstance(run, Run)
        assert run.returned == 42
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@both
@pytest.mark.parametrize(
    ("symbol", "arguments", "message"),
    [
        ("other", [1, 2.0], "no symbol `other`"),
        ("kernel", [1], "1 arguments for 2 parameters"),
        ("kernel", [256, 2.0], "`x` does not fit uint8_t: 256"),
        ("kernel", [1.5, 2.0], "`x` is not uint8_t"),
        ("kernel", [1, "two"], "`y` is not float"),
        ("kernel", [1, 1e300], "`y` is not float"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(
    isa: Isa, symbol: str, arguments: list[int | float], message: str
) -> None:
    with (
        Machine(assembled(isa, RETURN[isa])) as machine,
        pytest.raises(CallError, match=message.replace("(", r"\(")),
    ):
        machine.call(symbol, arguments, parse_prototype("void f(uint8_t x, float y)", isa))
