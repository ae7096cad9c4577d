"""Define the JSON schemas of a verdict and of its failures."""

from __future__ import annotations

from neonlab.report.json.parts import (
    BOOLEAN,
    INTEGER,
    STRING,
    Schema,
    described,
    list_of,
    nullable,
    object_of,
    optional,
)
from neonlab.verify.verdict import LANES_AND_SUMS, LANES_NOT_SUMS, NEON_LANES

ISA: Schema = {"enum": ["a32", "a64"]}
_WHERE = described(nullable(STRING), "file:line")
_TRAIL = described(list_of(STRING), "macro calls around the line, outermost first")
_FAULT = object_of(
    message=described(STRING, "a plain sentence"),
    address=described(INTEGER, "of the instruction at fault"),
    where=_WHERE,
    instruction=described(STRING, "disassembly, empty where unknown"),
    trail=_TRAIL,
    clause=described(STRING, "clause of the contract or of the call standard that it violates"),
    register=described(nullable(STRING), "register concerned"),
    buffer=described(nullable(STRING), "argument whose memory is concerned"),
    offset=described(nullable(INTEGER), "bytes from the buffer's start, negative before it"),
)
_WRITER = object_of(address=INTEGER, where=STRING, source=STRING, instruction=STRING, trail=_TRAIL)
_MISMATCH = object_of(
    output=described(STRING, "argument that differs from the reference"),
    index=described({"type": "object", "additionalProperties": INTEGER}, "first wrong element, by axis"),
    got=STRING,
    expected=STRING,
    wrong=described(INTEGER, "elements that differ"),
    total=INTEGER,
    offset=described(INTEGER, "of the first wrong element, in bytes"),
    size=described(INTEGER, "of an element, in bytes"),
    map_title=STRING,
    map=described(list_of(STRING), "`.` right, `X` wrong"),
    writer=described(nullable(_WRITER), "instruction that last wrote the element; null where none did"),
)
_EXPLANATION = object_of(
    shape=described(STRING, "shape of the smallest case that fails in this way"),
    inputs=described(list_of(STRING), "the inputs of that case, summarised"),
    got=nullable(STRING),
    expected=nullable(STRING),
    slice=described(nullable({"type": "object"}), "the instructions that computed the wrong element, latest first"),
    text=described(list_of(STRING), "the same as text"),
)
FAILURE = optional(
    object_of(
        identifier=described(STRING, "`mismatch`, or the fault's stable name"),
        shape=STRING,
        pattern=STRING,
        seed=INTEGER,
        fault=_FAULT,
        mismatch=_MISMATCH,
        explanation=_EXPLANATION,
        saved=described(STRING, "the file with the inputs, where no pattern and seed draw them"),
        again=described(STRING, "the command that runs this case again"),
    ),
    "fault",
    "mismatch",
    "explanation",
    "saved",
    "again",
)
COMPILER = described(STRING, "the compiler, with version and flags; only for code that was compiled here")
_VERDICT_WHOLE = object_of(
    kernel=STRING,
    isa=ISA,
    path=STRING,
    passed=described(BOOLEAN, "no case failed, and results were compared unless the contract says reference = none"),
    status=described(
        {"enum": ["exact", "exact in part", "ran", "unchecked", "wrong"]},
        "exact in part: some code ran in no case; ran: no fault, results not compared, as the contract says; "
        "unchecked: no fault, nothing to compare with",
    ),
    has_reference=described(BOOLEAN, "whether results were compared; false: only faults were looked for"),
    cases=INTEGER,
    failed=INTEGER,
    seed=INTEGER,
    failures=described(list_of(FAILURE), "each kind once"),
    ranges=described(
        nullable(
            object_of(
                status={"enum": ["safe", "wraps", "undecided"]},
                shape=STRING,
                note=STRING,
                scope=described(
                    {"enum": [NEON_LANES, LANES_AND_SUMS, LANES_NOT_SUMS]},
                    "what the answer covers; `not scalar sums` where arithmetic of general registers on data "
                    "could not be judged",
                ),
            )
        ),
        "whether any input within the declared ranges makes a lane wrap at that shape; asked where all cases passed",
    ),
    not_run=described(
        nullable(object_of(instructions=INTEGER, of=INTEGER, lines=list_of(STRING))),
        "reachable instructions that no case executed, of all; null where all were executed or a case failed",
    ),
    accepted=described(
        list_of(object_of(fault=STRING, where=STRING, why=STRING, cases=INTEGER)),
        "accepted faults, each with the number of cases that showed it; with 0 cases the entry is out of date",
    ),
    compiler=COMPILER,
    advice=described(STRING, "what to do about a kernel whose results were not compared; only for such a kernel"),
)
VERDICT = optional(_VERDICT_WHOLE, "compiler", "advice")
