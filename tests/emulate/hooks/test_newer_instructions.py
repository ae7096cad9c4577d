"""BFloat16 conversions and half-precision minimum and maximum, which the lab executes itself, against arithmetic.

Conversions are judged by the distance to both neighbours in exact fractions, minima and maxima by numpy's float16.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.hooks import narrow_floats
from neonlab.emulate.machine import Argument, Machine
from neonlab.emulate.run import Fault, Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.decode import decode_word
from neonlab.isa.dependence import dependence_of
from neonlab.isa.extensions import encode
from neonlab.isa.model.dependence import places_of
from neonlab.isa.model.isa import Isa, vector

SEED = 15
FZ16, FZ, DN = 1 << 19, 1 << 24, 1 << 25
IOC, OFC, UFC, IXC, IDC = 1, 4, 8, 16, 128
EXCEPTIONS = 0x9F
MODES = {"nearest": 0, "up": 1, "down": 2, "zero": 3}

_A64 = """\
    .text
    .globl kernel
kernel:
    mrs     x4, fpcr
    msr     fpcr, x3
    msr     fpsr, xzr
    ldr     q1, [x0]
    ldr     q2, [x1]
    ldr     q0, [x2]
    {text}
    str     q0, [x2]
    mrs     x0, fpsr
    msr     fpcr, x4
    ret
"""
_A32 = """\
    .text
    .globl kernel
    .fpu neon
kernel:
    vmrs    r12, fpscr
    vmsr    fpscr, r3
    vld1.8  {{d2,d3}}, [r0]
    vld1.8  {{d4,d5}}, [r1]
    vld1.8  {{d0,d1}}, [r2]
    {text}
    vst1.8  {{d0,d1}}, [r2]
    vmrs    r0, fpscr
    vmsr    fpscr, r12
    bx      lr
