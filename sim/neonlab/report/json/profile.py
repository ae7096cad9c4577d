"""Define the JSON schema of a profile: counts, traffic, caches, cycles, and the hot loop."""

from __future__ import annotations

from neonlab.report.json.parts import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    Schema,
    band_of_estimate,
    described,
    list_of,
    nullable,
    object_of,
    optional,
)
from neonlab.report.json.verdict import COMPILER, FAILURE, ISA

_COUNTS = optional(
    object_of(
        instructions=described(INTEGER, "executed (INST_RETIRED)"),
        by_class=described(
            {"type": "object", "additionalProperties": INTEGER}, "instructions by class; every instruction is in one"
        ),
        loaded_bytes=described(INTEGER, "bytes that executed load instructions access"),
        stored_bytes=described(INTEGER, "bytes that executed store instructions access"),
        branches=described(INTEGER, "executed branch instructions, taken or not"),
        neon_registers=described(INTEGER, "128-bit NEON registers that executed instructions use"),
        neon_registers_available=INTEGER,
        peak_live_neon=described(INTEGER, "largest number of NEON registers that are live at once"),
        general_registers=described(INTEGER, "general registers that executed instructions use"),
        general_registers_available=INTEGER,
        peak_live_general=INTEGER,
        lines=described(
            list_of(object_of(path=STRING, line=INTEGER, text=STRING, executions=INTEGER)),
            "instructions executed from each line; left out of reports",
        ),
    ),
    "lines",
)
_PLACE_KIND: Schema = {"enum": ["buffer", "stack", "program", "elsewhere"]}
_TRAFFIC = object_of(
    line_bytes=described(INTEGER, "size of a cache line"),
    places=list_of(
        object_of(
            name=described(STRING, "argument, or stack, constants, data, elsewhere"),
            kind=_PLACE_KIND,
            loads=described(INTEGER, "load accesses; of conditional instructions only where the condition holds"),
            stores=INTEGER,
            loaded_bytes=INTEGER,
            stored_bytes=INTEGER,
            footprint_bytes=described(INTEGER, "distinct bytes loaded or stored"),
            footprint_lines=described(INTEGER, "distinct lines loaded or stored"),
            split_lines=described(INTEGER, "accesses that cross a cache-line boundary"),
            unaligned=described(
                INTEGER, "accesses not aligned to the size of the register or element that they transfer"
            ),
            prefetches=described(INTEGER, "prefetch instructions"),
            prefetches_useful=described(
                INTEGER, "prefetches of lines that are loaded or stored later, and were not before"
            ),
            prefetches_redundant=described(INTEGER, "prefetches of lines that were accessed or prefetched before"),
            prefetches_wasted=described(INTEGER, "prefetches of lines that nothing accesses"),
            reuse=described(NUMBER, "bytes moved for each byte of footprint"),
        )
    ),
)
_PLACE_EVENTS: Schema = {"l1d_cache": INTEGER, "l1d_cache_refill": INTEGER, "l2d_cache_refill": INTEGER}
_CACHES = object_of(
    core=STRING,
    warm=described(BOOLEAN, "whether the same call was made before"),
    cold=described(list_of(STRING), "buffers that were driven out of the caches before a warm call"),
    prefetcher=described(BOOLEAN, "whether the core's own prefetcher was modelled"),
    events=described({"type": "object", "additionalProperties": INTEGER}, "the model's events, by their PMU names"),
    prefetches=object_of(
        hardware_fills=described(INTEGER, "lines that the hardware prefetcher fetched"),
        hardware_useful=described(INTEGER, "those of them that were accessed before they were evicted"),
        software_fills=described(INTEGER, "lines that prefetch instructions fetched"),
        software_useful=described(INTEGER, "those of them that were accessed before they were evicted"),
    ),
    places=list_of(object_of(name=STRING, kind=_PLACE_KIND, **_PLACE_EVENTS)),
    lines=list_of(object_of(path=STRING, line=INTEGER, text=STRING, **_PLACE_EVENTS)),
)
_CAUSES: Schema = {"type": "object", "additionalProperties": INTEGER}
_CYCLES = object_of(
    core=STRING,
    warm=described(
        BOOLEAN, "true: the call follows the same call without a gap; false: the pipeline is empty at the start"
    ),
    cold=described(list_of(STRING), "buffers that were driven out of the caches before a warm call"),
    calls=described(
        INTEGER,
        "calls back to back, from an empty pipeline until all is done, of which the figures are the mean; 0: one call",
    ),
    cycles_per_call=described(NUMBER, "CPU_CYCLES, not rounded where it is a mean"),
    estimate=described({"const": True}, "by a model, never a measurement"),
    model_error=described(STRING, "what the core's model was compared with, and its error"),
    band=described(nullable(band_of_estimate(INTEGER)), "range of the estimate CPU_CYCLES; null: none is known"),
    events=described({"type": "object", "additionalProperties": INTEGER}, "the model's events, by their PMU names"),
    ipc=described(NUMBER, "instructions a cycle"),
    macs_per_cycle=NUMBER,
    peak_macs_per_cycle=described(NUMBER, "of the kernel's best multiplying instruction alone; 0 without one"),
    peak_form=STRING,
    causes=described(_CAUSES, "cycles by cause; they add up to CPU_CYCLES"),
    occupancy=described({"type": "object", "additionalProperties": NUMBER}, "share of cycles that each port is busy"),
    bounds=described(
        object_of(ports=NUMBER, dispatch=NUMBER, dependencies=NUMBER, memory=NUMBER),
        "cycles if this resource alone limited the call",
    ),
    limited_by=described({"enum": ["ports", "dispatch", "dependencies", "memory"]}, "the largest bound"),
    lines=list_of(object_of(path=STRING, line=INTEGER, text=STRING, cycles=INTEGER, causes=_CAUSES)),
    calls_of_lines=described(
        list_of(object_of(path=STRING, line=INTEGER, name=described(STRING, "of the macro"), cycles=INTEGER)),
        "lines that call a macro or repeat others, with the cycles of all that they bring in",
    ),
    waits=described(
        list_of(
            object_of(
                cause=STRING,
                path=STRING,
                line=INTEGER,
                producer_path=STRING,
                producer_line=INTEGER,
                cycles=INTEGER,
            )
        ),
        "stall cycles of one line on the result of another, the largest first",
    ),
    unknown_forms=described(_CAUSES, "executed instructions that the core's table does not have"),
)
_HOT_LOOP = object_of(
    core=STRING,
    iterations=described(INTEGER, "of the run"),
    share=described(NUMBER, "fraction of the run's cycles spent in the loop"),
    always=described(BOOLEAN, "whether every iteration takes the path that is shown"),
    cycles=described(NUMBER, "cycles per iteration in the steady state, with all data in L1"),
    cycles_in_run=described(NUMBER, "cycles per iteration in this run, on average"),
    missed=described(NUMBER, "cycles per iteration stalled on caches"),
    instructions=INTEGER,
    slots=described(INTEGER, "dispatch or issue slots that an iteration takes"),
    slots_available=NUMBER,
    macs=described(INTEGER, "multiplications per iteration"),
    peak_macs_per_cycle=described(NUMBER, "of the loop's best multiplying instruction alone; 0 without one"),
    peak_form=STRING,
    ports=described({"type": "object", "additionalProperties": NUMBER}, "share of cycles that each port is busy"),
    bounds=described(
        object_of(ports=NUMBER, dispatch=NUMBER, dependencies=NUMBER, memory=NUMBER),
        "cycles per iteration if this resource alone limited the loop",
    ),
    attack=described(STRING, "what to improve first, as a sentence"),
    waits_for=described(
        nullable(
            object_of(
                cause=described(STRING, "that costs most; `issue width`: nothing else waits"),
                instruction=described(
                    INTEGER, "place in `lines` of what waits longest, on the line that waits longest"
                ),
                cycles=described(NUMBER, "of an iteration that the instructions of this line wait for this cause"),
                times=described(INTEGER, "instructions of this line that wait"),
                cycles_of_cause=described(NUMBER, "that all instructions wait for this cause"),
                producer=described(nullable(INTEGER), "place in `lines` of what has the result that is waited for"),
                ports=described(list_of(STRING), "that are waited for"),
                held_by=described(list_of(STRING), "mnemonics that hold these ports longest"),
            )
        ),
        "what an iteration waits for",
    ),
    lines=described(
        list_of(
            object_of(
                address=INTEGER,
                path=STRING,
                line=INTEGER,
                text=STRING,
                form=described(STRING, "its name in the core's table"),
                slots=INTEGER,
                known=described(BOOLEAN, "whether the table has this form"),
                instruction=described(STRING, "disassembly, with the registers that it has"),
                ports=described(STRING, "that it occupies: `A/B` is either, `A B` is both, `A×2` is for 2 cycles"),
                waits_for=described(
                    nullable(INTEGER), "place in `lines` of what it waited for longest; null: for no result"
                ),
                stalled=described({"type": "object", "additionalProperties": NUMBER}, "cycles by cause"),
            )
        ),
        "the instructions of one iteration, in order",
    ),
    critical_path=described(
        object_of(
            iterations=INTEGER,
            cycles=INTEGER,
            links=list_of(
                object_of(
                    instruction=described(INTEGER, "place in `lines`"),
                    iteration=INTEGER,
                    cycles=described(INTEGER, "cycles after the previous link"),
                    kind={"enum": ["result", "port", "dispatch", "window", "branch", "execution"]},
                    through=described(STRING, "registers, port, or queue"),
                )
            ),
        ),
        "the chain of waits that determines the length",
    ),
    timeline=described(
        list_of(
            object_of(
                instruction=described(INTEGER, "place in `lines`"),
                iteration=INTEGER,
                start=described(INTEGER, "cycle of the first mark"),
                marks=described(STRING, "one letter per cycle: D dispatched, = waits, e executes, E done, R retires"),
                dispatched=INTEGER,
                issued=INTEGER,
                ready=INTEGER,
                retired=INTEGER,
                cause=described(STRING, "cause of its stall"),
            )
        ),
        "two iterations",
    ),
    hints=described(
        list_of(
            object_of(
                kind=STRING,
                lines=list_of(INTEGER),
                paths=described(list_of(STRING), "files of these lines, each once"),
                text=STRING,
                cycles_before=described(nullable(NUMBER), "cycles per iteration; null for a hint about traffic"),
                cycles_after=described(nullable(NUMBER), "cycles per iteration of the modelled loop after the change"),
                mended=described(list_of(STRING), "the loop after the change"),
            )
        ),
        "hints for a faster loop, each tried on the model; the largest saving first",
    ),
)
_PROFILE_WHOLE = object_of(
    kernel=STRING,
    isa=ISA,
    shape=STRING,
    macs=described(INTEGER, "multiply-accumulates that the contract declares, 0 for none"),
    instructions_per_mac=NUMBER,
    loaded_bytes_per_mac=NUMBER,
    stored_bytes_per_mac=NUMBER,
    counts=_COUNTS,
    traffic=described(_TRAFFIC, "by `profile` only"),
    caches=described(_CACHES, "with --core only"),
    cycles=described(_CYCLES, "with --core only, of a core that has a pipeline model"),
    hot_loop=described(_HOT_LOOP, "with --core --shape only, of a core that has a pipeline model: an estimate"),
    other_loops=described(
        list_of(_HOT_LOOP), "other loops with a tenth of the cycles or more; left out where there are none"
    ),
    compiler=COMPILER,
)
PROFILE = optional(_PROFILE_WHOLE, "traffic", "caches", "cycles", "hot_loop", "other_loops", "compiler")
NAMED_FAILURE: Schema = {
    **FAILURE,
    "properties": {"kernel": STRING, **FAILURE["properties"]},
    "required": ["kernel", *FAILURE["required"]],
}
PROFILES = {"seed": INTEGER, "profiles": list_of(PROFILE), "failures": list_of(NAMED_FAILURE)}
