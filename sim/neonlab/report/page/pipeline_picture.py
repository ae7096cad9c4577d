"""Draw the hot loop: when each instruction runs, what it waits for, and which registers are live.

The SVG has no colours: classes say what a shape means, and the page's style sheet how it looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from neonlab.assemble.program import Program
from neonlab.isa.liveness import liveness
from neonlab.isa.model.isa import Isa, Register, RegisterKind
from neonlab.measure.loop.report import LoopReport
from neonlab.measure.loop.timeline import TimelineRow
from neonlab.report.wait_words import label_words

ROW, CYCLE, TEXT = 14, 7, 340  # pixels: height of a row, width of a cycle, room for the statement
ROWS = 600  # most rows drawn
_CYCLES = 1200
_STAGES = {"D": "dispatched", "=": "waits", "e": "executes", "E": "executes", "-": "done", "R": "retires"}


@dataclass(frozen=True, slots=True)
class PictureRow:
    """One instruction in one iteration: its place in the picture, and the rows whose results it reads.

    `at` holds cycles as text for the page's script: start, end, dispatch, result, number of wait cycles, and their
    cause.  `path` and `number` are the line of source.
    """

    label: str
    text: str
    line: str
    y: int
    waits_for: tuple[int, ...]
    critical: bool
    at: str
    path: str
    number: int


@dataclass(frozen=True, slots=True)
class Picture:
    """The picture: `paths` are SVG path data by stage, `ticks` the cycles with a line.

    `cut` tells that rows are missing.  `files` says what the letters behind line numbers stand for.
    """

    width: int
    height: int
    rows: tuple[PictureRow, ...]
    paths: Mapping[str, str]
    ticks: tuple[tuple[int, int], ...]
    cut: bool
    files: str = ""


def pipeline_picture(report: LoopReport, rows: int = ROWS) -> Picture:
    """Return the picture of two iterations of the loop; long ones are cut to a page or to `rows` rows."""
    shown = [(number, row) for number, row in enumerate(report.timeline[:rows]) if row.start < _CYCLES]
    drawn_at = {number: at for at, (number, _) in enumerate(shown)}
    critical = {(link.iteration, link.instruction) for link in report.path.links}
    drawn_rows = []
    paths: dict[str, list[str]] = {stage: [] for stage in dict.fromkeys(_STAGES.values())}
    for at, (_, row) in enumerate(shown):
        y = ROW * (at + 1) + 2
        for stage, first, length in _runs(row):
            paths[stage].append(f"M{TEXT + CYCLE * first} {y + 2}h{CYCLE * length}v{ROW - 4}h-{CYCLE * length}z")
        line = report.lines[row.instruction]
        drawn_rows.append(
            PictureRow(
                f"{row.iteration}.{row.instruction}", line.text, report.label(line), y,
                tuple(drawn_at[one] for one in row.sources if one in drawn_at),
                (row.iteration, row.instruction) in critical, _at(row), line.path, line.line,
            )
        )  # fmt: skip
    end = max((row.end for _, row in shown), default=0)
    ticks = tuple((TEXT + CYCLE * cycle, cycle) for cycle in range(0, end + 1, 10))
    height = ROW * (len(shown) + 1) + 6
    drawn = {stage: "".join(pieces) for stage, pieces in paths.items()}
    cut = len(shown) < len(report.timeline)
    return Picture(TEXT + CYCLE * end + 10, height, tuple(drawn_rows), drawn, ticks, cut, label_words(report))


def _runs(row: TimelineRow) -> list[tuple[str, int, int]]:
    """Return the stages of a row as (stage, first cycle, cycles)."""
    found: list[tuple[str, int, int]] = []
    for cycle, mark in enumerate(row.marks, row.start):
        stage = _STAGES[mark]
        if found and found[-1][0] == stage:
            found[-1] = (stage, found[-1][1], found[-1][2] + 1)
        else:
            found.append((stage, cycle, 1))
    return found


def _at(row: TimelineRow) -> str:
    dispatched, ready = (row.start + row.marks.index(letter) for letter in "DE")
    waits = row.marks.count("=")
    cause = row.scheduled.cause if waits else ""
    return f"{row.start} {row.end} {dispatched} {ready} {waits} {cause}".rstrip()


@dataclass(frozen=True, slots=True)
class RegisterRow:
    """One register over the loop, an item per instruction: "written", "read", "held" or "" (free)."""

    name: str
    states: tuple[str, ...]


def register_rows(report: LoopReport, program: Program) -> tuple[RegisterRow, ...]:
    """Return every vector register of the instruction set, in order, with its state at each instruction of the loop."""
    body = [program.by_address[line.address] for line in report.lines]
    live = liveness(program.instructions)
    count = program.isa.vector_registers
    states: list[list[str]] = [[] for _ in range(count)]
    for instruction in body:
        read, written = _vectors(instruction.reads, program.isa), _vectors(instruction.writes, program.isa)
        held = _vectors(live.live_in[instruction.address] & live.live_out[instruction.address], program.isa)
        for number in range(count):
            state = "written" if number in written else "read" if number in read else "held" if number in held else ""
            states[number].append(state)
    letter = "v" if program.isa is Isa.A64 else "q"
    return tuple(RegisterRow(f"{letter}{number}", tuple(found)) for number, found in enumerate(states))


def register_paths(rows: Sequence[RegisterRow], cell: int, height: int) -> Mapping[str, str]:
    """Return SVG path data by state, with a cell for each instruction and register."""
    paths: dict[str, list[str]] = {"held": [], "read": [], "written": []}
    for number, row in enumerate(rows):
        start = 0
        for at in range(1, len(row.states) + 1):
            if at == len(row.states) or row.states[at] != row.states[start]:
                if row.states[start]:
                    width = cell * (at - start)
                    paths[row.states[start]].append(
                        f"M{cell * start} {height * number + 1}h{width}v{height - 2}h-{width}z"
                    )
                start = at
    return {state: "".join(pieces) for state, pieces in paths.items()}


def _vectors(registers: Iterable[Register], isa: Isa) -> frozenset[int]:
    halves = 2 if isa is Isa.A32 else 1
    return frozenset(one.index // halves for one in registers if one.kind is RegisterKind.VECTOR)
