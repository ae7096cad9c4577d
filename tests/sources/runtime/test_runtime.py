"""The functions that the lab serves, against Python's arithmetic and the host's double precision."""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.command_line import neonlab as neonlab_command
from tests.tools import require_compiler

import neonlab
from neonlab import Buffer, Isa, Machine, Run, assemble_file, link, parse_prototype
from neonlab.emulate.run import Fault

FOLDERS = {Isa.A32: "armv7", Isa.A64: "armv8"}
BOTH = pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)


def machine(isa: Isa, name: str) -> Machine:
    path = Path(neonlab.__file__).parent / "sources" / "runtime" / FOLDERS[isa] / f"{name}.S"
    return Machine(link(assemble_file(path, isa=isa)))


def call(on: Machine, prototype: str, *arguments: Any, soft: bool = False) -> Run:
    from neonlab.isa.c.procedure_call import FloatAbi

    symbol = prototype[: prototype.index("(")].split()[-1].lstrip("*")
    abi = FloatAbi.SOFT if soft else FloatAbi.HARD
    run = on.call(symbol, arguments, parse_prototype(prototype, on.isa), float_abi=abi, step_budget=100_000)
    assert isinstance(run, Run), (prototype, arguments, run)
    return run


def floats(count: int, seed: int) -> list[float]:
    """Ordinary and odd values of float."""
    random = np.random.default_rng(seed)
    spread = random.uniform(-12, 12, count) * 2.0 ** random.integers(-20, 8, count)
    special = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1.0, -1.0, 8388607.5, -4194304.5, 1e-40, math.inf, -math.inf]
    return [float(value) for value in np.array([*special, *spread], np.float32)]


def as_float(value: float) -> float:
    return float(np.float32(value))


def places_apart(a: float, b: float) -> int:
    """Floats between two, 0 if they are the same."""
    if math.isnan(a) or math.isnan(b):
        return 0 if math.isnan(a) and math.isnan(b) else 1 << 30
    bits: list[int] = [struct.unpack("<i", struct.pack("<f", value))[0] for value in (a, b)]
    first, second = (value if value >= 0 else -(value & 0x7FFFFFFF) for value in bits)
    return abs(first - second)


def half_away(value: float) -> float:
    return math.copysign(math.floor(abs(value) + 0.5), value) if abs(value) < 2**52 else value


def half_even(value: float) -> float:
    return math.copysign(float(round(value)), value) if math.isfinite(value) else value


def guarded(function: Callable[[float], int]) -> Callable[[float], float]:
    return lambda value: math.copysign(float(function(value)), value) if math.isfinite(value) else value


EXACT: dict[str, Callable[[float], float]] = {
    "floor": guarded(math.floor), "ceil": guarded(math.ceil), "trunc": guarded(math.trunc), "round": half_away,
    "roundeven": half_even, "rint": half_even, "nearbyint": half_even, "fabs": abs,
}  # fmt: skip


@BOTH
@pytest.mark.parametrize("name", EXACT)
def test_rounding_functions_are_exact(isa: Isa, name: str) -> None:
    with machine(isa, "math") as on:
        for value in floats(60, 1):
            for ctype, suffix in (("float", "f"), ("double", "")):
                got = call(on, f"{ctype} {name}{suffix}({ctype} x)", value).returned
                assert repr(got) == repr(EXACT[name](value)), value


def exponential(value: float) -> float:
    return math.exp(min(value, 200.0)) if value != math.inf else math.inf


def logarithm(base: float) -> Callable[[float], float]:
    def function(value: float) -> float:
        if value <= 0 or value == math.inf:
            return -math.inf if value == 0 else math.inf if value > 0 else math.nan
        return math.log2(value) if base == 2 else math.log10(value) if base == 10 else math.log(value)

    return function


def to_float(value: float) -> float:
    with np.errstate(over="ignore"):
        return as_float(value)


INEXACT: dict[str, Callable[[float], float]] = {
    "expf": exponential, "tanhf": math.tanh, "logf": logarithm(math.e), "log2f": logarithm(2), "log10f": logarithm(10),
}  # fmt: skip


@BOTH
@pytest.mark.parametrize("name", INEXACT)
def test_transcendental_functions_are_rounded_once_from_double(isa: Isa, name: str) -> None:
    values = [*floats(400, 2), 88.7, 89.0, -103.9, -104.5, 3e38, math.nan, 1e-5, -2e-4, 2.5e-4]
    off = 0
    with machine(isa, "math") as on:
        for value in map(to_float, values):
            got = call(on, f"float {name}(float x)", value).returned
            apart = places_apart(float(got or 0.0), to_float(INEXACT[name](value)))
            assert apart <= 1, (value, got)
            off += apart
    assert off <= len(values) // 100


