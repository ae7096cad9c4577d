"""JSON schema of a verdict, and of the failures that it tells of."""

from __future__ import annotations

from neonlab.report.schema_parts import (
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

ISA: Schema = {"enum": ["a32", "a64"]}
_WHERE = described(nullable(STRING), "file:line")
_TRAIL = described(list_of(STRING), "macro calls around the line, outermost first")
_FAULT = object_of(
    message=described(STRING, "a plain sentence"),
    address=described(INTEGER, "of the instruction at fault"),
    where=_WHERE,
    instruction=described(STRING, "disassembly, empty where unknown"),
    trail=_TRAIL,
    clause=described(STRING, "what of the contract or the call standard it breaks"),
    register=described(nullable(STRING), "register that is concerned"),
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
    shape=described(STRING, "of the smallest case that fails alike"),
    inputs=described(list_of(STRING), "what is left of each input"),
    got=nullable(STRING),
    expected=nullable(STRING),
    slice=described(nullable({"type": "object"}), "the instructions that made the wrong element, latest first"),
    text=described(list_of(STRING), "the same to be read"),
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
    ),
    "fault",
    "mismatch",
    "explanation",
)
COMPILER = described(STRING, "what made the code, with its version and flags; only where it was compiled here")
_VERDICT_WHOLE = object_of(
    kernel=STRING,
    isa=ISA,
    path=STRING,
    passed=BOOLEAN,
    has_reference=described(BOOLEAN, "whether results were compared, or only faults looked for"),
    cases=INTEGER,
    failed=INTEGER,
    seed=INTEGER,
    failures=described(list_of(FAILURE), "each kind once"),
    ranges=described(
        nullable(object_of(status={"enum": ["safe", "wraps", "undecided"]}, shape=STRING, note=STRING)),
        "whether any input within the declared ranges makes a lane wrap; asked where all cases passed",
    ),
    not_run=described(
        nullable(object_of(instructions=INTEGER, of=INTEGER, lines=list_of(STRING))),
        "instructions within reach that no case ran, of all within reach; null where all ran, and where cases failed",
    ),
    compiler=COMPILER,
)
VERDICT = optional(_VERDICT_WHOLE, "compiler")
