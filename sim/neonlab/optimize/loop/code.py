"""The code of a loop while it is changed: its instructions one by one, and what may be used around them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from neonlab.assemble.encode.encoder import Encoder, EncoderStatement
from neonlab.errors import InputError
from neonlab.isa.decode import decode_word
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa, Register

_VECTOR_A64 = re.compile(r"(?<![\w#.])([vqdshb])(\d+)(?![\w])")
_VECTOR_A32 = re.compile(r"(?<![\w#.])([qd])(\d+)(?![\w])")


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction of a loop.

    `written` is the statement as the source has it, macro arguments replaced; "" for one that was made or changed here.
    `comment` is what the source says behind it.
    """

    instruction: Instruction
    written: str = ""
    comment: str = ""

    @property
    def text(self) -> str:
        """Return the instruction as text."""
        return self.instruction.text


@dataclass(frozen=True, slots=True)
class Change:
    """A rewrite that was made: its name, how many places it changed, and why it pays."""

    name: str
    places: int
    reason: str


@dataclass(frozen=True, slots=True)
class Unrolled:
    """Hold what stands around a loop whose body does `times` iterations, for the iterations that are left.

    `compare` tells whether there are as many: where not, the branch on `few` goes to the loop of one iteration at a
    time.  `lower` takes what the other iterations need off the counter, so that the branch on `again` goes back while
    `times` more are left.  Behind the loop, `restore` gives the counter its own value, and the branch on `done` leaves
    out the loop of one iteration, which is `body`, if nothing is left.
    """

    times: int
    compare: Step
    few: str
    lower: Step
    again: str
    restore: Step
    done: str
    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class LoopCode:
    """A loop of straight-line code: `body` runs in this order, then `branch` goes back.

    `before` runs once ahead of the loop, `after` once behind it.  `kept` are the registers whose value at the head or
    behind the loop matters.  `free` are those that may be used besides those that the body writes.  `cleared` are those
    that hold zero when the loop is entered.  `buffers` has those that each base register may point into.  `changes`
    says what was rewritten so far.  `unrolled` is None where the body does one iteration.
    """

    isa: Isa
    body: tuple[Step, ...]
    branch: Step
    kept: frozenset[Register]
    free: frozenset[Register]
    buffers: Mapping[Register, frozenset[str]]
    cleared: frozenset[Register] = frozenset()
    before: tuple[Step, ...] = ()
    after: tuple[Step, ...] = ()
    changes: tuple[Change, ...] = ()
    unrolled: Unrolled | None = None

    @property
    def times(self) -> int:
        """Return the iterations of the kernel's loop that the body does."""
        return self.unrolled.times if self.unrolled is not None else 1

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        """Return the instructions of the loop at consecutive addresses from 0, the branch to the first."""
        placed = [replace(step.instruction, address=4 * at) for at, step in enumerate(self.body)]
        return (*placed, replace(self.branch.instruction, address=4 * len(placed), target=0))

    def changed(self, change: Change, body: Iterable[Step]) -> LoopCode:
        """Return the loop with another body, and the change noted."""
        return replace(self, body=tuple(body), changes=(*self.changes, change))


def made_steps(isa: Isa, texts: Sequence[str]) -> list[Step]:
    """Return steps of the texts.  Raises InputError for one that is no instruction."""
    if not texts:
        return []
    with Encoder(isa) as encoder:
        words = encoder.encode([EncoderStatement(text, 0) for text in texts])
    found = []
    for text, word in zip(texts, words, strict=True):
        if not isinstance(word, int):
            raise InputError(f"`{text}` cannot be encoded: {word.message}")
        found.append(Step(decode_word(isa, word, 0)))
    return found


def with_vectors(text: str, isa: Isa, number_of: Callable[[int], int]) -> str:
    """Return the text of an instruction with other vector registers.

    `number_of` maps the number of a register to another: of v0-v31 in A64, of d0-d31 in A32, where q1 is d2 and d3.
    """
    mnemonic, _, operands = text.partition(" ")
    if isa is Isa.A64:
        return f"{mnemonic} {_VECTOR_A64.sub(lambda one: f'{one[1]}{number_of(int(one[2]))}', operands)}"

    def other(one: re.Match[str]) -> str:
        number = int(one[2])
        return f"q{number_of(2 * number) // 2}" if one[1] == "q" else f"d{number_of(number)}"

    return f"{mnemonic} {_VECTOR_A32.sub(other, operands)}"


def vectors_named(text: str, isa: Isa) -> list[tuple[int, ...]]:
    """Return the vector registers that each operand names, which must stay side by side: (2, 3) for q1 in A32."""
    operands = text.partition(" ")[2]
    found: list[tuple[int, ...]] = []
    for part in re.findall(r"\{[^}]*\}|[^{}]+", operands):
        one = []
        for kind, number in (_VECTOR_A64 if isa is Isa.A64 else _VECTOR_A32).findall(part):
            at = int(number)
            one.append((2 * at, 2 * at + 1) if kind == "q" and isa is Isa.A32 else (at,))
        if part.startswith("{"):
            whole = tuple(number for several in one for number in several)
            if re.search(r"[vqd]\d+(\.\w+)?\s*-", part) and len(whole) == 2:
                whole = tuple(range(whole[0], whole[1] + 1))
            found.append(whole)
        else:
            found += one
    return [one for one in found if one]
