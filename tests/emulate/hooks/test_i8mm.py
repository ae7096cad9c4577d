"""The 8-bit matrix extension, which the lab executes itself, against numpy and against qemu-user."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from tests.emulate.guest_programs import assembled
from tests.tools import require

from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa

Bytes = npt.NDArray[np.uint8]

# text of the instruction, then: matrix or dot product, n signed, m signed, group of m or None, bytes of the result
A64 = {
    "smmla v17.4s, v2.16b, v30.16b": ("matrix", True, True, None, 16),
    "ummla v17.4s, v2.16b, v30.16b": ("matrix", False, False, None, 16),
    "usmmla v17.4s, v2.16b, v30.16b": ("matrix", False, True, None, 16),
    "usdot v17.4s, v2.16b, v30.16b": ("dot", False, True, None, 16),
    "usdot v17.2s, v2.8b, v30.8b": ("dot", False, True, None, 8),
    **{f"usdot v17.4s, v2.16b, v30.4b[{g}]": ("dot", False, True, g, 16) for g in range(4)},
    **{f"sudot v17.4s, v2.16b, v30.4b[{g}]": ("dot", True, False, g, 16) for g in range(4)},
    "usdot v17.2s, v2.8b, v30.4b[3]": ("dot", False, True, 3, 8),
    "sudot v17.2s, v2.8b, v30.4b[1]": ("dot", True, False, 1, 8),
}
# The second operand is q15 where it is a whole register; d7 where a group of it is named, as the encoding demands.
A32 = {
    "vsmmla.s8 q9, q1, q15": ("matrix", True, True, None, 16),
    "vummla.u8 q9, q1, q15": ("matrix", False, False, None, 16),
    "vusmmla.s8 q9, q1, q15": ("matrix", False, True, None, 16),
    "vusdot.s8 q9, q1, q15": ("dot", False, True, None, 16),
    "vusdot.s8 d18, d2, d30": ("dot", False, True, None, 8),
    **{f"vusdot.s8 q9, q1, d14[{g}]": ("dot", False, True, g, 16) for g in range(2)},
    **{f"vsudot.u8 q9, q1, d14[{g}]": ("dot", True, False, g, 16) for g in range(2)},
    "vusdot.s8 d18, d2, d14[1]": ("dot", False, True, 1, 8),
    "vsudot.u8 d18, d2, d14[0]": ("dot", True, False, 0, 8),
}
CASES = [pytest.param(isa, text, id=text) for isa, table in ((Isa.A64, A64), (Isa.A32, A32)) for text in table]


def guest_text(isa: Isa, text: str) -> str:
    """A function of (n, m, d in and out, 16 bytes each) around one instruction, executed twice."""
    if isa is Isa.A64:
        return f"ldr q2, [x0]\nldr q30, [x1]\nldr q17, [x2]\n{text}\n{text}\nstr q17, [x2]\nret"
    save = "vpush {d8-d15}\n"
    load = "vld1.8 {d2,d3}, [r0]\nvld1.8 {d30,d31}, [r1]\nvld1.8 {d14,d15}, [r1]\nvld1.8 {d18,d19}, [r2]\n"
    return f"{save}{load}{text}\n{text}\nvst1.8 {{d18,d19}}, [r2]\nvpop {{d8-d15}}\nbx lr"


def expected(isa: Isa, text: str, n: Bytes, m: Bytes, d: Bytes) -> Bytes:
    kind, n_signed, m_signed, group, size = (A64 if isa is Isa.A64 else A32)[text]
    left = n.view(np.int8 if n_signed else np.uint8).astype(np.int64)
    right = m.view(np.int8 if m_signed else np.uint8).astype(np.int64)
    if kind == "matrix":
        product = (left.reshape(2, 8) @ right.reshape(2, 8).T).reshape(4)
    else:
        groups = right.reshape(4, 4)
        product = (left.reshape(4, 4) * (groups if group is None else groups[group])).sum(axis=1)
    result = (d.view(np.int32) + 2 * product).astype(np.int32).view(np.uint8).copy()
    if size == 8:
        result[8:] = 0 if isa is Isa.A64 else d[8:]
    return result


def operands(seed: int, count: int) -> npt.NDArray[np.uint8]:
    """Rows of n, m, d: random, and extremes."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 256, (count, 3, 16), np.uint8)
    rows[::3] = rng.choice(np.array([0x80, 0x7F, 0xFF, 0], np.uint8), rows[::3].shape)
    rows[1] = 0x80
    return rows


