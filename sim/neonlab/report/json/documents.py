"""Define the JSON Schema (draft 2020-12) of each command's --json output, for the documentation and for tests."""

from __future__ import annotations

from neonlab.report.json.board import BOARD
from neonlab.report.json.comparison import comparison_properties
from neonlab.report.json.cores import COMPARISON, CORE, FUNCTIONS, LEFT_OUT
from neonlab.report.json.forms import FORM
from neonlab.report.json.network import NETWORK
from neonlab.report.json.optimization import OPTIMIZATION
from neonlab.report.json.parts import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    Schema,
    described,
    document,
    list_of,
    nullable,
    object_of,
    optional,
)
from neonlab.report.json.profile import PROFILE, PROFILES
from neonlab.report.json.quantize import QUANTIZE
from neonlab.report.json.verdict import FAILURE, ISA, VERDICT

_COUNTS = {"type": "object", "additionalProperties": INTEGER}
_ENDS = described(
    nullable(list_of(INTEGER)), "offsets from the pointer of the first byte and of the byte after the last"
)

_PROOF_STATUS = {"enum": ["proved", "proved with error below 2^-50", "refuted", "not proved"]}

_ASM = document(
    "asm",
    path=STRING,
    isa=ISA,
    rows=list_of(
        object_of(
            section=STRING,
            address=described(INTEGER, "offset in the section"),
            bytes=described(STRING, "hexadecimal, in memory order"),
            disassembly=STRING,
            where=STRING,
            source=STRING,
        )
    ),
)
_CACHE = document(
    "cache",
    folder=described(nullable(STRING), "null where NEONLAB_CACHE is off"),
    bytes=described(INTEGER, "that the folder's files take"),
    removed=described(INTEGER, "results removed by --clean"),
    kinds=list_of(object_of(kind=STRING, results=INTEGER, bytes=INTEGER)),
)
_SYMBOLS = document(
    "symbols",
    path=STRING,
    objects=list_of(
        object_of(
            title=described(STRING, "the file, or archive(member)"),
            isa=ISA,
            shared=BOOLEAN,
            functions=list_of(
                object_of(
                    name=STRING,
                    demangled=STRING,
                    address=described(INTEGER, "offset in the section; in a shared object the address there"),
                    size=described(INTEGER, "bytes, 0 where the object does not say"),
                    section=STRING,
                    binding={"enum": ["local", "global", "weak", "other"]},
                    state={"enum": ["a64", "a32", "thumb"]},
                    where=described(nullable(STRING), "file:line of the first instruction"),
                )
            ),
            undefined=list_of(
                object_of(
                    name=STRING,
                    demangled=STRING,
                    weak=BOOLEAN,
                    users=described(list_of(STRING), "functions, or sections of data, that refer to it"),
                )
            ),
            constructors=described(list_of(STRING), "sections of functions that a loader would call"),
        )
    ),
)
_BENCH = document(
    "bench",
    shape=STRING,
    results=list_of(
        object_of(
            kernel=STRING,
            instructions=described(INTEGER, "executed in one call"),
            bare=described(INTEGER, "guest instructions per second, without instrumentation"),
            counts=described(INTEGER, "the same with counts"),
            python_hooks=described(INTEGER, "the same with counts taken by Python hooks"),
            counts_of_bare=NUMBER,
            counts_over_python_hooks=NUMBER,
            traffic=described(INTEGER, "the same with counts and traffic"),
            traffic_of_bare=NUMBER,
            core=described(STRING, "that was modelled"),
            caches=described(INTEGER, "the same with counts, traffic and caches"),
            caches_of_bare=NUMBER,
            pipeline=described(INTEGER, "the same with counts, traffic, caches and cycles"),
            pipeline_of_bare=NUMBER,
            accesses=described(INTEGER, "memory accesses in one call"),
            sanitizer=described(INTEGER, "guest instructions per second with the sanitizer"),
            sanitizer_of_bare=NUMBER,
            sanitizer_and_lanes=described(INTEGER, "the same with every check on"),
            save=described(
                object_of(
                    layer=STRING,
                    tile=described(STRING, "the part of the layer that is shown first"),
                    cores=list_of(STRING),
                    heard=described(NUMBER, "seconds from the write until it is noticed"),
                    shown=described(NUMBER, "seconds from the write until verdict, counts and cycles are shown"),
                    processor=described({"type": "object", "additionalProperties": NUMBER}, "CPU seconds, by step"),
                ),
                "after a save of the kernel's file, as `neonlab watch` sees it",
            ),
        )
    ),
    load=described(
        nullable(object_of(bytes=INTEGER, sections=INTEGER, relocations=INTEGER, seconds=NUMBER)),
        "null with --workers; a generated object, loaded into memory with every relocation applied",
    ),
    units=described(
        list_of(
            object_of(
                workers=INTEGER,
                units=INTEGER,
                pool=described(NUMBER, "units a second in processes of this machine"),
                pool_busy=described(NUMBER, "the share of the workers' time that went to the units"),
                pool_overhead=described(NUMBER, "the rest, in seconds of a worker for each unit"),
                cluster=described(NUMBER, "the same on a cluster of as many processes"),
                cluster_busy=NUMBER,
                cluster_overhead=NUMBER,
            )
        ),
        "with --workers",
    ),
    library=described(
        list_of(
            object_of(
                work=described(STRING, "as the command is called; costs are those of all layers on all cores"),
                items=described(INTEGER, "mutants, or shapes to prove, or calls"),
                kernels=INTEGER,
                units=INTEGER,
                sampled=described(INTEGER, "units that were run"),
                unit=described(NUMBER, "processor seconds of one, in the mean"),
                longest=described(NUMBER, "processor seconds of the longest that was run"),
                prepared=described(NUMBER, "processor seconds in which a worker prepares for a kernel"),
                before=described(NUMBER, "processor seconds of the command before the first unit"),
                whole=described(NUMBER, "processor seconds of all units"),
            )
        ),
        "with --library",
    ),
)
_CONTRACT = document(
    "contract",
    path=STRING,
    contract=described(STRING, "TOML, with `?` where a person has to fill in a value"),
    blanks=described(list_of(STRING), "arguments and fields with such a `?`"),
    runs=list_of(
        object_of(
            numbers=described({"type": "object", "additionalProperties": INTEGER}, "the integer arguments of the run"),
            touched={"type": "object", "additionalProperties": object_of(read=_ENDS, write=_ENDS)},
        )
    ),
)
_LIST = document(
    "list",
    root=described(STRING, "the repository"),
    kernels=list_of(
        object_of(
            kernel=STRING,
            isa=ISA,
            path=STRING,
            operator=described(nullable(STRING), "the operator whose reference computes the expected results"),
            level=described(STRING, "the extension beyond NEON that it needs, or neon"),
            summary=STRING,
            prototype=STRING,
            architecture=STRING,
            features=list_of(STRING),
        )
    ),
    dispatches=list_of(
        object_of(
            name=STRING,
            members=list_of(STRING),
            reason=STRING,
            cores=described(
                {"type": "object", "additionalProperties": STRING},
                "by core, the member that is picked there in place of what is picked elsewhere",
            ),
        )
    ),
    counts=described(
        object_of(isa=_COUNTS, operator=_COUNTS, level=_COUNTS),
        "number of kernels listed, by each of these properties",
    ),
)
_MUTANT_PROOF = object_of(
    fate={"enum": ["different", "equal", "open"]},
    shapes=described(list_of(STRING), "the shapes that it was tried at"),
    held=described(list_of(STRING), "inputs at the values of one case, for which alone this holds"),
    filling=described(list_of(STRING), "packed arrays whose filling is held at what is packed there"),
    reason=described(nullable(STRING), "why it is open"),
    failure=described(
        nullable(object_of(identifier=STRING, shape=STRING, saved=nullable(STRING))),
        "on the inputs that make it fail, and the name of the file with them",
    ),
)
_MUTATE = document(
    "mutate",
    seed=INTEGER,
    kernels=list_of(
        optional(
            object_of(
                kernel=STRING,
                isa=ISA,
                made=described(INTEGER, "mutants generated"),
                mutants=described(INTEGER, "mutants tried"),
                killed=described(INTEGER, "mutants that fail on some case"),
                equivalent=described(INTEGER, "mutants that are harmless by a rule or a reviewed reason"),
                survived=INTEGER,
                score=described(NUMBER, "killed mutants, of those not equivalent"),
                slips=described({"type": "object"}, "the same figures by kind of change"),
                reasons=_COUNTS,
                proofs=described(
                    object_of(different=INTEGER, equal=INTEGER, open=INTEGER),
                    "of the mutants that were not killed: inputs make it fail, its results are the kernel's for all "
                    "inputs at the shapes tried, or neither; only with --prove",
                ),
                not_killed=list_of(
                    optional(
                        object_of(
                            line=INTEGER,
                            slip=STRING,
                            original=STRING,
                            mutant=STRING,
                            reason=nullable(STRING),
                            proof=_MUTANT_PROOF,
                        ),
                        "proof",
                    )
                ),
            ),
            "proofs",
        )
    ),
)
_EVERY = object_of(
    size=described(STRING, "the size that --every names"),
    shape=described(STRING, "the shape from which the values of the size follow"),
    status=_PROOF_STATUS,
    first=described(nullable(INTEGER), "least value of the size; null where nothing is proved, as in the next two"),
    block=described(nullable(INTEGER), "from one value to the next"),
    last=described(nullable(INTEGER), "greatest value"),
    assumed=described(nullable(STRING), "what the proof takes for granted"),
    reference_seen_at=described(list_of(INTEGER), "values at which that was seen"),
    held=described(
        list_of(STRING), "inputs at the values of the case of the greatest size, for which alone this holds"
    ),
    log2_error=described(nullable(NUMBER), "of a bound on the chance that this is wrong; null where there is none"),
    reason=described(nullable(STRING), "why nothing was proved"),
    where=described(nullable(STRING), "file:line that the reason is about"),
)
_PROVE = document(
    "prove",
    seed=INTEGER,
    proofs=list_of(
        object_of(
            kernel=STRING,
            isa=ISA,
            path=STRING,
            status=_PROOF_STATUS,
            proved=described(INTEGER, "shapes"),
            proved_with_error=described(INTEGER, "shapes"),
            refuted=described(INTEGER, "shapes"),
            not_proved=described(INTEGER, "shapes"),
            shapes=list_of(
                object_of(
                    shape=STRING,
                    status=_PROOF_STATUS,
                    seed=INTEGER,
                    held=described(list_of(STRING), "inputs at the values of one case, for which alone this holds"),
                    filling=described(list_of(STRING), "packed arrays whose filling is held at what is packed there"),
                    steps=described(INTEGER, "instructions of the path"),
                    results=described(INTEGER, "elements compared"),
                    enumerated=described(INTEGER, "values of a few parts at which functions of them were compared"),
                    log2_error=described(
                        nullable(NUMBER),
                        "of a bound on the chance that different sums pass for equal; null where sums are written out",
                    ),
                    lane_may_wrap=described(
                        nullable(object_of(where=STRING, instruction=STRING)),
                        "a sum that may leave its lane in between; null if none does",
                    ),
                    reason=described(nullable(STRING), "why nothing was proved"),
                    where=described(nullable(STRING), "file:line that the reason is about"),
                    failure=described(nullable(FAILURE), "on the inputs that refute it"),
                )
            ),
            every=list_of(_EVERY),
        )
    ),
)
_REPORT = document(
    "report",
    rows=list_of(
        object_of(
            kernel=STRING,
            layer=STRING,
            shape=STRING,
            exact=BOOLEAN,
            chosen=described(BOOLEAN, "whether the operator's dispatch picks it for the shape"),
            hot_loop=nullable(object_of(instructions=INTEGER, macs=INTEGER)),
            profile=nullable(PROFILE),
        )
    ),
)
_SCHEMES = document(
    "schemes",
    parts=list_of(object_of(name=STRING, cases=INTEGER)),
    groups=described(list_of(list_of(STRING)), "schemes that agreed everywhere"),
    pairs=list_of(
        object_of(
            first=STRING,
            second=STRING,
            disagreements=described(list_of(INTEGER), "cases that differ, by part"),
            worst=described(INTEGER, "the largest difference, in steps of int8"),
            example=described(
                nullable(object_of(accumulator=INTEGER, scale=NUMBER, results=list_of(INTEGER))),
                "the case with the largest difference; of several the one nearest zero",
            ),
        )
    ),
)


def schemas() -> dict[str, Schema]:
    """Return the schema of each command that has --json, by the name of the command."""
    return {
        "asm": _ASM,
        "symbols": _SYMBOLS,
        "bench": _BENCH,
        "board": document("board", **BOARD),
        "cache": _CACHE,
        "check": document("check", seed=INTEGER, verdicts=list_of(VERDICT)),
        "compare": document("compare", **comparison_properties(FAILURE, ISA)),
        "contract": _CONTRACT,
        "cores": optional(
            document(
                "cores",
                cores=list_of(CORE),
                comparisons=list_of(COMPARISON),
                functions=FUNCTIONS,
                left_out=LEFT_OUT,
            ),
            "functions",
            "left_out",
        ),
        "forms": document("forms", pattern=STRING, forms=list_of(FORM)),
        "list": _LIST,
        "mutate": _MUTATE,
        "network": document("network", **NETWORK),
        "quantize": document("quantize", **QUANTIZE),
        "optimize": document("optimize", **OPTIMIZATION),
        "prove": _PROVE,
        "profile": document("profile", **PROFILES),
        "report": _REPORT,
        "schemes": _SCHEMES,
    }
