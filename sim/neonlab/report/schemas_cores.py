"""JSON schemas of a core and of how its model compares with measured timings."""

from __future__ import annotations

from neonlab.report.schema_parts import BOOLEAN, INTEGER, NUMBER, STRING, described, list_of, nullable, object_of

_MODEL_ERROR = object_of(
    against=described({"enum": ["silicon", "llvm-mca", "functions"]}, "what the figures were compared with"),
    figures=INTEGER,
    within_5_percent=INTEGER,
    held_out_within_5_percent=described(nullable(INTEGER), "by a core that does not know the form they are of"),
    median_error=described(NUMBER, "of the relative error's size"),
)
_CACHE_SHAPE = object_of(size=INTEGER, ways=INTEGER, line=INTEGER)
CORE = object_of(
    core=STRING,
    title=STRING,
    in_order=BOOLEAN,
    width=described(INTEGER, "instructions or operations issued or dispatched in a cycle"),
    window=described(INTEGER, "operations between dispatch and retirement; 0 in order"),
    ports=list_of(STRING),
    peak_macs_per_cycle=described(NUMBER, "int8 multiply-accumulates a cycle, by the model"),
    peak_instruction=STRING,
    caches=object_of(l1i=_CACHE_SHAPE, l1d=_CACHE_SHAPE, l2=_CACHE_SHAPE),
    errors=described(list_of(_MODEL_ERROR), "how far the model was off"),
    sources=described(list_of(STRING), "of the pipeline's figures"),
)
COMPARISON = object_of(
    core=STRING,
    error=_MODEL_ERROR,
    counts=list_of(object_of(kind=STRING, what={"enum": ["latency", "rate"]}, within=INTEGER, figures=INTEGER)),
    outside=described(
        list_of(
            object_of(
                form=STRING,
                kind=STRING,
                what={"enum": ["latency", "rate"]},
                measured=NUMBER,
                modelled=NUMBER,
                reason=STRING,
            )
        ),
        "figures that differ by more than 5 %",
    ),
    left_out=described(list_of(object_of(form=STRING, reason=STRING)), "rows that are no test of the model"),
)
FUNCTIONS = described(
    object_of(
        summaries=list_of(
            object_of(
                title=described(STRING, "a core, or how cores issue"),
                figures=INTEGER,
                within_5_percent=INTEGER,
                within_10_percent=INTEGER,
                within_measured_range=described(INTEGER, "of those too whose measured figure is a range"),
                median_error=described(NUMBER, "of the error's size"),
                llvm_mca=described(
                    nullable(object_of(loops=INTEGER, median_error=NUMBER, llvm_mca_median_error=NUMBER)),
                    "where llvm-mca has a figure too: the model's median error, and llvm-mca's",
                ),
            )
        ),
        figures=list_of(
            object_of(
                function=STRING,
                file=STRING,
                isa=described(STRING, "empty where it could not be read"),
                core=STRING,
                unit=described(STRING, "of work, that the cycles are for"),
                measured=described(list_of(NUMBER), "lowest and highest, of cycles a unit"),
                modelled=nullable(NUMBER),
                error=described(nullable(NUMBER), "relative to the middle of what was measured"),
                llvm_mca=described(nullable(NUMBER), "cycles a unit"),
                unknown_mnemonics=described(list_of(STRING), "of forms that the core's table does not have"),
                reason=described(STRING, "why there is no figure of the model"),
                source=described(STRING, "of what was measured"),
            )
        ),
    ),
    "whole functions measured on silicon: cores --functions",
)
