"""JSON Schema (draft 2020-12) of what each command prints with --json: the documentation, and what tests hold it to."""

from __future__ import annotations

from neonlab.report.schema_parts import BOOLEAN as _BOOLEAN
from neonlab.report.schema_parts import INTEGER as _INTEGER
from neonlab.report.schema_parts import NUMBER as _NUMBER
from neonlab.report.schema_parts import STRING as _STRING
from neonlab.report.schema_parts import Schema
from neonlab.report.schema_parts import described as _described
from neonlab.report.schema_parts import document as _document
from neonlab.report.schema_parts import list_of as _list
from neonlab.report.schema_parts import nullable as _nullable
from neonlab.report.schema_parts import object_of as _object
from neonlab.report.schema_parts import optional as _optional
from neonlab.report.schemas_comparison import comparison_properties

_ISA: Schema = {"enum": ["a32", "a64"]}
_WHERE = _described(_nullable(_STRING), "file:line")
_TRAIL = _described(_list(_STRING), "macro calls around the line, outermost first")
_FAULT = _object(
    message=_described(_STRING, "a plain sentence"),
    address=_described(_INTEGER, "of the instruction at fault"),
    where=_WHERE,
    instruction=_described(_STRING, "disassembly, empty where unknown"),
    trail=_TRAIL,
    clause=_described(_STRING, "what of the contract or the call standard it breaks"),
    register=_described(_nullable(_STRING), "register that is concerned"),
    buffer=_described(_nullable(_STRING), "argument whose memory is concerned"),
    offset=_described(_nullable(_INTEGER), "bytes from the buffer's start, negative before it"),
)
_WRITER = _object(address=_INTEGER, where=_STRING, source=_STRING, instruction=_STRING, trail=_TRAIL)
_MISMATCH = _object(
    output=_described(_STRING, "argument that differs from the reference"),
    index=_described({"type": "object", "additionalProperties": _INTEGER}, "first wrong element, by axis"),
    got=_STRING,
    expected=_STRING,
    wrong=_described(_INTEGER, "elements that differ"),
    total=_INTEGER,
    offset=_described(_INTEGER, "of the first wrong element, in bytes"),
    size=_described(_INTEGER, "of an element, in bytes"),
    map_title=_STRING,
    map=_described(_list(_STRING), "`.` right, `X` wrong"),
    writer=_described(_nullable(_WRITER), "instruction that last wrote the element; null where none did"),
)
_EXPLANATION = _object(
    shape=_described(_STRING, "of the smallest case that fails alike"),
    inputs=_described(_list(_STRING), "what is left of each input"),
    got=_nullable(_STRING),
    expected=_nullable(_STRING),
    slice=_described(_nullable({"type": "object"}), "the instructions that made the wrong element, latest first"),
    text=_described(_list(_STRING), "the same to be read"),
)
_FAILURE = _optional(
    _object(
        identifier=_described(_STRING, "`mismatch`, or the fault's stable name"),
        shape=_STRING,
        pattern=_STRING,
        seed=_INTEGER,
        fault=_FAULT,
        mismatch=_MISMATCH,
        explanation=_EXPLANATION,
    ),
    "fault",
    "mismatch",
    "explanation",
)
_COMPILER = _described(_STRING, "what made the code, with its version and flags; only where it was compiled here")
_VERDICT_WHOLE = _object(
    kernel=_STRING,
    isa=_ISA,
    path=_STRING,
    passed=_BOOLEAN,
    has_reference=_described(_BOOLEAN, "whether results were compared, or only faults looked for"),
    cases=_INTEGER,
    failed=_INTEGER,
    seed=_INTEGER,
    failures=_described(_list(_FAILURE), "each kind once"),
    ranges=_described(
        _nullable(_object(status={"enum": ["safe", "wraps", "undecided"]}, shape=_STRING, note=_STRING)),
        "whether any input within the declared ranges makes a lane wrap; asked where all cases passed",
    ),
    compiler=_COMPILER,
)
_VERDICT = _optional(_VERDICT_WHOLE, "compiler")
_ENDS = _described(_nullable(_list(_INTEGER)), "first byte and the one after the last, counted from the pointer")
_COUNTS = _optional(
    _object(
        instructions=_described(_INTEGER, "executed (INST_RETIRED)"),
        by_class=_described(
            {"type": "object", "additionalProperties": _INTEGER}, "instructions by class; every instruction is in one"
        ),
        loaded_bytes=_described(_INTEGER, "that executed load instructions name"),
        stored_bytes=_described(_INTEGER, "that executed store instructions name"),
        branches=_described(_INTEGER, "executed branch instructions, taken or not"),
        neon_registers=_described(_INTEGER, "128-bit NEON registers that executed instructions name"),
        neon_registers_available=_INTEGER,
        peak_live_neon=_described(_INTEGER, "NEON registers that hold a value still needed, at the worst point"),
        general_registers=_described(_INTEGER, "general registers that executed instructions name"),
        general_registers_available=_INTEGER,
        peak_live_general=_INTEGER,
        lines=_described(
            _list(_object(path=_STRING, line=_INTEGER, text=_STRING, executions=_INTEGER)),
            "instructions executed from each line; left out of reports",
        ),
    ),
    "lines",
)
_PLACE_KIND: Schema = {"enum": ["buffer", "stack", "program", "elsewhere"]}
_TRAFFIC = _object(
    line_bytes=_described(_INTEGER, "of the lines that are counted"),
    places=_list(
        _object(
            name=_described(_STRING, "argument, or stack, constants, data, elsewhere"),
            kind=_PLACE_KIND,
            loads=_described(_INTEGER, "accesses that instructions name; predicated ones when their condition holds"),
            stores=_INTEGER,
            loaded_bytes=_INTEGER,
            stored_bytes=_INTEGER,
            footprint_bytes=_described(_INTEGER, "distinct bytes loaded or stored"),
            footprint_lines=_described(_INTEGER, "distinct lines loaded or stored"),
            split_lines=_described(_INTEGER, "accesses that cross from one line to another"),
            unaligned=_described(_INTEGER, "accesses not aligned to the register or element that they transfer"),
            prefetches=_described(_INTEGER, "prefetch instructions"),
            prefetches_useful=_described(_INTEGER, "of lines loaded or stored later and not before"),
            prefetches_redundant=_described(_INTEGER, "of lines touched or prefetched before"),
            prefetches_wasted=_described(_INTEGER, "of lines that nothing touches"),
            reuse=_described(_NUMBER, "bytes moved for each byte of footprint"),
        )
    ),
)
_PLACE_EVENTS: Schema = {"l1d_cache": _INTEGER, "l1d_cache_refill": _INTEGER, "l2d_cache_refill": _INTEGER}
_CACHES = _object(
    core=_STRING,
    warm=_described(_BOOLEAN, "whether an equal call came before"),
    prefetcher=_described(_BOOLEAN, "whether the core's own prefetcher was modelled"),
    events=_described(
        {"type": "object", "additionalProperties": _INTEGER}, "of the model, by names of the performance monitors"
    ),
    prefetches=_object(
        hardware_fills=_described(_INTEGER, "lines that the prefetcher fetched"),
        hardware_useful=_described(_INTEGER, "of them asked for before they went"),
        software_fills=_described(_INTEGER, "lines that prefetch instructions fetched"),
        software_useful=_described(_INTEGER, "of them asked for before they went"),
    ),
    places=_list(_object(name=_STRING, kind=_PLACE_KIND, **_PLACE_EVENTS)),
    lines=_list(_object(path=_STRING, line=_INTEGER, text=_STRING, **_PLACE_EVENTS)),
)
_CAUSES: Schema = {"type": "object", "additionalProperties": _INTEGER}
_CYCLES = _object(
    core=_STRING,
    warm=_described(_BOOLEAN, "whether the call follows one like it without a gap, else from an empty pipeline"),
    estimate=_described({"const": True}, "by a model, never a measurement"),
    model_error=_described(_STRING, "what the core's model was compared with, and how far it was off"),
    events=_described(
        {"type": "object", "additionalProperties": _INTEGER}, "of the model, by names of the performance monitors"
    ),
    ipc=_described(_NUMBER, "instructions a cycle"),
    macs_per_cycle=_NUMBER,
    peak_macs_per_cycle=_described(_NUMBER, "with the best of the kernel's multiplying instructions alone; 0 for none"),
    peak_form=_STRING,
    causes=_described(_CAUSES, "cycles by cause; they add up to CPU_CYCLES"),
    occupancy=_described({"type": "object", "additionalProperties": _NUMBER}, "share of cycles that each port is busy"),
    bounds=_described(
        _object(ports=_NUMBER, dispatch=_NUMBER, dependencies=_NUMBER, memory=_NUMBER),
        "cycles if that alone limited the call",
    ),
    limited_by=_described({"enum": ["ports", "dispatch", "dependencies", "memory"]}, "the largest bound"),
    lines=_list(_object(path=_STRING, line=_INTEGER, text=_STRING, cycles=_INTEGER, causes=_CAUSES)),
    waits=_described(
        _list(
            _object(
                cause=_STRING,
                path=_STRING,
                line=_INTEGER,
                producer_path=_STRING,
                producer_line=_INTEGER,
                cycles=_INTEGER,
            )
        ),
        "cycles that one line waited for the result of another, most first",
    ),
    unknown_forms=_described(_CAUSES, "executed instructions that the core's table does not have"),
)
_HOT_LOOP = _object(
    core=_STRING,
    iterations=_described(_INTEGER, "of the run"),
    share=_described(_NUMBER, "of the run's cycles that lie in the loop"),
    always=_described(_BOOLEAN, "whether every iteration goes the way that is shown"),
    cycles=_described(_NUMBER, "of one iteration, once settled, all data in the nearest cache"),
    cycles_in_run=_described(_NUMBER, "of one iteration, on average"),
    missed=_described(_NUMBER, "of them waited for caches"),
    instructions=_INTEGER,
    slots=_described(_INTEGER, "of dispatch or issue that an iteration takes"),
    slots_available=_NUMBER,
    macs=_described(_INTEGER, "multiplications of an iteration"),
    peak_macs_per_cycle=_described(_NUMBER, "with the best of the loop's multiplying instructions alone; 0 for none"),
    peak_form=_STRING,
    ports=_described({"type": "object", "additionalProperties": _NUMBER}, "share of cycles that each port is busy"),
    bounds=_described(
        _object(ports=_NUMBER, dispatch=_NUMBER, dependencies=_NUMBER, memory=_NUMBER),
        "cycles of an iteration if that alone limited it",
    ),
    attack=_described(_STRING, "what to attack first, a sentence"),
    lines=_described(
        _list(
            _object(
                address=_INTEGER,
                path=_STRING,
                line=_INTEGER,
                text=_STRING,
                form=_described(_STRING, "under which the core's table knows it"),
                slots=_INTEGER,
                known=_described(_BOOLEAN, "whether the table has it"),
                stalled=_described({"type": "object", "additionalProperties": _NUMBER}, "cycles by cause"),
            )
        ),
        "the instructions of one iteration, in order",
    ),
    critical_path=_described(
        _object(
            iterations=_INTEGER,
            cycles=_INTEGER,
            links=_list(
                _object(
                    instruction=_described(_INTEGER, "place in `lines`"),
                    iteration=_INTEGER,
                    cycles=_described(_INTEGER, "after the link before"),
                    kind={"enum": ["result", "port", "dispatch", "window", "branch", "execution"]},
                    through=_described(_STRING, "registers, port, or queue"),
                )
            ),
        ),
        "the chain of waits that determines the length",
    ),
    timeline=_described(
        _list(
            _object(
                instruction=_described(_INTEGER, "place in `lines`"),
                iteration=_INTEGER,
                start=_described(_INTEGER, "cycle of the first mark"),
                marks=_described(_STRING, "a letter a cycle: D dispatched, = waits, e executes, E done, R retires"),
                dispatched=_INTEGER,
                issued=_INTEGER,
                ready=_INTEGER,
                retired=_INTEGER,
                cause=_described(_STRING, "of its wait"),
            )
        ),
        "two iterations",
    ),
    hints=_described(
        _list(
            _object(
                kind=_STRING,
                lines=_list(_INTEGER),
                text=_STRING,
                cycles_before=_described(_nullable(_NUMBER), "of an iteration; null for a remark about traffic"),
                cycles_after=_described(_nullable(_NUMBER), "by the model, with the change made"),
                mended=_described(_list(_STRING), "the loop with the change made"),
            )
        ),
        "what a person would say of it, each tried out on the model; that which saves most first",
    ),
)
_PROFILE_WHOLE = _object(
    kernel=_STRING,
    isa=_ISA,
    shape=_STRING,
    macs=_described(_INTEGER, "multiply-accumulates that the contract declares, 0 for none"),
    instructions_per_mac=_NUMBER,
    loaded_bytes_per_mac=_NUMBER,
    stored_bytes_per_mac=_NUMBER,
    counts=_COUNTS,
    traffic=_described(_TRAFFIC, "by `profile` only"),
    caches=_described(_CACHES, "with --core only"),
    cycles=_described(_CYCLES, "with --core only, of a core that has a pipeline model"),
    hot_loop=_described(_HOT_LOOP, "with --core --shape only, of a core that has a pipeline model: an estimate"),
    compiler=_COMPILER,
)
_PROFILE = _optional(_PROFILE_WHOLE, "traffic", "caches", "cycles", "hot_loop", "compiler")
_NAMED_FAILURE: Schema = {
    **_FAILURE,
    "properties": {"kernel": _STRING, **_FAILURE["properties"]},
    "required": ["kernel", *_FAILURE["required"]],
}
_PROFILES = {"seed": _INTEGER, "profiles": _list(_PROFILE), "failures": _list(_NAMED_FAILURE)}


