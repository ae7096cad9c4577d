"""Assembly in the manner of other people's libraries, written here: the bytes of GNU as, and the results of references.

Codec style: a frame of function macros with a prefix, macros that make functions by the dozen, tables of places. Cipher
style: rounds unrolled by macros, generated text. Big numbers: columns of products by register arithmetic. int8
libraries: C macros, a struct of parameters by pointer, an array of row pointers.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from tests.assemble.gnu_as import assemble
from tests.foreign import references

from neonlab.assemble.assembler import assemble_file
from neonlab.assemble.output.object_file import ObjectFile
from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import Buffer, PointerField
from neonlab.emulate.machine import Argument, Machine
from neonlab.emulate.run import Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa
from neonlab.objects.from_assembly import assembled_module
from neonlab.objects.image.reach import program_of
from neonlab.objects.linker import link_modules

HERE = Path(__file__).parent
FILES = sorted([*HERE.glob("a[36][24]/*.S"), *HERE.glob("a[36][24]/*.s")])
BUILDS: tuple[dict[str, str], ...] = ({}, {"WITH_PIC": "1"}, {"PREFIXED": "other_", "HIDE_ALL": "1", "WITH_PIC": "1"})
SEED = 20


def isa_of(path: Path) -> Isa:
    return Isa(path.parent.name)


def made(path: Path, defines: dict[str, str]) -> ObjectFile:
    return assemble_file(path, isa=isa_of(path), include_paths=[HERE / "include"], defines=defines)


@pytest.mark.parametrize("defines", BUILDS, ids=["plain", "position independent", "other prefix"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_file_gives_the_bytes_and_relocations_of_gnu_as(path: Path, defines: dict[str, str], tmp_path: Path) -> None:
    options = [f"-I{HERE / 'include'}", *(f"-D{name}={value}" for name, value in defines.items())]
    theirs = assemble(isa_of(path), path, tmp_path, *options)
    ours = made(path, defines)
    wanted = {n: data for n, data in theirs.sections.items() if data and not n.startswith((".note", ".ARM"))}
    assert {name: bytes(section.data) for name, section in ours.sections.items() if section.data} == wanted
    explicit = isa_of(path) is Isa.A64  # in A32 objects the addend is in the bytes
    relocations = {(r.section, r.offset, r.kind, r.symbol, r.addend if explicit else 0) for r in ours.relocations}
    assert relocations == set(theirs.relocations)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_functions_have_the_prefix_that_is_defined(path: Path) -> None:
    names = [name for name, symbol in made(path, BUILDS[2]).symbols.items() if symbol.is_global]
    assert names
    assert all(name.startswith("lab_" if path.suffix == ".s" else "other_") for name in names)


@cache
def program(isa: Isa, stem: str, name: str, position_independent: bool) -> Program:
    (path,) = [path for path in FILES if path.stem == stem and isa_of(path) is isa]
    module = assembled_module(made(path, BUILDS[position_independent]))
    return program_of(link_modules([module]), [f"lab_{name}"])


@pytest.fixture(params=list(itertools.product(Isa, (False, True))), ids=lambda p: f"{p[0].value}{'-pic' * p[1]}")
def build(request: pytest.FixtureRequest) -> tuple[Isa, bool]:
    """An instruction set, and whether the code is position-independent."""
    chosen: tuple[Isa, bool] = request.param
    return chosen


def call(build: tuple[Isa, bool], stem: str, name: str, prototype: str, arguments: Sequence[Argument]) -> Run:
    code = program(build[0], stem, name, build[1])
    with Machine(code) as machine:
        outcome = machine.call(f"lab_{name}", arguments, parse_prototype(prototype, code.isa), seed=SEED)
    assert isinstance(outcome, Run), outcome
    return outcome


def random(low: int, high: int, shape: tuple[int, ...], dtype: type[np.generic]) -> npt.NDArray[np.generic]:
    return np.random.default_rng([SEED, *shape]).integers(low, high, shape).astype(dtype)


def out(data: npt.NDArray[np.generic]) -> Buffer:
    return Buffer("out", data, writable=True)


@pytest.mark.parametrize(("width", "height"), list(itertools.product((4, 8, 16), repeat=2)))
@pytest.mark.parametrize("extreme", [False, True])
@pytest.mark.sweep(keep=18)
def test_sums_of_absolute_differences(build: tuple[Isa, bool], width: int, height: int, extreme: bool) -> None:
    a, b = random(0, 256, (2, height, 40), np.uint8)
    if extreme:
        a, b = np.zeros((height, 40), np.uint8), np.full((height, 40), 255, np.uint8)
    prototype = "int f(const uint8_t *a, intptr_t step_a, const uint8_t *b, intptr_t step_b)"
    run = call(build, "codec_sad", f"sad_{width}x{height}", prototype, [Buffer("a", a), 40, Buffer("b", b), 40])
    assert run.returned == references.sad(a[:, :width], b[:, :width])


@pytest.mark.parametrize(("width", "height"), [(4, 1), (4, 8), (8, 3), (16, 5), (32, 2), (32, 7)])
@pytest.mark.sweep(keep=8)
def test_blends(build: tuple[Isa, bool], width: int, height: int) -> None:
    picture, other = random(0, 256, (height, 48), np.uint8), random(0, 256, (height, width), np.uint8)
    mask = random(0, 65, (height, width), np.uint8)
    prototype = "void f(uint8_t *out, intptr_t step, const uint8_t *other, int w, int h, const uint8_t *mask)"
    arguments: list[Argument] = [out(picture), 48, Buffer("other", other), width, height, Buffer("mask", mask)]
    run = call(build, "codec_blend", "blend", prototype, arguments)
    wanted = picture.copy()
    wanted[:, :width] = references.blend(picture[:, :width], other, mask)
    assert (run.outputs["out"] == wanted).all()


def test_transforms(build: tuple[Isa, bool]) -> None:
    for a, b in zip(random(0, 256, (20, 4, 16), np.uint8), random(0, 256, (20, 4, 32), np.uint8), strict=True):
        prototype = "void f(int16_t *out, const uint8_t *a, intptr_t step_a, const uint8_t *b, intptr_t step_b)"
        arguments: list[Argument] = [out(np.zeros((4, 4), np.int16)), Buffer("a", a), 16, Buffer("b", b), 32]
        run = call(build, "codec_transform", "transform4x4", prototype, arguments)
        assert (run.outputs["out"] == references.transform(a[:, :4], b[:, :4])).all()


@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize("count", [8, 16, 64])
@pytest.mark.sweep(keep=12)
def test_filters(build: tuple[Isa, bool], which: int, count: int) -> None:
    source = random(0, 256, (count + 8,), np.uint8)
    prototype = "void f(uint8_t *out, const uint8_t *source, size_t n, unsigned which)"
    arguments: list[Argument] = [out(np.zeros(count, np.uint8)), Buffer("source", source), count, which]
    run = call(build, "codec_filter", "filter8", prototype, arguments)
    assert (run.outputs["out"] == references.filtered(source, count, which)).all()


def test_chacha20_makes_the_block_of_rfc_8439(build: tuple[Isa, bool]) -> None:
    words = np.array(references.CHACHA20_IN, np.uint32)
    prototype = "void f(uint32_t *out, const uint32_t *in)"
    run = call(build, "cipher_chacha", "chacha20_block", prototype, [out(np.zeros(16, np.uint32)), Buffer("in", words)])
    assert run.outputs["out"].tolist() == references.CHACHA20_OUT


def test_xtea_is_undone_by_its_inverse(build: tuple[Isa, bool]) -> None:
    for key, block in zip(random(0, 1 << 32, (20, 4), np.uint32), random(0, 1 << 32, (20, 2), np.uint32), strict=True):
        run = call(
            build, "cipher_xtea", "xtea", "void f(uint32_t *out, const uint32_t *key)", [out(block), Buffer("key", key)]
        )
        assert references.xtea_undone(run.outputs["out"].tolist(), key.tolist()) == block.tolist()
        assert run.outputs["out"].tolist() != block.tolist()


def test_products_of_big_numbers(build: tuple[Isa, bool]) -> None:
    bits, word = (64, np.uint64) if build[0] is Isa.A64 else (32, np.uint32)
    draw = np.random.default_rng(SEED)
    pairs = [(int.from_bytes(draw.bytes(bits // 2)), int.from_bytes(draw.bytes(bits // 2))) for _ in range(20)]
    most = (1 << 4 * bits) - 1
    for x, y in [(most, most), (0, most), *pairs]:
        check_product(build, x, y, bits, word)


def check_product(build: tuple[Isa, bool], x: int, y: int, bits: int, word: type[np.generic]) -> None:
    def words(number: int, count: int) -> npt.NDArray[np.generic]:
        return np.array([number >> bits * i & (1 << bits) - 1 for i in range(count)], word)

    prototype = f"void f(uint{bits}_t *out, const uint{bits}_t *x, const uint{bits}_t *y)"
    arguments: list[Argument] = [out(np.zeros(8, word)), Buffer("x", words(x, 4)), Buffer("y", words(y, 4))]
    run = call(build, "bignum_mul", "bignum_mul_4_4", prototype, arguments)
    assert (run.outputs["out"] == words(x * y, 8)).all()


@pytest.mark.parametrize("depth", [8, 64, 256])
def test_int8_products_with_parameters_by_pointer(build: tuple[Isa, bool], depth: int) -> None:
    rows, weights = random(-128, 128, (2, depth), np.int8), random(-127, 128, (depth,), np.int8)
    bias, multiplier, zero, least, most = 1234, 1 << 23, -7, -100, 90
    parameters = np.frombuffer(
        b"".join(
            number.to_bytes(size, "little", signed=True)
            for number, size in ((bias, 4), (multiplier, 4), (zero, 2), (least, 1), (most, 1))
        ),
        np.uint8,
    )
    size = build[0].pointer_bytes
    pointers = Buffer(
        "rows",
        np.zeros(2 * size, np.uint8),
        pointers=tuple(PointerField(size * i, Buffer(f"row{i}", rows[i])) for i in range(2)),
    )
    prototype = "void f(size_t k, const int8_t *const *rows, const int8_t *w, int8_t *out, const void *parameters)"
    arguments: list[Argument] = [
        depth,
        pointers,
        Buffer("w", weights),
        out(np.zeros(2, np.int8)),
        Buffer("parameters", parameters),
    ]
    run = call(build, "gemm_params", "gemm_2x1", prototype, arguments)
    wanted = references.requantized(rows, weights, bias, multiplier, zero, least, most)
    assert run.outputs["out"].tolist() == wanted
