"""Write a bench of kernels for a board: C and assembly, the kernels' code, and cases with their expected results."""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neonlab.assemble.program import Program
from neonlab.contract.options import ARCHITECTURES, Given
from neonlab.errors import InputError
from neonlab.host.output_file import make_folder, write_whole
from neonlab.isa.model.isa import Isa
from neonlab.lab.board.case_bytes import CaseFile
from neonlab.lab.board.code_text import checksum, code_lines, ordered_segments, program_for_board, segment_symbol
from neonlab.lab.board.plan import PlannedKernel, plan_kernel
from neonlab.lab.repository.kernel_code import code_digest, compiler_of, kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.lookup import names_file
from neonlab.measure.shape import Shape
from neonlab.verify.verdict import JudgedBy

#: The version of the layout of result.json.
FORMAT = 1
#: Bytes of cases of each kernel if nothing else is said.
BUDGET = 4 << 20
_FILES = ("bench.h", "main.c", "cases.c", "counter.c", "faults.c", "machine.c", "memory.c", "call.S", "Makefile")


@dataclass(frozen=True)
class Exported:
    """Name what was written to `folder`, for one instruction set: files, and the kernels with their cases."""

    folder: Path
    isa: Isa
    files: tuple[str, ...]
    kernels: tuple[PlannedKernel, ...]
    case_bytes: int


def export_kernels(
    work: Sequence[tuple[Kernel, Sequence[Shape]]],
    folder: Path,
    *,
    seed: int = 1,
    budget: int = BUDGET,
    advance: Callable[[int], None] = lambda _: None,
) -> Exported:
    """Write the bench of each kernel, with its shapes to time, to `folder`; up to `budget` bytes of cases for each.

    The folder is made if it is not there; the files of an earlier export are replaced, when all have been made.  Raises
    InputError for kernels of two instruction sets, for one that does not build, for a folder with other files, and
    where nothing can be written.
    """
    _refuse_others_files(folder)
    isas = {kernel.isa for kernel, _ in work}
    if len(isas) != 1:
        raise InputError(
            "a bench runs one instruction set: export the kernels of armv7 and of armv8 separately, as armv7/NAME"
        )
    (isa,) = isas
    file, planned, programs = CaseFile(), [], []
    for kernel, shapes in work:
        programs.append(program_for_board(kernel_program(kernel)))
        planned.append(plan_kernel(file, kernel, shapes, seed, budget))
        advance(1)
    made: dict[str, bytes] = {name: _bench_file(name) for name in _FILES}
    made["kernels.S"] = _assembly(programs).encode()
    made["kernels.c"] = _tables(planned, programs, isa, seed).encode()
    made["architecture.mk"] = f"ARCHITECTURE = {ARCHITECTURES[isa]}\n".encode()
    made["cases.bin"] = file.data
    make_folder(folder)
    for name, contents in made.items():
        write_whole(folder / name, contents)
    return Exported(folder, isa, tuple(sorted(made)), tuple(planned), file.size)


def _refuse_others_files(folder: Path) -> None:
    """Raise InputError for a folder that holds something, and no bench."""
    try:
        names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    except OSError as error:
        raise InputError(f"{folder}: cannot be read: {error.strerror}") from None
    if names and not names.issuperset(_FILES):
        raise InputError(f"{folder}: holds other files, such as {min(names)}: give a folder that is new or empty")


def _bench_file(name: str) -> bytes:
    return (importlib.resources.files("neonlab.lab.board") / "bench" / name).read_bytes()


def _assembly(programs: Sequence[Program]) -> str:
    lines = [
        "// The kernels' code and data as the lab linked them, and the cases. The bench copies code to its address.",
        '    .section .rodata.neonlab,"a",%progbits',
        *(line for number, program in enumerate(programs) for line in code_lines(program, number)),
        "    .globl  neonlab_cases",
        "    .balign 16",
        "neonlab_cases:",
        '    .incbin "cases.bin"',
        '    .section .note.GNU-stack,"",%progbits',
    ]
    return "\n".join(lines) + "\n"


