"""Define the JSON Schema of what `neonlab optimize` prints."""

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
from neonlab.report.json.verdict import ISA

_COUNTS: Schema = {"type": "object", "additionalProperties": INTEGER}
_LOOP_FIGURES = object_of(
    cycles=described(NUMBER, "of an iteration in the steady state, all data in the nearest cache"),
    instructions=described(INTEGER, "of the loop"),
    iterations=described(INTEGER, "of the loop as it was, that these instructions do"),
    bounds=described(object_of(ports=NUMBER, dispatch=NUMBER), "cycles of an iteration if this alone limited the loop"),
    mnemonics=described(_COUNTS, "instructions of the loop, by mnemonic"),
)
_LOOP: dict[str, Schema] = {
    "kernel": STRING,
    "isa": ISA,
    "core": STRING,
    "code": described(STRING, "the SHA-256 of the kernel's code and data"),
    "shape": described(STRING, "at which the loop is hot"),
    "loop": described(STRING, "the lines of the loop"),
    "share": described(NUMBER, "of the call's cycles that lies in the loop"),
    "before": _LOOP_FIGURES,
    "after": described(_LOOP_FIGURES, "those of `before` where no cheaper loop was found"),
    "changes": list_of(
        object_of(
            name=STRING,
            places=described(INTEGER, "in the loop"),
            reason=described(STRING, "why it pays"),
        )
    ),
    "ahead": described(INTEGER, "instructions that run an iteration ahead"),
    "least": described(
        object_of(
            any=described(nullable(NUMBER), "of any order"),
            steady=described(
                nullable(NUMBER),
                "of orders in the same registers, of two stages at most, that take the same cycles in every iteration: "
                "the bound of CP-SAT, null where it was not asked about this loop",
            ),
        ),
        "cycles that orders of the instructions of `after` take at least, null where nothing is known",
    ),
    "untried": described(nullable(STRING), "why CP-SAT was not asked, where it could be"),
    "tiles": described(
        list_of(
            object_of(
                kernel=STRING,
                call_cycles=described(INTEGER, "of the whole call at the shape, warm"),
                differences=described(
                    list_of(STRING), "operands of which it wants another layout, or takes fewer values"
                ),
            )
        ),
        "other kernels of the same results whose call takes fewer cycles, the cheapest three",
    ),
    "tried": described(INTEGER, "orders that were costed"),
    "call_cycles": described(object_of(before=INTEGER, after=INTEGER), "of the whole call at the shape, warm"),
    "status": {"enum": ["proved", "exact on all cases, not proved", "no cheaper loop found"]},
    "reason": described(nullable(STRING), "why no more was shown, or found"),
    "shapes_proved": described(INTEGER, "small shapes that run the new code, at which it was proved"),
    "cases_checked": INTEGER,
    "held": described(list_of(STRING), "inputs at the values of one case, for which alone the proof holds"),
    "refused": described(
        list_of(object_of(changes=list_of(STRING), cycles=NUMBER, reason=STRING)), "candidates that were thrown away"
    ),
    "stopped": described(BOOLEAN, "whether Ctrl-C ended the search, so that it tried fewer orders"),
    "diff": described(STRING, "the change as a unified diff, with includes in their places; empty where there is none"),
}
OPTIMIZATION: dict[str, Schema] = {
    "seed": INTEGER,
    "steps": described(INTEGER, "orders that were to be tried"),
    "loops": described(list_of(object_of(**_LOOP)), "one for each kernel on each core"),
}
