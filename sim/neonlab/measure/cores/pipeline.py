"""Read a core's pipeline from `tables/*.pipeline.toml`: its structure, and the timing of each instruction form.

In a file, `[pipeline]` holds the structure and names the ports.  Each `[[timing]]` holds forms that behave alike. A
file may be `like` another core's: it starts from that file and states the differences.  `fold` moves the work of ports
that the core lacks to other ports, `fold_stores` that of stores.  The keys of a `[[timing]]`:

    latency     cycles from issue to the first dependent issue; `second` for results after the first (ldp), if other
    uses        ports that it occupies: "V0", "V0+V1*2" (either port, for two cycles), "L V" (one port of each)
    again       of stores: `uses` of a store to the same address as the store before it
    slots       slots that it takes of those issued or dispatched in a cycle; by default, as many as `uses` has parts
    vectors     in-order cores: slots that it takes of the two in a cycle for work on vector registers
    reads       cycles after issue at which operands are read, relative to when an address would be read
    unshifted   the same for an operand beside a shifted one, as x1 of `add x0, x1, x2, lsl #3`, if it is read later
    forwards    cycles of `latency` by which the result comes early for an instruction that reads late enough: an
                addition of latency 3 forwards by 2 to one that reads at 2, in the next cycle, but to an address in
                the third
    late        cycles after issue at which the accumulator is read when the producer is of the same `family`
    alone       nothing is issued with it in the same cycle (in-order cores)
    forms       names that `form_of` returns; "@load" and so on stand for forms with no entry, and "aesmc.16b fused"
                is the form directly behind the `aese` of the same register

Each `[[crossing]]` says what an access costs that touches more units of memory than its size needs:

    of          "loads" or "stores";  `file`: only of "general" or only of "vector" registers;  `least`: bytes, at least
    unit        bytes; the first `[[crossing]]` applies that matches the access and whose units it crosses
    cycles      for which it holds its first port longer;  `latency`: by which its results are later
    structures  only of `ld1` to `ld4`, and `cycles` for each unit: registers of a structure are loaded unit by unit

For out-of-order cores, figures that vary between executions may be averages between whole cycles, in sixteenths:
`latency`, `late`, the cycles of the first part of `uses`, and those of a `[[crossing]]`.  A chain of results adds up to
its sum, rounded to a whole cycle at each link.  Of instructions that hold a port, some hold it one cycle longer, in
turn.
"""

from __future__ import annotations

import dataclasses
import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neonlab.errors import InputError
from neonlab.isa.model.instruction import BranchKind, Instruction, InstructionClass
from neonlab.measure.cores.limits import CROSSINGS_AT_MOST, GROUPS_AT_MOST, PARTS
from neonlab.measure.forms.form import form_of
from neonlab.measure.forms.nearest import nearest_forms

_FOLDER = Path(__file__).parent / "tables"
_SUFFIX = ".pipeline.toml"
_CLASS = {
    InstructionClass.NEON_MULTIPLY_ACCUMULATE: "@multiply",
    InstructionClass.NEON_OTHER: "@vector",
    InstructionClass.LOAD: "@load",
    InstructionClass.STORE: "@store",
    InstructionClass.PREFETCH: "prfm",
    InstructionClass.BRANCH: "b",
    InstructionClass.INTEGER: "@integer",
}


#: Pairs that cores do as one where they stand together and the second works on the result of the first alone.
_FUSED = {"aesmc": "aese", "aesimc": "aesd"}
_OPTIONAL = ("reads", "unshifted", "forwards", "vectors", "family", "alone")
_STORES = ("st", "@store")


@dataclass(frozen=True, slots=True)
class Use:
    """The use of one of `ports` (a bit set) for `cycles` cycles; `part` times of 16, for one cycle more."""

    ports: int
    cycles: int
    part: int = 0


@dataclass(frozen=True, slots=True)
class Timing:
    """The timing of one form; the module's docstring explains the fields.

    A `..._part` is the number of sixteenths of a cycle to add.
    """

    latency: int
    uses: tuple[Use, ...]
    slots: int
    second: int
    reads: int = 0
    unshifted: int = 0
    forwards: int = 0
    vectors: int = 0
    late: int = 0
    family: str = ""
    alone: bool = False
    latency_part: int = 0
    late_part: int = 0
    again: tuple[Use, ...] = ()