def _tables(planned: Sequence[PlannedKernel], programs: Sequence[Program], isa: Isa, seed: int) -> str:
    from neonlab import __version__

    facts = {"board": FORMAT, "neonlab": __version__, "isa": isa.value, "seed": seed}
    lines = [
        "/* The kernels, their cases and the shapes to time. */",
        '#include "bench.h"',
        "",
        f"const char neonlab_facts[] = {_properties(facts, 2)};",
    ]
    rows = []
    for number, (one, program) in enumerate(zip(planned, programs, strict=True)):
        segments = ordered_segments(program)
        lines += ["", f"/* {one.kernel.name.replace('*/', '')} */"]
        lines += [f"extern const unsigned char {segment_symbol(number, n)}[];" for n in range(len(segments))]
        lines += [f"static const struct segment segments_{number}[] = {{"]
        lines += [
            f"    {{{segment_symbol(number, at)}, {one_segment.address:#x}u, {len(one_segment.data)}u, "
            f"{int(one_segment.executable)}, {int(one_segment.writable)}}},"
            for at, one_segment in enumerate(segments)
        ]
        lines += ["};", f"static const uint64_t cases_{number}[] = {{"]
        lines += [f"    {', '.join(map(str, one.cases[at : at + 8]))}," for at in range(0, len(one.cases), 8)]
        lines += ["};", f"static const struct timing timings_{number}[] = {{"]
        lines += [f"    {{{_quoted(str(shape))}, {offset}}}," for shape, offset in one.timings]
        lines += ["    {0, 0},", "};"]
        entry = program.symbols[one.kernel.contract.name]
        only = int(bool(one.kernel.contract.allows.accept))
        rows += [
            f"    {{{_quoted(one.kernel.title)},",
            f"     {_properties(kernel_facts(one), 6)},",
            f"     {entry:#x}u, {checksum(program):#x}u, {only}, {_quoted(_verdict(one))},",
            f"     segments_{number}, {len(segments)}, cases_{number}, {len(one.cases)},",
            f"     timings_{number}, {len(one.timings)}}},",
        ]
    lines += ["", "const struct kernel neonlab_kernels[] = {", *rows, "};"]
    lines += [f"const int neonlab_kernel_count = {len(planned)};"]
    return "\n".join(lines) + "\n"


def _verdict(one: PlannedKernel) -> str:
    """Return the word for the kernel if no case fails, as `check` has it."""
    if one.compared:
        return "exact"
    return "ran" if one.kernel.judged_by is JudgedBy.NOTHING_SAID else "unchecked"


def kernel_facts(one: PlannedKernel) -> Mapping[str, object]:
    """Return the properties of a kernel in result.json that are known before it runs."""
    kernel = one.kernel
    return {
        "digest": code_digest(kernel),
        "compiler": compiler_of(kernel),
        "opened": opened(kernel),
        "compares": "results" if kernel.contract.allows.accept else "results, memory around them, kept registers",
        "cases": len(one.cases),
        "left_out": [{"case": title, "reason": reason} for title, reason in one.left_out.items()],
    }


def opened(kernel: Kernel) -> Mapping[str, object]:
    """Return how the kernel is opened again: its file and the options about it."""
    given: Given = kernel.given
    return {
        "file": str(kernel.path) if names_file(kernel.title.split(" ")[0].strip("'")) else kernel.title,
        "isa": ARCHITECTURES[given.isa] if given.isa is not None else "",
        "symbol": given.symbol,
        "prototype": given.prototype,
        "contract": given.contract,
        "settings": [list(pair) for pair in given.settings],
        "include": list(given.build.include),
        "define": list(given.build.define),
        "flags": list(given.build.flags),
        "compiler": given.build.compiler,
    }


def _properties(facts: Mapping[str, object], indent: int) -> str:
    """Return a C string of JSON properties, each on its line and followed by a comma."""
    return "\n        ".join(_quoted(f"{' ' * indent}{json.dumps(k)}: {json.dumps(v)},\n") for k, v in facts.items())


def _quoted(text: str) -> str:
    """Return a C string literal of ASCII text; long ones in several parts."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("?", "\\?")
    return f'"{escaped}"'