@pytest.mark.parametrize(("isa", "text"), CASES)
def test_a_matrix_instruction_gives_what_integer_arithmetic_gives(isa: Isa, text: str) -> None:
    signature = parse_prototype("void f(const uint8_t *n, const uint8_t *m, uint8_t *d)", isa)
    with Machine(assembled(isa, guest_text(isa, text))) as machine:
        for n, m, d in operands(11, 30):
            run = machine.call("kernel", [Buffer("n", n), Buffer("m", m), Buffer("d", d, writable=True)], signature)
            assert isinstance(run, Run), run
            np.testing.assert_array_equal(run.outputs["d"], expected(isa, text, n, m, d))


@pytest.mark.parametrize("text", list(A64))
def test_qemu_agrees_with_the_expected_values(text: str, tmp_path: Path) -> None:
    """qemu-user is a later, separate build that has the extension; it judges `expected`, hence the lab."""
    qemu, gcc = require("qemu-aarch64"), require("aarch64-linux-gnu-gcc")
    rows = operands(12, 8)
    body = guest_text(Isa.A64, text).replace("\n", "\\n")
    data = ",".join(str(value) for value in rows.reshape(-1))
    (tmp_path / "a.c").write_text(
        f"""#include <stdio.h>
        __asm__(".text\\n.arch armv8.6-a+i8mm\\n.global kernel\\nkernel:\\n{body}\\n");
        void kernel(const void *, const void *, void *);
        static unsigned char rows[{len(rows)}][3][16] = {{{data}}};
        int main(void) {{
            for (int i = 0; i < {len(rows)}; i++) {{
                kernel(rows[i][0], rows[i][1], rows[i][2]);
                fwrite(rows[i][2], 1, 16, stdout);
            }}
        }}"""
    )
    subprocess.run([gcc, "-static", "-w", tmp_path / "a.c", "-o", tmp_path / "a"], check=True)
    out = subprocess.run([qemu, "-cpu", "max", tmp_path / "a"], check=True, capture_output=True).stdout
    want = np.stack([expected(Isa.A64, text, *row) for row in rows])
    np.testing.assert_array_equal(np.frombuffer(out, np.uint8).reshape(-1, 16), want)


def test_odd_registers_of_a_quadword_form_stay_undefined() -> None:
    signature = parse_prototype("void f(void)", Isa.A32)
    with Machine(assembled(Isa.A32, ".inst 0xfc243c46\nbx lr")) as machine:  # vsmmla.s8 with D1:D0 odd
        fault = machine.call("kernel", [], signature)
    assert not isinstance(fault, Run)
    assert fault.kind.value == "undefined-instruction"


@pytest.mark.parametrize(
    ("isa", "text"),
    [(Isa.A64, "sdot v0.4s, v1.16b, v2.16b\nudot v0.4s, v1.16b, v2.4b[1]\nret"),
     (Isa.A32, "vsdot.s8 q0, q1, q2\nvudot.u8 q0, q1, d4[1]\nbx lr")],
)  # fmt: skip
def test_dot_products_run_on_the_emulated_cpu_itself(isa: Isa, text: str) -> None:
    with Machine(assembled(isa, text)) as machine:
        assert isinstance(machine.call("kernel", [], parse_prototype("void f(void)", isa)), Run)