_MODEL_ERROR = _object(
    against=_described({"enum": ["silicon", "llvm-mca", "functions"]}, "what the figures were compared with"),
    figures=_INTEGER,
    within_5_percent=_INTEGER,
    held_out_within_5_percent=_described(_nullable(_INTEGER), "by a core that does not know the form they are of"),
    median_error=_described(_NUMBER, "of the relative error's size"),
)
_CACHE_SHAPE = _object(size=_INTEGER, ways=_INTEGER, line=_INTEGER)
_CORE = _object(
    core=_STRING,
    title=_STRING,
    in_order=_BOOLEAN,
    width=_described(_INTEGER, "instructions or operations issued or dispatched in a cycle"),
    window=_described(_INTEGER, "operations between dispatch and retirement; 0 in order"),
    ports=_list(_STRING),
    peak_macs_per_cycle=_described(_NUMBER, "int8 multiply-accumulates a cycle, by the model"),
    peak_instruction=_STRING,
    caches=_object(l1i=_CACHE_SHAPE, l1d=_CACHE_SHAPE, l2=_CACHE_SHAPE),
    errors=_described(_list(_MODEL_ERROR), "how far the model was off"),
    sources=_described(_list(_STRING), "of the pipeline's figures"),
)
_COMPARISON = _object(
    core=_STRING,
    error=_MODEL_ERROR,
    counts=_list(_object(kind=_STRING, what={"enum": ["latency", "rate"]}, within=_INTEGER, figures=_INTEGER)),
    outside=_described(
        _list(
            _object(
                form=_STRING,
                kind=_STRING,
                what={"enum": ["latency", "rate"]},
                measured=_NUMBER,
                modelled=_NUMBER,
                reason=_STRING,
            )
        ),
        "figures that differ by more than 5 %",
    ),
    left_out=_described(_list(_object(form=_STRING, reason=_STRING)), "rows that are no test of the model"),
)