@dataclass(frozen=True, slots=True)
class Crossing:
    """The cost of an access across units of memory; the module's docstring explains the fields.

    `vector` is None for both register files.
    """

    store: bool
    vector: bool | None
    least: int
    unit: int
    cycles: int
    part: int
    latency: int
    structures: bool


@dataclass(frozen=True)
class PipelineCore:
    """A core's pipeline.

    `queue` is the NEON queue's length, 0 without one; `window` 0 means in-order issue.  The update of an access's
    address register takes `writeback_use`, and `writeback_slots` dispatch slots where it takes a port at all.
    `wide_slots` is the most dispatch slots of an operation on vector registers, 0 for as many as its timing has;
    `wide_load_slots` the number for each 16 bytes that are loaded into them, if that is more.  `scheduler` is the
    number of operations that can wait for their operands, `port_queue` the number of places at one port; 0 means as
    many as the window takes.  An operation is bound to a port when it is dispatched.  One of several slots on vector
    registers takes `wide_places` of the port's places.  An operation that began keeps its places for `queue_hold`
    cycles, until it is known that it need not begin again.  A store begins `store_ahead` cycles ahead of what it
    stores at most, where that is not -1.  `dispatch` has sets of ports with the number of operations that can be sent
    to them in a cycle.  `vectors_in_order` makes operations on vector registers, loads and stores of them included,
    begin in program order, one a cycle.
    `fetch` instructions are fetched a cycle, 0 for `width` of them, at most `fetch_queue` ahead of dispatch.  After a
    taken branch, fetch pauses for `taken_bubble` cycles, or for `loop_bubble` where no other branch was taken since it
    was last, or for `far_bubble`, if that is not 0, behind a branch that does not contain its target, as a return.
    `history` is the number of earlier branches that the predictor of conditional branches uses.  `passing` is the
    number of cycles from a store's data to a load that takes all of it over, into a general register and into a vector
    register; `passing_part` is the same where the store wrote only a part of the loaded bytes.  0 means no longer than
    any load.  The new address of a load is there `load_writeback` cycles after its issue, of one of lanes
    `lane_writeback`, if that is not 0, of a store `store_writeback`.

    Of in-order cores: `vector_places` is 2 where work on vector registers takes one or both of two slots a cycle, 1
    where one instruction takes all, 0 where there is no limit.  `vectors_alone` means that nothing is issued with it in
    the same cycle.  `halves` means that the 64-bit halves of A64 vector registers become ready separately.  `results`
    is the number of 64-bit results of operations that vector registers take in a cycle, 0 for no limit; with
    `load_results` a register of 128 bits that is loaded takes two such places, in the cycle in which it is there.
    `queue_moves` means that loads and stores of vector registers wait in the NEON queue too, in their turn.
    `wide_first` means that an operation on both pipes for vectors issues only as the first of a cycle, in order.
    """

    name: str
    width: int
    ports: tuple[str, ...]
    timings: Mapping[str, Timing]
    sources: tuple[str, ...] = ()
    window: int = 0
    retire: int = 0
    queue: int = 0
    load_writeback: int = 1
    store_writeback: int = 1
    lane_writeback: int = 0
    writeback_forwards: int = 0
    writeback_use: tuple[Use, ...] = ()
    writeback_slots: int = 1
    wide_slots: int = 0
    wide_load_slots: int = 0
    wide_places: int = 1
    store_data_late: int = 0
    store_ahead: int = -1
    general_data_late: int = 0
    merge_latency: int = 2
    mispredict: int = 8
    taken_bubble: int = 0
    vector_places: int = 2
    vectors_alone: bool = False
    halves: bool = False
    results: int = 0
    load_results: bool = False
    queue_moves: bool = False
    scheduler: int = 0
    port_queue: int = 0
    queue_hold: int = 0
    fetch: int = 0
    fetch_queue: int = 16
    loop_bubble: int = 0
    far_bubble: int = 0
    history: int = 8
    passing: tuple[int, int] = (0, 0)
    passing_part: tuple[int, int] = (0, 0)
    crossings: tuple[Crossing, ...] = ()
    dispatch: tuple[tuple[int, int], ...] = ()
    vectors_in_order: bool = False
    wide_first: bool = False
    _found: dict[str, Timing] = field(default_factory=dict, repr=False, compare=False)

    @property
    def in_order(self) -> bool:
        """Tell whether instructions issue in program order."""
        return self.window == 0

    def timing(self, instruction: Instruction, before: Instruction | None = None) -> Timing:
        """Return the timing of the instruction's form, or of the nearest form that the table has.

        Directly behind the instruction `before`, it is that of "FORM fused" where the core fuses the two and the table
        has it.
        """
        form = form_of(instruction)
        if before is not None and _fuses(before, instruction) and f"{form} fused" in self.timings:
            return self.timings[f"{form} fused"]
        known = self._found.get(form)
        if known is None:
            known = self._found[form] = self._look_up(form, instruction)
        return known

    def storing_again(self) -> PipelineCore:
        """Return the same core with every store going to the address of the store before it."""
        timings = {
            form: dataclasses.replace(timing, uses=timing.again) if timing.again else timing
            for form, timing in self.timings.items()
        }
        return dataclasses.replace(self, timings=timings, _found={})

    def knows(self, instruction: Instruction) -> bool:
        """Return whether the table has the form itself, or one that stands for it."""
        return any(form in self.timings for form in _searched(form_of(instruction)))

    def _look_up(self, form: str, instruction: Instruction) -> Timing:
        for candidate in _searched(form):
            if candidate in self.timings:
                return self.timings[candidate]
        default = class_default(instruction)
        fallback = self.timings.get(default)
        if fallback is None:
            raise InputError(f"{self.name}: no timing for {form} and none for {default}")
        return fallback