"""
_PROTOTYPE = "uint32_t f(const uint8_t *n, const uint8_t *m, uint8_t *d, uint32_t control)"

Bits = npt.NDArray[np.uint8]


def program(isa: Isa, text: str) -> Program:
    """Assemble the guest around one instruction."""
    template = _A64 if isa is Isa.A64 else _A32
    return link(assemble_text(template.format(text=text), isa=isa, path="kernel.S"))


class Guest:
    """One instruction between loads and stores of v0-v2 or q0-q2, run with any control bits."""

    def __init__(self, isa: Isa, text: str) -> None:
        self._machine = Machine(program(isa, text))
        self._signature = parse_prototype(_PROTOTYPE, isa)

    def __enter__(self) -> Guest:
        return self

    def __exit__(self, *_: object) -> None:
        self._machine.close()

    def __call__(self, n: Bits, m: Bits, d: Bits, control: int) -> tuple[Bits, int]:
        """Return the 16 bytes of the destination and the cumulative exceptions."""
        with_data: list[Argument] = [Buffer("n", n), Buffer("m", m), Buffer("d", d, writable=True), control]
        run = self._machine.call("kernel", with_data, self._signature)
        assert isinstance(run, Run), run
        assert isinstance(run.returned, int)
        return run.outputs["d"].view(np.uint8), run.returned & EXCEPTIONS


def bfloat16_of(bits: int, mode: int, *, flush: bool, default_nan: bool) -> tuple[int, int]:
    """Round one single-precision number by its distance from both neighbours; the 16 bits and the exceptions."""
    single = np.array([bits], np.uint32).view(np.float32)[0]
    if np.isnan(single):
        raised = 0 if bits & 0x400000 else IOC
        return (0x7FC0 if default_nan else bits >> 16 | 0x40), raised
    sign = bits >> 31
    if single != 0 and abs(single) < np.float32(2.0**-126) and flush:
        return sign << 15, IDC
    if np.isinf(single):
        return sign << 15 | 0x7F80, 0
    value = abs(Fraction(float(single)))
    exponent = max((bits >> 23 & 0xFF) - 127, -126)
    step = Fraction(2) ** (exponent - 7)
    low = value // step * step
    if low == value:
        chosen, raised = value, 0
    else:
        raised = IXC | (UFC if value < Fraction(2) ** -126 else 0)
        even = low / step % 2 == 0
        up = {
            0: value - low > step / 2 or (value - low == step / 2 and not even),
            1: not sign,
            2: bool(sign),
            3: False,
        }[mode]
        chosen = low + step if up else low
    if chosen >= Fraction(2) ** 128:
        return sign << 15 | 0x7F80, raised | OFC | IXC
    found = np.array([float(chosen)], np.float32).view(np.uint32)[0]
    assert int(found) & 0xFFFF == 0
    return sign << 15 | int(found) >> 16, raised


def singles(count: int) -> npt.NDArray[np.uint32]:
    """Rows of four: random bits, ties and what lies beside them, the largest, denormal numbers, NaN of both kinds."""
    rng = np.random.default_rng(SEED)
    found = rng.integers(0, 1 << 32, (count, 4), np.uint32)
    found[::4] = found[::4] & 0xFFFF0000 | rng.choice(
        np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF]), (len(found[::4]), 4)
    )
    edges = np.array(
        [0x7F7FFFFF, 0x7F7F8000, 0x7F7F7FFF, 0x7F800000, 0x7F800001, 0x7FC12345, 0x7FBFFFFF, 0x00800000,
         0x007FFFFF, 0x007F8000, 1, 0x8000, 0x18000, 0, 0x3F808000, 0x3F818000]
    )  # fmt: skip
    found[1::4] = found[1::4] & 0x80000000 | rng.choice(edges, (len(found[1::4]), 4))
    return found


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("control", [0, FZ, DN, FZ | DN], ids=["", "FZ", "DN", "FZ-DN"])
@pytest.mark.parametrize(
    ("isa", "text"),
    [
        (Isa.A64, "bfcvt h0, s1"),
        (Isa.A64, "bfcvtn v0.4h, v1.4s"),
        (Isa.A64, "bfcvtn2 v0.8h, v1.4s"),
        (Isa.A32, "vcvt.bf16.f32 d0, q1"),
        (Isa.A32, "vcvtb.bf16.f32 s1, s6"),
        (Isa.A32, "vcvtt.bf16.f32 s2, s7"),
        (Isa.A32, "vcvtteq.bf16.f32 s2, s7"),
    ],
)
def test_bfloat16_is_the_neighbour_that_the_rounding_mode_asks_for(
    isa: Isa, text: str, control: int, mode: int
) -> None:
    guest = Guest(isa, "cmp r0, r0\n" + text if "eq" in text else text)
    rng = np.random.default_rng(SEED + 1)
    for row in singles(40):
        before = rng.integers(0, 256, 16, np.uint8)
        standard = text.startswith("vcvt.")  # NEON in A32 ignores the mode and flushes always
        flush, default = (True, True) if standard else (bool(control & FZ), bool(control & DN))
        pairs = [bfloat16_of(int(bits), 0 if standard else mode, flush=flush, default_nan=default) for bits in row]
        halves = np.array([bits for bits, _ in pairs], np.uint16)
        want = before.copy().view(np.uint16)
        used = [0, 1, 2, 3]
        if text.startswith("bfcvt h"):
            want[:], want[0], used = 0, halves[0], [0]
        elif text.startswith("bfcvtn "):
            want[4:], want[:4] = 0, halves
        elif text.startswith("bfcvtn2"):
            want[4:] = halves
        elif standard:
            want[:4] = halves
        elif "vcvtb" in text:
            want[2], used = halves[2], [2]
        else:
            want[5], used = halves[3], [3]
        raised = np.bitwise_or.reduce([pairs[lane][1] for lane in used])
        got, exceptions = guest(row.view(np.uint8), before, before.copy(), control | mode << 22)
        np.testing.assert_array_equal(got.view(np.uint16), want)
        assert exceptions == raised


HALVES = np.array(
    [0, 0x8000, 1, 0x8001, 0x3FF, 0x83FF, 0x400, 0x8400, 0x3C00, 0xBC00, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7C01, 0xFD23,
     0x7E00, 0xFE55], np.uint16,
)  # fmt: skip


EXTREMES = [
    *(f"{name}.f16 d0, d2, d4" for name in ("vmax", "vmin", "vmaxnm", "vminnm", "vpmax", "vpmin")),
    *(f"{name}.f16 q0, q1, q2" for name in ("vmax", "vmin", "vmaxnm", "vminnm")),
    *("vmaxnm.f16 s3, s5, s10", "vminnm.f16 s0, s4, s9"),
]
CONVERSIONS = [
    *((Isa.A64, text) for text in ("bfcvt h0, s1", "bfcvtn v0.4h, v1.4s", "bfcvtn2 v0.8h, v1.4s")),
    *((Isa.A32, f"vcvt{text}") for text in (".bf16.f32 d0, q1", "b.bf16.f32 s1, s6", "t.bf16.f32 s2, s7")),
]


def extreme_of(a: int, b: int, name: str, *, flush: bool, default_nan: bool) -> tuple[int, int]:
    """Minimum or maximum of two halves, by numpy's comparison; the 16 bits and the exceptions."""

    def kind(bits: int) -> str:
        return "" if bits & 0x7FFF <= 0x7C00 else "quiet" if bits & 0x200 else "signalling"

    raised = IOC if "signalling" in (kind(a), kind(b)) else 0
    if flush:
        a, b = (bits & 0x8000 if bits & 0x7C00 == 0 else bits for bits in (a, b))
    number = "nm" in name
    if number and kind(a) == "quiet" and not kind(b):
        return b, raised
    if number and kind(b) == "quiet" and not kind(a):
        return a, raised
    for wanted in ("signalling", "quiet"):
        for bits in (a, b):
            if kind(bits) == wanted:
                return (0x7E00 if default_nan else bits | 0x200), raised
    x, y = np.array([a, b], np.uint16).view(np.float16)
    least = "min" in name
    if x == y:
        return ((a | b) if least else (a & b)), raised  # alike but for the sign of zero
    return (a if (x < y) == least else b), raised