@BOTH
def test_numbers_are_rounded_to_long_as_the_mode_or_the_name_says(isa: Isa) -> None:
    with machine(isa, "math") as on:
        for value in (0.5, 1.5, -0.5, -1.5, 2.5, 1e6 + 0.5, -7.75):
            assert call(on, "long lrintf(float x)", value).returned == round(value)
            assert call(on, "long lrint(double x)", value).returned == round(value)
            assert call(on, "long lroundf(float x)", value).returned == half_away(value)
            assert call(on, "long lround(double x)", value).returned == half_away(value)


@BOTH
def test_fused_and_two_operand_functions(isa: Isa) -> None:
    with machine(isa, "math") as on:
        for a, b in itertools.product((0.25, -3.5, 1e30), (2.0, -0.0, 7.25)):
            assert call(on, "float fminf(float a, float b)", a, b).returned == as_float(min(a, b))
            assert call(on, "double fmax(double a, double b)", a, b).returned == max(a, b)
            got = call(on, "float copysignf(float a, float b)", a, b).returned
            assert repr(got) == repr(math.copysign(as_float(a), b))
            assert repr(call(on, "double copysign(double a, double b)", a, b).returned) == repr(math.copysign(a, b))
        tiny = 2.0**-24
        fused = call(on, "float fmaf(float a, float b, float c)", 1 + 2 * tiny, 1 + 2 * tiny, -1 - 4 * tiny).returned
        assert fused == 4 * tiny * tiny  # which two roundings lose
        for k in (-160, -30, 0, 3, 127, 500):
            assert call(on, "float ldexpf(float x, int k)", 1.75, k).returned == to_float(math.ldexp(1.75, k))


SIZES = [0, 1, 7, 8, 15, 16, 17, 31, 33, 64, 100]


@BOTH
@pytest.mark.parametrize("size", SIZES)
def test_memory_is_copied_set_and_compared(isa: Isa, size: int) -> None:
    random = np.random.default_rng(size)
    data = random.integers(0, 256, size, np.uint8)
    with machine(isa, "memory") as on:
        for name in ("memcpy", "memmove"):
            buffers = Buffer("to", np.zeros(size + 2, np.uint8), True, offset=3), Buffer("from", data, offset=5)
            run = call(on, f"void *{name}(void *to, const void *from, size_t n)", *buffers, size)
            assert np.array_equal(run.outputs["to"], [*data, 0, 0])
            assert run.returned == run.addresses["to"]
        run = call(on, "void *memset(void *to, int c, size_t n)", Buffer("to", data, True), 0x1A5, size)
        assert np.array_equal(run.outputs["to"], np.full(size, 0xA5))
        for name in ("memcmp", "bcmp"):
            other, prototype = data.copy(), f"int {name}(const void *a, const void *b, size_t n)"
            assert call(on, prototype, Buffer("a", data), Buffer("b", other), size).returned == 0
            if size:
                other[size - 1] ^= 0x80
                returned = call(on, prototype, Buffer("a", data), Buffer("b", other), size).returned
                assert returned == int(data[-1]) - int(other[-1])
        text = np.array([*(b"x" * size), 0], np.uint8)
        assert call(on, "size_t strlen(const char *s)", Buffer("s", text)).returned == size


@BOTH
@pytest.mark.parametrize("shift", [-20, -3, 0, 5, 16, 40])
def test_memory_that_overlaps_is_moved_whole(isa: Isa, shift: int) -> None:
    data = np.arange(120, dtype=np.uint8)
    expected = data.copy()
    expected[40 + shift : 80 + shift] = data[40:80]
    x = "x" if isa is Isa.A64 else "r"
    lines = [f"add {x}1, {x}0, #40", f"add {x}0, {x}0, #{40 + shift}", f"mov {x}2, #40", "b memmove"]
    wrapper = "\n".join(["", ".global f", "f:", *lines, ""])
    path = Path(neonlab.__file__).parent / "sources" / "runtime" / FOLDERS[isa] / "memory.S"
    from neonlab import assemble_text

    program = link(assemble_text(path.read_text() + wrapper, isa=isa))
    with Machine(program) as on:
        run = call(on, "void f(void *a)", Buffer("a", data, True))
    assert np.array_equal(run.outputs["a"], expected)


