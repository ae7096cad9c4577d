"""Define the JSON schema of a comparison."""

from __future__ import annotations

from neonlab.report.json.parts import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    Schema,
    described,
    list_of,
    nullable,
    object_of,
)

_FIGURES = object_of(
    instructions=INTEGER,
    loaded_bytes=INTEGER,
    stored_bytes=INTEGER,
    cycles=described({"type": "object", "additionalProperties": INTEGER}, "by core, estimates of models"),
    cycles_low=described({"type": "object", "additionalProperties": INTEGER}, "by core, lower end of the 80 % band"),
    cycles_high=described({"type": "object", "additionalProperties": INTEGER}, "by core, its upper end"),
)
_LINE_COST = nullable(object_of(line=INTEGER, text=STRING, cycles=described(NUMBER, "of an iteration")))
_LOOP_DIFFERENCE = object_of(
    core=STRING,
    shape=STRING,
    before=described(STRING, "kernel that is the baseline"),
    after=STRING,
    cycles_before=described(NUMBER, "of an iteration"),
    cycles_after=NUMBER,
    macs_before=INTEGER,
    macs_after=INTEGER,
    instructions_before=INTEGER,
    instructions_after=INTEGER,
    shared=described(NUMBER, "share of instructions of the same form at the same place"),
    rows=described(
        list_of(object_of(before=_LINE_COST, after=_LINE_COST)),
        "line by line; empty where the loops differ in structure",
    ),
    beside=described(
        object_of(before=list_of(_LINE_COST), after=list_of(_LINE_COST)),
        "the instructions of each loop as they execute, where the loops differ in structure; else empty",
    ),
)


def comparison_properties(failure: Schema, isa: Schema) -> dict[str, Schema]:
    """Return the properties of `neonlab compare --json`, given the schemas of a failure and an instruction set."""
    side = object_of(
        kernel=STRING,
        label=described(STRING, "as rows are labelled: the name, with options of its own or the revision"),
        compiler=described(STRING, "with version and flags; empty for code that was not compiled"),
        isa=isa,
        revision=described(nullable(STRING), "git revision of the code; null: the files as they are now"),
        exact=described(
            nullable(BOOLEAN), "whether the results of a quick check are right; null where nothing was compared"
        ),
        unchecked=described(
            BOOLEAN, "results were compared with nothing, and the contract does not say reference = none"
        ),
        macs=INTEGER,
        figures=described(nullable(_FIGURES), "null where it does not run or does not take the shape"),
        relative=described(
            {"type": "object", "additionalProperties": NUMBER},
            "change of each figure relative to the first kernel of the group, as a fraction",
        ),
        no_difference=described(
            list_of(STRING),
            "cores whose cycles differ from those of the first kernel by no difference that the model can tell: the "
            "change lies inside the 80 % band of the errors of ratios",
        ),
        failure=nullable(failure),
    )
    return {
        "seed": INTEGER,
        "revision": described(nullable(STRING), "commit compared with; null for variants side by side"),
        "cores": list_of(STRING),
        "groups": list_of(object_of(shape=STRING, sides=list_of(side))),
        "loops": list_of(_LOOP_DIFFERENCE),
        "same": described(list_of(STRING), "kernels whose code and contract have not changed"),
        "contracts": described(
            list_of(object_of(kernel=STRING, entries=described(list_of(STRING), "such as args.input.read"))),
            "kernels whose contract has changed",
        ),
        "added": list_of(STRING),
        "removed": list_of(STRING),
    }