@functools.lru_cache(maxsize=8192)
def _searched(form: str) -> tuple[str, ...]:
    """Return the forms that a table is searched for."""
    return tuple(nearest_forms(form))


def class_default(instruction: Instruction) -> str:
    """Return the name under which a table has the timing of instructions of this kind whose form it does not name."""
    branch = instruction.branch is not BranchKind.NONE
    return _CLASS[InstructionClass.BRANCH if branch else instruction.instruction_class]


def _fuses(first: Instruction, second: Instruction) -> bool:
    if _FUSED.get(second.mnemonic.partition(".")[0]) != first.mnemonic.partition(".")[0]:
        return False
    return first.writes == second.writes == second.reads


def pipeline_names() -> tuple[str, ...]:
    """Return the names of the cores that have a pipeline model, sorted."""
    return tuple(sorted(path.name[: -len(_SUFFIX)] for path in _FOLDER.glob(f"*{_SUFFIX}")))


@functools.cache
def load_pipeline(name: str) -> PipelineCore:
    """Return the pipeline model of a core by its name (`cortex-a53`).

    Raises InputError where there is none, or where its file is malformed.
    """
    path = _FOLDER / f"{name}{_SUFFIX}"
    if name not in pipeline_names():
        raise InputError(f"there is no pipeline model of {name}; there are models of {', '.join(pipeline_names())}")
    with path.open("rb") as file:
        table = tomllib.load(file)
    base = load_pipeline(table["like"]) if "like" in table else None
    try:
        return _core(name, table, base)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path.name}: {error!r}") from None


def varied(core: PipelineCore, table: Mapping[str, Any]) -> PipelineCore:
    """Return the core with what `table` says otherwise, in the form of a file that is `like` the core's.

    Its timings are the same object if the table has none.  Raises InputError for a malformed table.
    """
    for key in table.get("pipeline", {}):
        if not hasattr(core, key):
            raise InputError(f"{core.name}: [pipeline] has no `{key}`")
    try:
        found = _core(core.name, table, core)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{core.name}: {error!r} in {dict(table)}") from None
    return found if "timing" in table else dataclasses.replace(found, timings=core.timings, _found=core._found)


