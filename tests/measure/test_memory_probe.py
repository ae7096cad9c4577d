"""Traffic by buffer against a plain model fed with the accesses of one instruction at a time."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.emulate.guest_programs import assembled
from tests.measure.recorded_accesses import Access, Call, stepped
from tests.measure.test_counts import arguments, signature
from tests.measure.traffic.test_block_addresses import call_with_pointers, random_function
from tests.sample import CONV1X1

from neonlab.assemble.program import Program
from neonlab.emulate.guest.address_space import STACK_TOP
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.native import NativeHook
from neonlab.emulate.run import Run
from neonlab.isa.decode import decode_word
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run.plan import draw_case, parse_shape
from neonlab.lab.run.profile import profile
from neonlab.measure.memory_probe import Traffic, TrafficProbe
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.measure.traffic.natural_alignment import natural_alignment
from neonlab.verify.cases.case import CaseName
from neonlab.verify.check_case import run_case

WIDE = [kernel for kernel in CONV1X1 if kernel.name.endswith(("s8s32_chw_8x4", "hwc_2x4", "hwc_4x4"))]
both = pytest.mark.parametrize("isa", Isa, ids=lambda isa: isa.value)


class Buffers:
    """A probe that only remembers where the buffers of a call lie."""

    def __init__(self) -> None:
        self.placed: Sequence[PlacedBuffer] = ()

    def hooks(self, _isa: Isa) -> Sequence[NativeHook]:
        """None."""
        return ()

    def reset(self, buffers: Sequence[PlacedBuffer]) -> None:
        """Remember."""
        self.placed = tuple(buffers)


def measured(program: Program, call: Call) -> tuple[Traffic, Sequence[PlacedBuffer]]:
    """Traffic of a call, and its buffers."""
    probe, buffers = TrafficProbe(program), Buffers()
    with Machine(program, probes=(probe, buffers)) as machine:
        for _ in range(2):  # what a call leaves must not matter to the next
            assert isinstance(call(machine), Run)
            traffic = probe.collect()
    return traffic, buffers.placed


def modelled(
    program: Program, accesses: Sequence[Access], buffers: Sequence[PlacedBuffer]
) -> dict[str, dict[str, Any]]:
    """The same in sets of addresses."""
    found: dict[str, dict[str, Any]] = {}
    touched: dict[str, set[int]] = {}
    pending: set[int] = set()
    seen: set[int] = set()

    def name_of(address: int) -> str:
        for item in buffers:
            if item.address // 4096 <= address // 4096 <= (item.end - 1) // 4096:
                return item.buffer.name
        if STACK_TOP - (1 << 20) <= address < STACK_TOP:
            return "stack"
        if any(s.address // 4096 <= address // 4096 <= (s.end - 1) // 4096 for s in program.segments):
            return "constants"
        return "elsewhere"

    numbers = dict.fromkeys((pc for pc, _, _, _ in accesses), 0)
    for pc, address, size, kind in accesses:
        instruction = program.by_address[pc]
        access = instruction.accesses[numbers[pc] % len(instruction.accesses)]
        numbers[pc] += 1
        name = name_of(address)
        row = found.setdefault(name, dict.fromkeys(FIELDS, 0))
        lines = range(address // 64, (address + max(size, 1) - 1) // 64 + 1)
        if kind == "prefetch":
            row["prefetches"] += 1
            if name != "elsewhere":
                row["prefetches_redundant"] += lines[0] in seen or lines[0] in pending
                pending |= {lines[0]} - seen
            continue
        row[f"{kind}s"] += 1
        row["loaded_bytes" if kind == "load" else "stored_bytes"] += size
        row["split_lines"] += len(lines) > 1
        row["unaligned"] += address % natural_alignment(instruction, access) != 0
        touched.setdefault(name, set()).update(range(address, address + size))
        for line in lines:
            if line in pending:
                row["prefetches_useful"] += 1
                pending.discard(line)
            seen.add(line)
    for name, addresses in touched.items():
        found[name]["footprint_bytes"] = len(addresses)
        found[name]["footprint_lines"] = len({address // 64 for address in addresses})
    for row in found.values():
        rest = row["prefetches"] - row["prefetches_useful"] - row["prefetches_redundant"]
        row["prefetches_wasted"] = rest
    return found


FIELDS = (
    "loads",
    "stores",
    "loaded_bytes",
    "stored_bytes",
    "footprint_bytes",
    "footprint_lines",
    "split_lines",
    "unaligned",
    "prefetches",
    "prefetches_useful",
    "prefetches_redundant",
    "prefetches_wasted",
)


def agree(program: Program, call: Call) -> Traffic:
    """Compare, and return what was compared."""
    traffic, buffers = measured(program, call)
    want = modelled(program, stepped(program, call)[0], buffers)
    got = {place.name: {field: getattr(place, field) for field in FIELDS} for place in traffic.places}
    assert got == {name: row for name, row in want.items() if any(row.values())}
    return traffic


@both
def test_random_programs_move_what_a_plain_model_says(isa: Isa) -> None:
    seed = random.Random().randrange(1 << 30)
    print(f"seed {seed}")
    r = random.Random(seed)
    names = ["kernel", *(f"f{number}" for number in range(19))]
    program = assembled(isa, "\n".join(random_function(isa, r, name, 30) for name in names))
    found = [agree(program, call_with_pointers(isa, seed, 3, name)).of("a") for name in names]
    for field in FIELDS:
        assert any(place is not None and getattr(place, field) for place in found), field


@pytest.mark.parametrize("kernel", CONV1X1, ids=lambda kernel: kernel.title)
def test_kernels_move_what_a_plain_model_says(kernel: Any) -> None:
    for text in ("1x3x5x6", "3x3x16x8", "2x2x40x17"):
        shape = parse_shape(kernel, text)
        if kernel.operator.accepts(kernel.contract, shape):
            case = draw_case(kernel, CaseName(shape, "random", 1))
            agree(kernel_program(kernel), lambda m, case=case: run_case(m, kernel.contract, case))  # type: ignore[misc]


@pytest.mark.parametrize("kernel", WIDE, ids=lambda kernel: kernel.title)
def test_a_kernel_that_reads_its_own_output_again_shows_it(kernel: Any) -> None:
    shape = parse_shape(kernel, "4x4x64x16")
    case = draw_case(kernel, CaseName(shape, "random", 1))
    traffic, _ = measured(kernel_program(kernel), lambda m: run_case(m, kernel.contract, case))
    output = traffic.of("output")
    assert output is not None
    assert output.footprint_bytes == 4 * 16 * 16
    if "_chw_" in kernel.name:  # eight input channels at a time are added to what is there
        assert output.stored_bytes == output.footprint_bytes * 64 // 8
        assert output.loaded_bytes >= output.stored_bytes - output.footprint_bytes
        assert output.reuse > 10
    else:
        assert output.loaded_bytes == 0 and output.reuse == 1


PREFETCHES = {
    # useful, redundant twice (prefetched before; touched), wasted, and one outside of everything
    Isa.A64: "prfm pldl1keep, [x1]\nprfm pldl1keep, [x1, #8]\nldr q0, [x1]\nprfm pldl1keep, [x1]\n"
    "prfm pldl1keep, [x1, #128]\nmov x9, #0\nprfm pldl1keep, [x9]\nldr q0, [x1, #256]\n"
    "add x10, x1, #312\nldr q0, [x10]\n"
    "ldp q0, q1, [x1, #32]\nldr x3, [x1, #4]\nldr x3, 1f\nstr x0, [sp, #-16]!\nadd sp, sp, #16\nret\n.p2align 3\n"
    "1: .quad 1",
    Isa.A32: "pld [r1]\npld [r1, #8]\nvldr d0, [r1]\npld [r1]\npld [r1, #128]\nmov r3, #0\npld [r3]\n"
    "vldr d0, [r1, #256]\nadd r3, r1, #312\nvld1.64 {d0, d1}, [r3]\nvld1.8 {d0-d3}, [r1]\nldr r3, [r1, #4]\n"
    "ldr r3, 1f\npush {r4, r5}\npop {r4, r5}\nbx lr\n1: .word 1",
}


@both
def test_prefetches_and_places_are_told_apart(isa: Isa) -> None:
    program = assembled(isa, PREFETCHES[isa])
    traffic, _ = measured(program, lambda machine: machine.call("kernel", arguments(1), signature(isa)))
    a = traffic.of("a")
    assert a is not None
    figures = a.prefetches, a.prefetches_useful, a.prefetches_redundant, a.prefetches_wasted
    assert figures == (4, 1, 2, 1)
    assert a.split_lines == 1
    elsewhere, stack, constants = traffic.of("elsewhere"), traffic.of("stack"), traffic.of("constants")
    assert elsewhere is not None and (elsewhere.prefetches, elsewhere.prefetches_wasted) == (1, 1)
    assert stack is not None and stack.stores == 1 and constants is not None and constants.loads == 1
    assert json.loads(json.dumps(traffic.to_json()))["places"][0]["name"] == "a"


@pytest.mark.parametrize(
    ("isa", "word", "size"),
    [
        pytest.param(Isa.A64, 0x3DC00020, 16, id="ldr q0, [x1]"),
        pytest.param(Isa.A64, 0xA9400820, 8, id="ldp x0, x2, [x1]"),
        pytest.param(Isa.A64, 0xAD400420, 16, id="ldp q0, q1, [x1]"),
        pytest.param(Isa.A64, 0x69400820, 4, id="ldpsw x0, x2, [x1]"),
        pytest.param(Isa.A64, 0x0C400020, 1, id="ld4 {v0.8b-v3.8b}, [x1]"),
        pytest.param(Isa.A64, 0x4C407C20, 8, id="ld1 {v0.2d}, [x1]"),
        pytest.param(Isa.A64, 0x0D408020, 4, id="ld1 {v0.s}[0], [x1]"),
        pytest.param(Isa.A64, 0x39400020, 1, id="ldrb w0, [x1]"),
        pytest.param(Isa.A32, 0xE1C100D0, 4, id="ldrd r0, r1, [r1]"),
        pytest.param(Isa.A32, 0xE8910030, 4, id="ldm r1, {r4, r5}"),
        pytest.param(Isa.A32, 0xED910B00, 4, id="vldr d0, [r1]"),
        pytest.param(Isa.A32, 0xF421070F, 1, id="vld1.8 {d0}, [r1]"),
        pytest.param(Isa.A32, 0xF4210A8F, 4, id="vld1.32 {d0, d1}, [r1]"),
        pytest.param(Isa.A32, 0xE1D100B0, 2, id="ldrh r0, [r1]"),
    ],
)
def test_accesses_are_aligned_by_the_register_or_element(isa: Isa, word: int, size: int) -> None:
    instruction = decode_word(isa, word, 0x10000)
    assert natural_alignment(instruction, instruction.accesses[0]) == size, instruction.text


def test_dc_zva_stores_the_block_of_64_bytes_that_its_address_lies_in() -> None:
    kernel = open_kernel(Path(__file__).parents[1] / "saboteurs" / "armv8" / "cleared_by_blocks.S")
    shown = profile(kernel, parse_shape(kernel, "640"), memory=MemoryOptions("cortex-a53"))
    assert isinstance(shown, Profile) and shown.counts.stored_bytes == 640
    assert shown.traffic is not None
    (place,) = shown.traffic.places
    assert (place.name, place.stores, place.stored_bytes, place.footprint_bytes) == ("dst", 10, 640, 640)
    assert (place.split_lines, place.unaligned, place.loads) == (0, 0, 0)