@BOTH
def test_blocks_of_the_heap_lie_apart_and_run_out(isa: Isa) -> None:
    with machine(isa, "heap") as on:
        first = call(on, "void *malloc(size_t n)", 100).returned
        assert isinstance(first, int) and first % 16 == 0 and first
        assert call(on, "void *malloc(size_t n)", 1 << 20).returned == 0
        assert (
            call(on, "void *calloc(size_t a, size_t b)", 1 << 31, 1 << 31 if isa is Isa.A32 else 1 << 40).returned == 0
        )
        assert call(on, "void *calloc(size_t a, size_t b)", 10, 10).returned == first
        assert call(on, "void *realloc(void *a, size_t n)", 0, 10).returned == first
        aligned = call(on, "void *aligned_alloc(size_t a, size_t n)", 256, 10).returned
        assert isinstance(aligned, int) and aligned % 256 == 0 and aligned
        call(on, "void free(void *p)", first)


#: C that gives how many bytes of a block are not 0.
HELD = """#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
int32_t held(const int8_t *a, size_t n)
{
    int8_t *copy = BLOCK;
    int32_t count = 0;
    if (!copy) return -1;
    for (size_t i = 0; i < n; i++) copy[i] OPERATION a[i];
    for (size_t i = 0; i < n; i++) count += copy[i] == a[i];
    free(copy);
    return count;
}
int32_t held_c(const int8_t *a, size_t n)
{
    (void)a;
    return (int32_t)n;
}
"""


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize(
    ("block", "operation", "is_right"),
    [
        ("malloc(n + 8)", "=", True),
        ("malloc(n + 8)", "+=", False),
        ("calloc(n + 8, 1)", "+=", True),
        ("aligned_alloc(64, n + 64)", "+=", False),
        ("realloc(malloc(1), n + 8)", "+=", False),
        ("realloc(calloc(n + 1, 1), n)", "+=", True),
    ],
)
def test_a_block_holds_no_zeros_but_where_it_says_so(
    isa: Isa, tmp_path: Path, block: str, operation: str, is_right: bool
) -> None:
    require_compiler(isa)
    path = tmp_path / "held.c"
    path.write_text(HELD.replace("BLOCK", block).replace("OPERATION", operation))
    given = ["--set", "a.read=n", "--set", "n.range=[0,400]", "--reference-symbol", "held_c"]
    done = neonlab_command("check", str(path), "--isa", FOLDERS[isa], *given)
    assert done.returncode == (0 if is_right else 1), done.stdout + done.stderr
    assert ("exact" if is_right else "WRONG") in done.stdout


@BOTH
@pytest.mark.parametrize("name", ["abort", "__assert_fail", "__stack_chk_fail"])
def test_giving_up_does_not_come_back(isa: Isa, name: str) -> None:
    with machine(isa, "abort") as on:
        assert isinstance(on.call(name, [], parse_prototype(f"void {name}(void)", isa)), Fault)


WIDE = [0, 1, -1, 7, -7, 10**9, -(10**12), 2**63 - 1, -(2**63), 0x123456789ABCDEF, 2**32, -(2**32) + 5, 2**53 + 1]


def quotient(a: int, b: int) -> tuple[int, int]:
    if b == 0:
        return 0, a
    q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return q, a - q * b


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def pair(on: Machine, prototype: str, *arguments: int) -> tuple[int, int]:
    """What a function of A32 leaves in r0:r1 and r2:r3."""
    call(on, prototype, *arguments)
    state = on.exit_state
    r = [state.read(f"r{i}", 4) for i in range(4)]
    return r[0] | r[1] << 32, r[2] | r[3] << 32


def test_division_of_64_bits() -> None:
    prototype = "(int64_t a, int64_t b)"
    with machine(Isa.A32, "integer") as on:
        for a, b in itertools.product(WIDE, WIDE):
            q, r = pair(on, f"int64_t __aeabi_ldivmod{prototype}", a, b)
            assert (signed(q, 64), signed(r, 64)) == tuple(signed(v, 64) for v in quotient(a, b)), (a, b)
            low_a, low_b = a % 2**64, b % 2**64
            assert pair(on, f"int64_t __aeabi_uldivmod{prototype}", low_a, low_b) == quotient(low_a, low_b), (a, b)