def _core(name: str, table: Mapping[str, Any], base: PipelineCore | None) -> PipelineCore:
    structure = dict(table.get("pipeline", {}))
    ports = tuple(structure["ports"].split()) if "ports" in structure or base is None else base.ports
    masks = {port: 1 << number for number, port in enumerate(ports)}
    folded = {masks[old]: masks[new] for old, new in structure.get("fold", {}).items()}
    stored = {masks[old]: masks[new] for old, new in structure.get("fold_stores", {}).items()}
    timings = {
        form: _folded(timing, {**folded, **stored} if form.startswith(_STORES) else folded)
        for form, timing in (base.timings if base else {}).items()
    }
    in_order = structure.get("window", base.window if base else 0) == 0
    for entry in table.get("timing", []):
        uses = uses_of(entry.get("uses", ""), masks)
        latency, latency_part = _parted(entry["latency"])
        late = -(-entry.get("late", 0) // 1)
        timing = Timing(
            latency=latency,
            uses=uses,
            slots=entry.get("slots", max(1, len(uses))),
            second=entry.get("second", latency),
            late=int(late),
            latency_part=latency_part,
            late_part=_parted(late - entry.get("late", 0))[1],
            again=uses_of(entry.get("again", ""), masks),
            **{key: entry[key] for key in _OPTIONAL if key in entry},
        )
        if any(use.part for use in timing.uses[1:]):
            raise ValueError(f"only the first of `{entry['uses']}` may be for a part of a cycle")
        if in_order and (latency_part or timing.late_part or any(use.part for use in uses)):
            raise ValueError(f"{entry['forms']}: a core that issues in order takes whole cycles")
        timings.update(dict.fromkeys((form.strip() for form in entry["forms"].split(";")), timing))
    keep = ("window", "retire", "queue", "load_writeback", "store_writeback", "writeback_forwards", "writeback_slots",
            "wide_slots", "wide_load_slots", "wide_places", "store_data_late", "general_data_late", "merge_latency",
            "mispredict", "taken_bubble", "vector_places", "vectors_alone", "halves", "results", "queue_moves",
            "vectors_in_order", "wide_first", "scheduler", "port_queue", "queue_hold", "fetch", "fetch_queue",
            "loop_bubble", "far_bubble", "load_results", "lane_writeback", "store_ahead", "history",
            "width")  # fmt: skip
    figures = {
        key: structure[key] if key in structure else getattr(base, key) for key in keep if key in structure or base
    }
    writeback = (
        uses_of(structure["writeback"], masks) if "writeback" in structure else base.writeback_use if base else ()
    )
    crossings = base.crossings if base else ()
    if "crossing" in table:
        crossings = tuple(_crossing(entry) for entry in table["crossing"])
    if len(crossings) > CROSSINGS_AT_MOST or (in_order and any(rule.part for rule in crossings)):
        raise ValueError("too many crossings, or one of a part of a cycle on a core that issues in order")
    for key in ("passing", "passing_part"):
        general, vector = structure.get(key, getattr(base, key) if base else (0, 0))
        figures[key] = (general, vector)
    dispatch = base.dispatch if base else ()
    if "dispatch" in structure:
        groups = structure["dispatch"].items()
        dispatch = tuple((sum(masks[port] for port in group.split()), most) for group, most in groups)
    if len(dispatch) > GROUPS_AT_MOST or any(most > 15 for _, most in dispatch):
        raise ValueError(f"`dispatch` has {GROUPS_AT_MOST} sets of ports at most")
    return PipelineCore(
        name=name,
        crossings=crossings,
        dispatch=dispatch,
        ports=ports,
        timings=timings,
        sources=tuple(table.get("sources", ())),
        writeback_use=writeback,
        **figures,
    )


def _crossing(entry: Mapping[str, Any]) -> Crossing:
    kinds, files = {"loads": False, "stores": True}, {"general": False, "vector": True}
    cycles, part = _parted(entry.get("cycles", 0))
    vector = files[entry["file"]] if "file" in entry else None
    return Crossing(
        kinds[entry["of"]], vector, entry.get("least", 0), entry["unit"], cycles, part, entry.get("latency", 0),
        entry.get("structures", False),
    )  # fmt: skip


def _folded(timing: Timing, onto: Mapping[int, int]) -> Timing:
    """Return the timing for a core that lacks some ports of the core it is like: their work moves to others."""
    if not onto:
        return timing

    def moved(use: Use) -> Use:
        ports = use.ports
        for old, new in onto.items():
            if ports & old:
                ports = ports & ~old | new
        return dataclasses.replace(use, ports=ports)

    return dataclasses.replace(timing, uses=tuple(map(moved, timing.uses)), again=tuple(map(moved, timing.again)))


def uses_of(text: str, masks: Mapping[str, int]) -> tuple[Use, ...]:
    """Return the uses in a text such as "L V0+V1*2".  Raises KeyError for a port that is not named."""
    parts = (part.partition("*") for part in text.split())
    return tuple(
        Use(sum(masks[port] for port in listed.split("+")), *_parted(float(cycles or 1))) for listed, _, cycles in parts
    )


def _parted(figure: float) -> tuple[int, int]:
    """Split a number of cycles into whole cycles and sixteenths."""
    return divmod(round(figure * PARTS), PARTS)