def schemas() -> dict[str, Schema]:
    """The schema of each command that has --json, by the command's name."""
    return {
        "asm": _document(
            "asm",
            path=_STRING,
            isa=_ISA,
            rows=_list(
                _object(
                    section=_STRING,
                    address=_described(_INTEGER, "offset in the section"),
                    bytes=_described(_STRING, "hexadecimal, in the order of memory"),
                    disassembly=_STRING,
                    where=_STRING,
                    source=_STRING,
                )
            ),
        ),
        "symbols": _document(
            "symbols",
            path=_STRING,
            objects=_list(
                _object(
                    title=_described(_STRING, "the file, or archive(member)"),
                    isa=_ISA,
                    shared=_BOOLEAN,
                    functions=_list(
                        _object(
                            name=_STRING,
                            demangled=_STRING,
                            address=_described(_INTEGER, "offset in the section; in a shared object the address there"),
                            size=_described(_INTEGER, "bytes, 0 where the object does not say"),
                            section=_STRING,
                            binding={"enum": ["local", "global", "weak", "other"]},
                            state={"enum": ["a64", "a32", "thumb"]},
                            where=_described(_nullable(_STRING), "file:line of the first instruction"),
                        )
                    ),
                    undefined=_list(
                        _object(
                            name=_STRING,
                            demangled=_STRING,
                            weak=_BOOLEAN,
                            users=_described(_list(_STRING), "functions, or sections of data, that refer to it"),
                        )
                    ),
                    constructors=_described(_list(_STRING), "sections of functions that a loader would call"),
                )
            ),
        ),
        "bench": _document(
            "bench",
            shape=_STRING,
            results=_list(
                _object(
                    kernel=_STRING,
                    instructions=_described(_INTEGER, "executed in one call"),
                    bare=_described(_INTEGER, "guest instructions a second, nothing watched"),
                    counts=_described(_INTEGER, "the same with counts"),
                    python_hooks=_described(_INTEGER, "the same with counts taken by Python hooks"),
                    counts_of_bare=_NUMBER,
                    counts_over_python_hooks=_NUMBER,
                    traffic=_described(_INTEGER, "the same with counts and traffic"),
                    traffic_of_bare=_NUMBER,
                    core=_described(_STRING, "that was modelled"),
                    caches=_described(_INTEGER, "the same with counts, traffic and caches"),
                    caches_of_bare=_NUMBER,
                    pipeline=_described(_INTEGER, "the same with counts, traffic, caches and cycles"),
                    pipeline_of_bare=_NUMBER,
                    accesses=_described(_INTEGER, "memory accesses in one call"),
                    sanitizer=_described(_INTEGER, "guest instructions a second with the sanitizer"),
                    sanitizer_of_bare=_NUMBER,
                    sanitizer_and_lanes=_described(_INTEGER, "the same with every check on"),
                )
            ),
            load=_described(
                _object(bytes=_INTEGER, sections=_INTEGER, relocations=_INTEGER, seconds=_NUMBER),
                "an object made for this, from its path to memory with every relocation applied",
            ),
        ),
        "check": _document("check", seed=_INTEGER, verdicts=_list(_VERDICT)),
        "compare": _document("compare", **comparison_properties(_FAILURE, _ISA)),
        "contract": _document(
            "contract",
            path=_STRING,
            contract=_described(_STRING, "TOML, with `?` where only a person can know"),
            blanks=_described(_list(_STRING), "arguments and fields with such a `?`"),
            runs=_list(
                _object(
                    numbers=_described({"type": "object", "additionalProperties": _INTEGER}, "that it was run with"),
                    touched={"type": "object", "additionalProperties": _object(read=_ENDS, write=_ENDS)},
                )
            ),
        ),
        "cores": _document("cores", cores=_list(_CORE), comparisons=_list(_COMPARISON)),
        "list": _document(
            "list",
            root=_described(_STRING, "the repository"),
            kernels=_list(
                _object(
                    kernel=_STRING,
                    isa=_ISA,
                    path=_STRING,
                    operator=_described(_nullable(_STRING), "whose reference speaks for it"),
                    summary=_STRING,
                    prototype=_STRING,
                    architecture=_STRING,
                    features=_list(_STRING),
                )
            ),
            dispatches=_list(_object(name=_STRING, members=_list(_STRING), reason=_STRING)),
        ),
        "mutate": _document(
            "mutate",
            seed=_INTEGER,
            kernels=_list(
                _object(
                    kernel=_STRING,
                    isa=_ISA,
                    made=_described(_INTEGER, "mutants that there are"),
                    mutants=_described(_INTEGER, "mutants tried"),
                    killed=_described(_INTEGER, "told from the kernel by some case"),
                    equivalent=_described(_INTEGER, "no worse than the kernel, by a rule or a reviewed reason"),
                    survived=_INTEGER,
                    score=_described(_NUMBER, "killed, of those that are worse than the kernel"),
                    slips=_described({"type": "object"}, "the same figures by kind of change"),
                    reasons={"type": "object", "additionalProperties": _INTEGER},
                    not_killed=_list(
                        _object(
                            line=_INTEGER, slip=_STRING, original=_STRING, mutant=_STRING, reason=_nullable(_STRING)
                        )
                    ),
                )
            ),
        ),
        "profile": _document("profile", **_PROFILES),
        "report": _document(
            "report",
            rows=_list(
                _object(
                    kernel=_STRING,
                    layer=_STRING,
                    shape=_STRING,
                    exact=_BOOLEAN,
                    chosen=_described(_BOOLEAN, "whether the operator's dispatch picks it for the shape"),
                    hot_loop=_nullable(_object(instructions=_INTEGER, macs=_INTEGER)),
                    profile=_nullable(_PROFILE),
                )
            ),
        ),
        "schemes": _document(
            "schemes",
            parts=_list(_object(name=_STRING, cases=_INTEGER)),
            groups=_described(_list(_list(_STRING)), "schemes that agreed everywhere"),
            pairs=_list(
                _object(
                    first=_STRING,
                    second=_STRING,
                    disagreements=_described(_list(_INTEGER), "cases that differ, by part"),
                    worst=_described(_INTEGER, "the largest difference, in steps of int8"),
                    example=_described(
                        _nullable(_object(accumulator=_INTEGER, scale=_NUMBER, results=_list(_INTEGER))),
                        "the case nearest zero with the largest difference",
                    ),
                )
            ),
        ),
    }
