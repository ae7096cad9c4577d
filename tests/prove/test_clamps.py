"""Whole kernels whose clamps and choices go by conditions on data: right ones are proved, their wrong twins refuted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.check import check_case
from neonlab.lab.run.lookup import one_kernel
from neonlab.lab.run.prove import prove
from neonlab.lab.run.saved import save_failure, saved_case
from neonlab.prove.proof import ProofStatus, ShapeProof

pytestmark = pytest.mark.thorough(
    "compiling what replays a trace takes a minute; tests/prove/expressions and reference run all else without it"
)

_CLIP_A64 = """
    cbz     x2, .Lend
    ldrsb   w6, [x3]
    ldrsb   w7, [x3, #1]
.Lnext:
    ldrsb   w5, [x0], #1
    cmp     w5, w6
    csel    w5, w6, w5, lt
    cmp     w5, w7
    csel    w5, w7, w5, gt
    strb    w5, [x1], #1
    subs    x2, x2, #1
    b.ne    .Lnext
.Lend:
    ret
"""
#: The upper end with an end less by 1, as compilers compare with constants: now an equal number must take it.
_EDGE_A64 = _CLIP_A64.replace(
    "    cmp     w5, w7\n    csel    w5, w7, w5, gt\n",
    "    sub     w8, w7, #1\n    cmp     w5, w8\n    csel    w5, w7, w5, gt\n",
)
_BOTH_A64 = _CLIP_A64.replace(  # inside the range, or else one of its ends
    "    cmp     w5, w6\n    csel    w5, w6, w5, lt\n    cmp     w5, w7\n    csel    w5, w7, w5, gt\n",
    "    cmp     w5, w7\n    csel    w8, w7, w6, gt\n    ccmp    w5, w6, #8, le\n    csel    w5, w5, w8, ge\n",
)
_CLIP_A32 = """
    cmp     r2, #0
    bxeq    lr
    push    {r4, r5}
    ldrsb   r4, [r3]
    ldrsb   r5, [r3, #1]
.Lnext:
    ldrsb   r12, [r0], #1
    cmp     r12, r4
    movlt   r12, r4
    cmp     r12, r5
    movgt   r12, r5
    strb    r12, [r1], #1
    subs    r2, r2, #1
    bne     .Lnext
    pop     {r4, r5}
    bx      lr
"""
#: The upper end is reached by an addition to it.
_SUM_A32 = _CLIP_A32.replace("    cmp     r12, r5\n", "    sub     r3, r5, #1\n    cmp     r12, r3\n").replace(
    "movgt   r12, r5", "addgt   r12, r3, #1"
)
_POOL_A64 = """
.Lrow:
    mov     x7, x0
    mov     x8, x1
    add     x9, x0, x5
    mov     x10, x3
.Lpixel:
    mov     x11, x4
.Lchannel:
    ldrsb   w12, [x7, x4]
    ldrsb   w13, [x9, x4]
    ldrsb   w14, [x7], #1
    ldrsb   w15, [x9], #1
    cmp     w12, w13
    csel    w12, w12, w13, gt
    cmp     w14, w15
    csel    w14, w15, w14, le
    subs    w16, w12, w14
    csel    w12, w12, w14, ge
    strb    w12, [x8], #1
    subs    x11, x11, #1
    b.ne    .Lchannel
    add     x7, x7, x4
    add     x9, x9, x4
    subs    x10, x10, #1
    b.ne    .Lpixel
    add     x0, x0, x5, lsl #1
    add     x1, x1, x6
    subs    x2, x2, #1
    b.ne    .Lrow
    ret
"""
_POOL_A32 = """
    push    {r4-r11}
.Lrow:
    ldr     r4, [sp, #32]
    ldr     r5, [sp, #36]
    mov     r6, r0
    add     r7, r0, r5
    mov     r8, r1
    mov     r9, r3
.Lpixel:
    mov     r5, r4
.Lchannel:
    ldrsb   r10, [r6, r4]
    ldrsb   r11, [r7, r4]
    ldrsb   r12, [r6], #1
    cmp     r10, r11
    movlt   r10, r11
    ldrsb   r11, [r7], #1
    cmp     r12, r11
    movle   r12, r11
    cmp     r10, r12
    movge   r12, r10
    strb    r12, [r8], #1
    subs    r5, r5, #1
    bne     .Lchannel
    add     r6, r6, r4
    add     r7, r7, r4
    subs    r9, r9, #1
    bne     .Lpixel
    ldr     r5, [sp, #36]
    add     r0, r0, r5, lsl #1
    ldr     r5, [sp, #40]
    add     r1, r1, r5
    subs    r2, r2, #1
    bne     .Lrow
    pop     {r4-r11}
    bx      lr
"""
_CLIP, _POOL = "clip/clip_s8s8_flat_64.S", "pool/pool_2x2s2_hwc_1x16.inc"
_KERNELS = {
    "clip by csel": ("armv8", "clip_s8s8_flat_1", _CLIP, _CLIP_A64, "9"),
    "clip at its edge": ("armv8", "clip_s8s8_flat_1", _CLIP, _EDGE_A64, "9"),
    "clip by ccmp": ("armv8", "clip_s8s8_flat_1", _CLIP, _BOTH_A64, "9"),
    "clip by movlt": ("armv7", "clip_s8s8_flat_1", _CLIP, _CLIP_A32, "9"),
    "clip by addgt": ("armv7", "clip_s8s8_flat_1", _CLIP, _SUM_A32, "9"),
    "pool by csel": ("armv8", "maxpool2x2s2_s8s8_hwc_1x1", _POOL, _POOL_A64, "1x2x3"),
    "pool by movlt": ("armv7", "maxpool2x2s2_s8s8_hwc_1x1", _POOL, _POOL_A32, "1x2x3"),
}
_WRONG = [
    ("clip by csel", "w6, w5, lt", "w6, w5, lo"),
    ("clip by csel", "w6, w5, lt", "w5, w6, lt"),
    ("clip by csel", "w7, w5, gt", "w7, w5, hi"),
    ("clip by csel", "cmp     w5, w7", "cmp     w7, w5"),
    ("clip by csel", "cmp     w5, w7", "tst     w5, w7"),
    ("clip by csel", "ldrsb   w5", "ldrb    w5"),
    ("clip at its edge", "w7, w5, gt", "w7, w5, ge"),
    ("clip by ccmp", "#8, le", "#0, le"),
    ("clip by ccmp", "#8, le", "#8, lt"),
    ("clip by movlt", "movlt ", "movlo "),
    ("clip by movlt", "cmp     r12, r4", "cmp     r4, r12"),
    ("clip by movlt", "cmp     r12, r4", "cmn     r12, r4"),
    ("clip by addgt", "addgt ", "addge "),
    ("clip by addgt", "r3, #1\n    strb", "r3, #2\n    strb"),
    ("pool by csel", "w13, gt", "w13, hi"),
    ("pool by csel", "w15, w14, le", "w14, w15, le"),
    ("pool by csel", "w14, ge", "w14, mi"),
    ("pool by movlt", "movle ", "movls "),
    ("pool by movlt", "movge   r12, r10", "movge   r10, r12"),
]


def _kernel(folder: Path, of: str, text: str = "", by: str = "") -> Kernel:
    """A kernel with the contract of one of the library, and one change of its text."""
    isa, name, contract, body, _ = _KERNELS[of]
    assert text in body
    root = one_kernel("armv8/clip_s8s8_flat_64").root
    assert root is not None
    (folder / "kernels").symlink_to(root / "kernels")
    head = (root / "asm" / isa / contract).read_text(encoding="utf-8").split("*/")[0]
    head = re.sub("(?m)^stack .*", "stack = 48", head)
    if "summary" not in head:
        head = head.replace("/*toml", '/*toml\nsummary = "the greatest of 2 x 2 pixels"')
    path = folder / "asm" / isa / Path(contract).parent / f"{name}.S"
    path.parent.mkdir(parents=True)
    code = f"{head}*/\n    .text\n    .global {name}\n    .type {name}, %function\n{name}:{body}"
    path.write_text(code.replace(text, by, 1) if text else code, encoding="utf-8")
    return open_kernel(path)


def _proved(kernel: Kernel, of: str) -> ShapeProof:
    (found,) = prove(kernel, _KERNELS[of][-1]).shapes
    return found


@pytest.mark.parametrize("of", _KERNELS)
def test_a_kernel_that_chooses_by_conditions_on_data_is_proved(tmp_path: Path, of: str) -> None:
    found = _proved(_kernel(tmp_path, of), of)
    assert (found.status, found.reason) == (ProofStatus.PROVED, "")
    assert found.held == (("limits",) if of.startswith("clip") else ())


@pytest.mark.parametrize(("of", "text", "by"), _WRONG, ids=[f"{of}: {by.strip()}" for of, _, by in _WRONG])
def test_its_wrong_twin_is_refuted_by_inputs_that_fail_again(tmp_path: Path, of: str, text: str, by: str) -> None:
    kernel = _kernel(tmp_path, of, text, by)
    found = _proved(kernel, of)
    assert found.status is ProofStatus.REFUTED, found.reason
    assert found.failure is not None
    saved = save_failure(kernel, found.failure, tmp_path / "witnesses")
    (failure,) = check_case(kernel, saved_case(kernel, Path(saved.saved))).outcomes
    assert failure is not None and failure.mismatch is not None
    (tmp_path / "right").mkdir()
    right = _kernel(tmp_path / "right", of)
    assert check_case(right, saved_case(right, Path(saved.saved))).outcomes == [None]


_BRANCHES = [
    ("clip by csel", "    csel    w5, w6, w5, lt\n", "    b.ge    .Lkeep\n    mov     w5, w6\n.Lkeep:\n", "b.ge"),
    ("clip by movlt", "    movlt   r12, r4\n", "    bge     .Lkeep\n    mov     r12, r4\n.Lkeep:\n", "bge"),
    # Right on the path of the case that is recorded, and wrong for one value.
    ("clip by csel", "    strb", "    cmp     w5, #7\n    b.ne    .Lkeep\n    mvn w5, w5\n.Lkeep:\n    strb", "b.ne"),
    ("clip by csel", "    strb", "    cbz     w5, .Lkeep\n    mvn     w8, w5\n.Lkeep:\n    strb", "cbz"),
    ("clip by csel", "    strb", "    tbz     w5, #3, .Lkeep\n    mvn     w8, w5\n.Lkeep:\n    strb", "tbz"),
]  # fmt: skip


@pytest.mark.parametrize(("of", "text", "by", "branch"), _BRANCHES, ids=[row[-1] for row in _BRANCHES])
def test_a_kernel_that_branches_on_data_is_not_proved_and_the_branch_is_named(
    tmp_path: Path, of: str, text: str, by: str, branch: str
) -> None:
    found = _proved(_kernel(tmp_path, of, text, by), of)
    assert found.status is ProofStatus.NOT_PROVED
    assert found.reason.startswith(f"this branch on the data decides the path: {branch} ")
    assert found.where
