"""JSON schema of a profile: counts, traffic, caches, cycles, and the hot loop."""

from __future__ import annotations

from neonlab.report.schema_parts import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    Schema,
    described,
    list_of,
    nullable,
    object_of,
    optional,
)
from neonlab.report.schemas_verdict import COMPILER, FAILURE, ISA

_COUNTS = optional(
    object_of(
        instructions=described(INTEGER, "executed (INST_RETIRED)"),
        by_class=described(
            {"type": "object", "additionalProperties": INTEGER}, "instructions by class; every instruction is in one"
        ),
        loaded_bytes=described(INTEGER, "that executed load instructions name"),
        stored_bytes=described(INTEGER, "that executed store instructions name"),
        branches=described(INTEGER, "executed branch instructions, taken or not"),
        neon_registers=described(INTEGER, "128-bit NEON registers that executed instructions name"),
        neon_registers_available=INTEGER,
        peak_live_neon=described(INTEGER, "NEON registers that hold a value still needed, at the worst point"),
        general_registers=described(INTEGER, "general registers that executed instructions name"),
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
    line_bytes=described(INTEGER, "of the lines that are counted"),
    places=list_of(
        object_of(
            name=described(STRING, "argument, or stack, constants, data, elsewhere"),
            kind=_PLACE_KIND,
            loads=described(INTEGER, "accesses that instructions name; predicated ones when their condition holds"),
            stores=INTEGER,
            loaded_bytes=INTEGER,
            stored_bytes=INTEGER,
            footprint_bytes=described(INTEGER, "distinct bytes loaded or stored"),
            footprint_lines=described(INTEGER, "distinct lines loaded or stored"),
            split_lines=described(INTEGER, "accesses that cross from one line to another"),
            unaligned=described(INTEGER, "accesses not aligned to the register or element that they transfer"),
            prefetches=described(INTEGER, "prefetch instructions"),
            prefetches_useful=described(INTEGER, "of lines loaded or stored later and not before"),
            prefetches_redundant=described(INTEGER, "of lines touched or prefetched before"),
            prefetches_wasted=described(INTEGER, "of lines that nothing touches"),
            reuse=described(NUMBER, "bytes moved for each byte of footprint"),
        )
    ),
)
_PLACE_EVENTS: Schema = {"l1d_cache": INTEGER, "l1d_cache_refill": INTEGER, "l2d_cache_refill": INTEGER}
_CACHES = object_of(
    core=STRING,
    warm=described(BOOLEAN, "whether an equal call came before"),
    prefetcher=described(BOOLEAN, "whether the core's own prefetcher was modelled"),
    events=described(
        {"type": "object", "additionalProperties": INTEGER}, "of the model, by names of the performance monitors"
    ),
    prefetches=object_of(
        hardware_fills=described(INTEGER, "lines that the prefetcher fetched"),
        hardware_useful=described(INTEGER, "of them asked for before they went"),
        software_fills=described(INTEGER, "lines that prefetch instructions fetched"),
        software_useful=described(INTEGER, "of them asked for before they went"),
    ),
    places=list_of(object_of(name=STRING, kind=_PLACE_KIND, **_PLACE_EVENTS)),
    lines=list_of(object_of(path=STRING, line=INTEGER, text=STRING, **_PLACE_EVENTS)),
)
_CAUSES: Schema = {"type": "object", "additionalProperties": INTEGER}
_CYCLES = object_of(
    core=STRING,
    warm=described(BOOLEAN, "whether the call follows one like it without a gap, else from an empty pipeline"),
    estimate=described({"const": True}, "by a model, never a measurement"),
    model_error=described(STRING, "what the core's model was compared with, and how far it was off"),
    events=described(
        {"type": "object", "additionalProperties": INTEGER}, "of the model, by names of the performance monitors"
    ),
    ipc=described(NUMBER, "instructions a cycle"),
    macs_per_cycle=NUMBER,
    peak_macs_per_cycle=described(NUMBER, "with the best of the kernel's multiplying instructions alone; 0 for none"),
    peak_form=STRING,
    causes=described(_CAUSES, "cycles by cause; they add up to CPU_CYCLES"),
    occupancy=described({"type": "object", "additionalProperties": NUMBER}, "share of cycles that each port is busy"),
    bounds=described(
        object_of(ports=NUMBER, dispatch=NUMBER, dependencies=NUMBER, memory=NUMBER),
        "cycles if that alone limited the call",
    ),
    limited_by=described({"enum": ["ports", "dispatch", "dependencies", "memory"]}, "the largest bound"),
    lines=list_of(object_of(path=STRING, line=INTEGER, text=STRING, cycles=INTEGER, causes=_CAUSES)),
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
        "cycles that one line waited for the result of another, most first",
    ),
    unknown_forms=described(_CAUSES, "executed instructions that the core's table does not have"),
)
_HOT_LOOP = object_of(
    core=STRING,
    iterations=described(INTEGER, "of the run"),
    share=described(NUMBER, "of the run's cycles that lie in the loop"),
    always=described(BOOLEAN, "whether every iteration goes the way that is shown"),
    cycles=described(NUMBER, "of one iteration, once settled, all data in the nearest cache"),
    cycles_in_run=described(NUMBER, "of one iteration, on average"),
    missed=described(NUMBER, "of them waited for caches"),
    instructions=INTEGER,
    slots=described(INTEGER, "of dispatch or issue that an iteration takes"),
    slots_available=NUMBER,
    macs=described(INTEGER, "multiplications of an iteration"),
    peak_macs_per_cycle=described(NUMBER, "with the best of the loop's multiplying instructions alone; 0 for none"),
    peak_form=STRING,
    ports=described({"type": "object", "additionalProperties": NUMBER}, "share of cycles that each port is busy"),
    bounds=described(
        object_of(ports=NUMBER, dispatch=NUMBER, dependencies=NUMBER, memory=NUMBER),
        "cycles of an iteration if that alone limited it",
    ),
    attack=described(STRING, "what to attack first, a sentence"),
    lines=described(
        list_of(
            object_of(
                address=INTEGER,
                path=STRING,
                line=INTEGER,
                text=STRING,
                form=described(STRING, "under which the core's table knows it"),
                slots=INTEGER,
                known=described(BOOLEAN, "whether the table has it"),
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
                    cycles=described(INTEGER, "after the link before"),
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
                marks=described(STRING, "a letter a cycle: D dispatched, = waits, e executes, E done, R retires"),
                dispatched=INTEGER,
                issued=INTEGER,
                ready=INTEGER,
                retired=INTEGER,
                cause=described(STRING, "of its wait"),
            )
        ),
        "two iterations",
    ),
    hints=described(
        list_of(
            object_of(
                kind=STRING,
                lines=list_of(INTEGER),
                paths=described(list_of(STRING), "files that these lines are of, each once"),
                text=STRING,
                cycles_before=described(nullable(NUMBER), "of an iteration; null for a remark about traffic"),
                cycles_after=described(nullable(NUMBER), "by the model, with the change made"),
                mended=described(list_of(STRING), "the loop with the change made"),
            )
        ),
        "what a person would say of it, each tried out on the model; that which saves most first",
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
        list_of(_HOT_LOOP), "those beside it with a tenth of the cycles or more; where there are any"
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