@pytest.mark.parametrize("control", [0, FZ, DN, FZ | DN], ids=["", "FZ", "DN", "FZ-DN"])
@pytest.mark.parametrize("text", EXTREMES)
def test_half_precision_extremes_are_those_of_numpy_and_of_the_rules_for_nan_and_zero(text: str, control: int) -> None:
    guest = Guest(Isa.A32, text)
    name = text.partition(".")[0]
    rng = np.random.default_rng(SEED + 2)
    for number in range(60):
        n, m = (rng.choice(HALVES, 8) if number % 2 else rng.integers(0, 1 << 16, 8, np.uint16) for _ in "nm")
        before = rng.integers(0, 1 << 16, 8, np.uint16)
        scalar = text.split()[1].startswith("s")
        default_nan = not scalar or bool(control & DN)
        want = before.copy()
        if scalar:
            d, a, b = (2 * int(one.strip(",s")) for one in text.split()[1:])
            pairs = [(int(n[a - 8]), int(m[b - 16]))]
        elif name.startswith("vp"):
            both = [*n[:4], *m[:4]]
            pairs = [(int(both[lane]), int(both[lane + 1])) for lane in (0, 2, 4, 6)]
        else:
            pairs = [(int(x), int(y)) for x, y in zip(n, m, strict=True)][: 4 if "d0" in text else 8]
        found = [extreme_of(x, y, name, flush=False, default_nan=default_nan) for x, y in pairs]
        if scalar:
            want[d], want[d + 1] = found[0][0], 0
        else:
            want[: len(found)] = [bits for bits, _ in found]
        got, exceptions = guest(n.view(np.uint8), m.view(np.uint8), before.copy().view(np.uint8), control)
        np.testing.assert_array_equal(got.view(np.uint16), want)
        assert exceptions == np.bitwise_or.reduce([raised for _, raised in found])


