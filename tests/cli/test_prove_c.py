"""`neonlab prove` on C: distances, buffers that are one, functions of the C library; and each slightly wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import neonlab
from tests.tools import require_compiler

from neonlab.isa.model.isa import isa_named

pytestmark = pytest.mark.thorough(
    "compiling what replays a trace takes a minute; tests/report/terminal/test_proof.py has the words without it"
)

_INCLUDES = "#include <arm_neon.h>\n#include <stddef.h>\n#include <stdlib.h>\n#include <string.h>\n"
_SAD = """
uint32_t f(const uint8_t *a, const uint8_t *b, size_t n)
{
    uint32x4_t total = vdupq_n_u32(0);
    for (size_t i = 0; i < n; i += 16) {
        uint8x16_t x = vld1q_u8(a + i), y = vld1q_u8(b + i);
        uint16x8_t sum = vabdl_u8(vget_low_u8(x), vget_low_u8(y));
        total = vpadalq_u16(total, vabal_u8(sum, vget_high_u8(x), vget_high_u8(y)));
    }
    uint64x2_t halves = vpaddlq_u32(total);
    return vgetq_lane_u64(halves, 0) + vgetq_lane_u64(halves, 1);
}
uint32_t f_c(const uint8_t *a, const uint8_t *b, size_t n)
{
    uint32_t total = 0;
    for (size_t i = 0; i < n; i++) {
        int d = a[i] - b[i];
        total += d < 0 ? -d : d;
    }
    return total;
}
"""
_ABSOLUTE = """
void f(const int8_t *a, const int8_t *b, uint8_t *c, size_t n)
{
    for (size_t i = 0; i < n; i += 16)
        vst1q_u8(c + i, vreinterpretq_u8_s8(vabdq_s8(vld1q_s8(a + i), vld1q_s8(b + i))));
}
void f_c(const int8_t *a, const int8_t *b, uint8_t *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        c[i] = abs(a[i] - b[i]);
}
"""
#: Each lane with the one 16 lanes before, which is kept in a register: in place, it is written over.
_IN_PLACE = """
void f(const int8_t *a, int8_t *c, size_t n)
{
    int8x16_t last = vdupq_n_s8(0);
    for (size_t i = 0; i < n; i += 16) {
        int8x16_t x = vld1q_s8(a + i);
        vst1q_s8(c + i, vmaxq_s8(x, last));
        last = x;
    }
}
void f_c(const int8_t *a, int8_t *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int last = i < 16 ? 0 : a[i - 16], x = a[i];
        c[i] = x < last ? last : x;
    }
}
"""
_READ_AGAIN = [("last = x;", "last = vld1q_s8(a + i);")]
_COPY = """
void f(const int8_t *a, int8_t *c, size_t n)
{
    memcpy(c, a, n);
    memset(c + n / 2, 3, n / 4);
    for (size_t i = 0; i < n / 4; i += 16)
        vst1q_s8(c + i, vmvnq_s8(vld1q_s8(c + i)));
}
void f_c(const int8_t *a, int8_t *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        c[i] = i < n / 4 ? ~a[i] : i >= n / 2 && i < n / 2 + n / 4 ? 3 : a[i];
}
"""
_CONTRACT = """summary = "a function of this test"
prototype = "{prototype}"
isa = {{ armv7 = ["armv7-a", "neon"], armv8 = ["armv8.0-a", "neon"] }}
reference = {{ symbol = "f_c" }}
{more}
[args]
{inputs}
n = {{ range = [0, 1024], step = 64 }}
"""
_TWO, _ONE = 'a = { read = "n" }\nb = { read = "n" }', 'a = { read = "n" }'
_OUTPUT = '\nc = { write = "n" }'
_ALIAS = 'alias = ["c", "a"]'


def _shown(folder: Path, isa: str, text: str, changes: list[tuple[str, str]], inputs: str, more: str = "") -> str:
    """Return what the command prints of C with some changes, at 128 elements."""
    require_compiler(isa_named(isa))
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    prototype = text.strip().partition("\n")[0]
    (folder / "f.c").write_text(_INCLUDES + text)
    (folder / "f.contract.toml").write_text(_CONTRACT.format(prototype=prototype, inputs=inputs, more=more))
    shown = neonlab("-q", "prove", "f.c", "--isa", isa, "--shape", "128", cwd=folder)
    return " ".join(shown.stdout.split())


#: The changes for which it is proved still, and those for which it is refuted.
_CASES = [
    ("distances", _SAD, _TWO, "", [], [("vget_high_u8(y)", "vget_low_u8(y)")]),
    ("abs", _SAD, _TWO, "", [("d < 0 ? -d : d", "abs(d)")], [("d < 0 ? -d : d", "abs(d + (d == 255))")]),
    ("signed", _ABSOLUTE, _TWO + _OUTPUT, "", [], [("vabdq_s8(", "vqabsq_s8(vqsubq_s8("), (")));", "))));")]),
    ("in place", _IN_PLACE, _ONE + _OUTPUT, _ALIAS, [], _READ_AGAIN),
    ("apart", _IN_PLACE, _ONE + _OUTPUT, "", _READ_AGAIN, [("vmaxq", "vminq")]),
    ("copies", _COPY, _ONE + _OUTPUT, "", [], [("memcpy(c, a, n)", "memcpy(c, a, n - 1)")]),
    ("moves", _COPY, _ONE + _OUTPUT, _ALIAS, [("memcpy(c", "memmove(c")], [("3, n / 4", "2, n / 4")]),
]


@pytest.mark.parametrize("isa", ["armv7", "armv8"])
@pytest.mark.parametrize(
    ("text", "inputs", "more", "right", "wrong"), [case[1:] for case in _CASES], ids=[case[0] for case in _CASES]
)
def test_c_is_proved_and_refuted_where_it_is_slightly_wrong(
    tmp_path: Path, isa: str, text: str, inputs: str, more: str, right: list[tuple[str, str]],
    wrong: list[tuple[str, str]],
) -> None:  # fmt: skip
    shown = _shown(tmp_path, isa, text, right, inputs, more)
    assert shown.startswith("proved"), shown
    assert "no NEON lane wraps" in shown
    shown = _shown(tmp_path, isa, text, wrong, inputs, more)
    assert shown.startswith("refuted"), shown


def test_a_distance_that_leaves_a_signed_lane_is_said_to(tmp_path: Path) -> None:
    changes = [("vabdq_s8(vld1q_s8(a + i), vld1q_s8(b + i))", "vabsq_s8(vld1q_s8(a + i))"), ("a[i] - b[i]", "a[i]")]
    shown = _shown(tmp_path, "armv8", _ABSOLUTE, changes, _TWO + _OUTPUT)
    assert "a sum may leave its lane and come back" in shown or "lane-wrap" in shown, shown


def test_what_cannot_be_followed_in_a_function_of_the_c_library_has_its_name(tmp_path: Path) -> None:
    call = "    memcpy(c, a, n);\n"
    changes = [(call, f"{call}    if (memcmp(a, a + 1, n / 2) > 0)\n        c[0] = 1;\n")]
    shown = _shown(tmp_path, "armv8", _COPY, changes, _ONE + _OUTPUT)
    assert "calls `memcmp`, where this branch on the data decides the path" in shown


def test_a_kernel_that_sets_how_floats_are_rounded_is_not_proved(tmp_path: Path) -> None:
    loop = "    for (size_t i = 0; i < n; i += 16)\n"
    mode = '    __asm__ volatile ("msr fpcr, %0" : : "r" ((uint64_t)0));\n'
    shown = _shown(tmp_path, "armv8", _ABSOLUTE, [(loop, mode + loop)], _TWO + _OUTPUT)
    assert "this instruction sets how floats are rounded, which is not followed: msr fpcr, x" in shown


def test_a_branch_that_the_compiler_made_of_a_conditional_expression_is_called_one(tmp_path: Path) -> None:
    changes = [("i < n / 4 ? ~a[i]", "a[i] < 0 ? a[127 - i]")]
    shown = _shown(tmp_path, "armv8", _COPY, changes, _ONE + _OUTPUT)
    assert "made a branch of this conditional expression" in shown
    assert "write the choice as a conditional expression" not in shown