def test_division_of_32_bits() -> None:
    values = [0, 1, -1, 7, -100, 2**31 - 1, -(2**31)]
    with machine(Isa.A32, "integer") as on:
        for a, b in itertools.product(values, values):
            q, r = quotient(a, b)
            assert call(on, "int __aeabi_idiv(int a, int b)", a, b).returned == signed(q, 32)
            found = pair(on, "int64_t __aeabi_idivmod(int a, int b)", a, b)[0]
            assert found == signed(q, 32) % 2**32 | signed(r, 32) % 2**32 << 32
            q, r = quotient(a % 2**32, b % 2**32)
            assert call(on, "unsigned __aeabi_uidiv(unsigned a, unsigned b)", a % 2**32, b % 2**32).returned == q
            assert pair(on, "int64_t __aeabi_uidivmod(unsigned a, unsigned b)", a % 2**32, b % 2**32)[0] == q | r << 32


def test_shifts_products_and_comparisons_of_64_bits() -> None:
    with machine(Isa.A32, "integer") as on:
        for a, n in itertools.product(WIDE, (0, 1, 31, 32, 33, 63)):
            assert call(on, "int64_t __aeabi_llsl(int64_t a, int n)", a, n).returned == signed(a << n, 64)
            assert call(on, "int64_t __aeabi_lasr(int64_t a, int n)", a, n).returned == a >> n
            assert call(on, "uint64_t __aeabi_llsr(uint64_t a, int n)", a % 2**64, n).returned == a % 2**64 >> n
        for a, b in itertools.product(WIDE, WIDE):
            assert call(on, "int64_t __aeabi_lmul(int64_t a, int64_t b)", a, b).returned == signed(a * b, 64)
            assert call(on, "int __aeabi_lcmp(int64_t a, int64_t b)", a, b).returned == (a > b) - (a < b)
            a, b = a % 2**64, b % 2**64
            assert call(on, "int __aeabi_ulcmp(uint64_t a, uint64_t b)", a, b).returned == (a > b) - (a < b)


def test_conversions_between_64_bits_and_floating_point() -> None:
    tricky = [2**24 + 1, 2**54 + 2**30, 2**54 + 2**30 + 1, 2**62 + 2**38, -(2**62) - 2**38 - 1, -(2**60) - 1]
    with machine(Isa.A32, "convert") as on:
        for value in (*WIDE, *tricky):
            fraction = float(value)
            got = call(on, "double __aeabi_l2d(int64_t a)", value, soft=True).returned
            assert got == fraction
            assert call(on, "double __aeabi_ul2d(uint64_t a)", value % 2**64, soft=True).returned == float(
                value % 2**64
            )
            single = float(np.float32(np.int64(value)))
            assert call(on, "float __aeabi_l2f(int64_t a)", value, soft=True).returned == single, value
            single = float(np.float32(np.uint64(value % 2**64)))
            assert call(on, "float __aeabi_ul2f(uint64_t a)", value % 2**64, soft=True).returned == single, value
            limited = max(-(2**63), min(2**63 - 1, int(fraction)))
            assert call(on, "int64_t __aeabi_d2lz(double a)", fraction, soft=True).returned == limited
            assert call(on, "int64_t __aeabi_f2lz(float a)", single / 2.0**33, soft=True).returned == int(
                single / 2.0**33
            )
            if value >= 0:
                assert call(on, "uint64_t __aeabi_d2ulz(double a)", fraction, soft=True).returned == int(fraction)


def test_floating_point_in_core_registers() -> None:
    values = [0.0, -1.5, 3.25, 1e10, -7e-3]
    with machine(Isa.A32, "convert") as on:
        for a, b in itertools.product(values, values):
            single = np.float32(a), np.float32(b)
            assert call(on, "float __aeabi_fadd(float a, float b)", a, b, soft=True).returned == single[0] + single[1]
            assert call(on, "double __aeabi_dmul(double a, double b)", a, b, soft=True).returned == a * b
            assert call(on, "int __aeabi_fcmplt(float a, float b)", a, b, soft=True).returned == (a < b)
            assert call(on, "int __aeabi_dcmpge(double a, double b)", a, b, soft=True).returned == (a >= b)
            assert call(on, "int __aeabi_dcmpun(double a, double b)", a, math.nan, soft=True).returned == 1
        for value in (0.0, -1.5, 3.75, 1e6):
            assert call(on, "int __aeabi_f2iz(float a)", value, soft=True).returned == int(value)
            assert call(on, "int __aeabi_d2iz(double a)", value, soft=True).returned == int(value)
            assert call(on, "double __aeabi_f2d(float a)", value, soft=True).returned == value
            assert call(on, "float __aeabi_i2f(int a)", int(value), soft=True).returned == int(value)
            assert call(on, "double __aeabi_ui2d(unsigned a)", abs(int(value)), soft=True).returned == abs(int(value))