@pytest.mark.parametrize("name", ["vmax", "vmin", "vmaxnm", "vminnm"])
@pytest.mark.parametrize("default_nan", [False, True])
def test_half_precision_extremes_flush_denormal_numbers_where_asked(name: str, default_nan: bool) -> None:
    control = FZ16 | (DN if default_nan else 0)
    for a in map(int, HALVES):
        for b in map(int, HALVES):
            found = narrow_floats.half_extreme(a, b, "min" in name, "nm" in name, control)
            assert tuple(found) == extreme_of(a, b, name, flush=True, default_nan=default_nan), (hex(a), hex(b))


def test_the_emulated_cpu_keeps_no_fz16_in_a32() -> None:
    """The module's statement about FZ16 rests on this."""
    with Guest(Isa.A32, "vmrs r3, fpscr\n    vmov d0, r3, r3") as guest:
        data = np.zeros(16, np.uint8)
        got, _ = guest(data, data, data.copy(), FZ16 | FZ)
    assert int(got.view(np.uint32)[0]) & (FZ16 | FZ) == FZ


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_what_the_lab_executes_is_counted_like_any_other_instruction(isa: Isa) -> None:
    texts = {
        Isa.A64: ("bfcvtn v0.4h, v1.4s", "fcvtn v0.4h, v1.4s"),
        Isa.A32: ("vmin.f16 q0, q1, q2", "vmin.f32 q0, q1, q2"),
    }
    counts = []
    for one in texts[isa]:
        with Machine(program(isa, one)) as machine:
            data = np.zeros(16, np.uint8)
            buffers: list[Argument] = [Buffer("n", data), Buffer("m", data), Buffer("d", data.copy(), writable=True), 0]
            run = machine.call("kernel", buffers, parse_prototype(_PROTOTYPE, isa))
            assert isinstance(run, Run), run
            counts.append(run.steps)
    assert counts[0] == counts[1]


@pytest.mark.parametrize(("isa", "text"), [*CONVERSIONS, *((Isa.A32, text) for text in EXTREMES)])
def test_a_byte_of_the_result_follows_no_byte_but_those_that_the_rules_name(isa: Isa, text: str) -> None:
    """One byte of an operand at a time is changed; which bytes of the destination change is what is looked at."""
    word = encode(isa, text, 0)
    assert word is not None
    sources = dependence_of(decode_word(isa, word, 0)).sources
    rng = np.random.default_rng(SEED + 3)
    first = places_of(vector(0), isa)[0]
    step = 16 if isa is Isa.A64 else 8
    seen = 0
    with Guest(isa, text) as guest:
        for _ in range(12):
            operands = [rng.integers(0, 256, 16, np.uint8) for _ in "nmd"]
            n, m, d = operands
            before, _ = guest(n, m, d.copy(), 0)
            for which, register in ((0, 1), (1, 2), (2, 0)):
                start = places_of(vector(register * 16 // step), isa)[0]
                for byte in range(16):
                    changed = [one.copy() for one in operands]
                    changed[which][byte] ^= rng.integers(1, 256)
                    n, m, d = changed
                    after, _ = guest(n, m, d, 0)
                    for at in np.flatnonzero(after != before):
                        place = first + int(at)
                        assert start + byte in sources.get(place, {place}), (text, which, byte, at)
                        seen += 1
    assert seen > 12


@pytest.mark.parametrize(
    ("word", "why"),
    [
        (0xF2111F42, "vmax.f16 with an odd destination of a quadword"),
        (0xF3120F44, "vpmax.f16 of quadwords, which there is not"),
        (0xF3B60641, "vcvt.bf16.f32 from an odd register"),
        (0xF2110F12, "vrecps.f16, which the lab has no arithmetic for"),
        (0xF2110D02, "vadd.f16, which the lab has no arithmetic for"),
    ],
)
def test_what_is_no_such_instruction_or_has_no_arithmetic_stays_undefined(word: int, why: str) -> None:
    with Machine(program(Isa.A32, f".inst {word:#x}")) as machine:
        data = np.zeros(16, np.uint8)
        buffers: list[Argument] = [Buffer("n", data), Buffer("m", data), Buffer("d", data.copy(), writable=True), 0]
        fault = machine.call("kernel", buffers, parse_prototype(_PROTOTYPE, Isa.A32))
    assert isinstance(fault, Fault) and fault.kind.value == "undefined-instruction", why
