"""Decide why a mutant is equivalent to the program: by a rule, or by a reviewer's entry."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.errors import InputError
from neonlab.host.input_file import read_input_text
from neonlab.isa.model.dependence import places_of
from neonlab.isa.model.instruction import BranchKind, Instruction, InstructionClass
from neonlab.isa.model.isa import Isa, general
from neonlab.verify.mutation.clamps import Clamps
from neonlab.verify.mutation.intervals import Intervals
from neonlab.verify.mutation.knowledge import Knowledge
from neonlab.verify.mutation.liveness import bits, live_bytes
from neonlab.verify.mutation.local import LocalComparison, Same
from neonlab.verify.mutation.mutants import Mutant, instructions_of
from neonlab.verify.mutation.paths import PathComparison

SAME_EFFECT = "same effect on every value that is used afterwards"
SAME_CLAMP = "clamps to the same range: the lower limit is not above the upper one"
SAME_ON_THE_WAY = "same effect on every value that is used afterwards, on every path through it"
READS_MORE = "reads more than it needs, within bounds in every case, and does not use it"
NEVER_MATTERS = "the other path has the same result"
PREFETCH = "changes only a prefetch"
#: Every reason that a rule gives; all others were given by a review.
RULES = (SAME_EFFECT, SAME_ON_THE_WAY, SAME_CLAMP, READS_MORE, NEVER_MATTERS, PREFETCH)

# Conditions that never hold at once.
_EXCLUSIVE = {
    frozenset(pair.split())
    for pair in ("eq ne", "hs lo", "hi ls", "hi lo", "hi eq", "mi pl", "vs vc", "ge lt", "gt le", "gt eq")
}
_TURNED_INTO_CALL = {(BranchKind.JUMP, BranchKind.CALL), (BranchKind.CONDITIONAL, BranchKind.CALL)}


class Equivalence:
    """Looks for a reason why mutants of one program cannot be detected."""

    def __init__(self, program: Program, contract: Contract) -> None:
        self._program = program
        self._live = live_bytes(program, contract)
        self._known = Intervals(program, contract)
        self._local = LocalComparison(program.isa)
        self._clamps = Clamps(program, contract, self._known)
        self._paths = PathComparison(program, self._live, self._known, self._local)

    def close(self) -> None:
        """Free the emulator."""
        self._local.close()

    def reason(self, mutant: Mutant) -> str | None:
        """Return the reason why the mutant behaves like the program, None if no rule gives one."""
        old, new = instructions_of(self._program, mutant)
        if all(i.instruction_class is InstructionClass.PREFETCH for i in (*old, *new) if i.mnemonic != "nop"):
            return PREFETCH
        if any(i.branch is not BranchKind.NONE for i in (*old, *new)):
            if len(old) == 1 and (self._same_path(old[0], new[0]) or self._paths.same(old, new)):
                return NEVER_MATTERS
            return None
        known = self._known.before.get(old[0].address, Knowledge())
        same = self._local.compare(old, new, self._live.live_out[old[-1].address], known)
        if same is Same.NO and self._clamps.order_is_free(old, new):
            return SAME_CLAMP
        if same is Same.NO and self._paths.same(old, new):
            return SAME_ON_THE_WAY
        return {Same.YES: SAME_EFFECT, Same.READS_MORE: READS_MORE}.get(same)

    def _same_path(self, old: Instruction, new: Instruction) -> bool:
        """Tell whether another branch target, or writing a return address as well, has no effect."""
        if (old.branch, new.branch) == (BranchKind.RETURN, BranchKind.CALL) or old.mnemonic.startswith("bx"):
            # A return that writes a return address: it is not needed after the return.
            return _returns_as(old, new)
        if (old.branch, new.branch) in _TURNED_INTO_CALL:
            link = bits(places_of(general(30 if old.isa is Isa.A64 else 14), old.isa))
            same = (old.target, old.condition) == (new.target, new.condition)
            return same and not self._live.live_in.get(old.target or 0, link) & link
        kept = (old.mnemonic, old.branch, old.condition, old.reads) == (
            new.mnemonic,
            new.branch,
            new.condition,
            new.reads,
        )
        if not kept or old.target is None or new.target is None or old.branch is BranchKind.CALL:
            return False
        by_address = self._program.by_address
        if new.target == old.target - 4:
            extra = by_address.get(new.target)
            if extra is None or old.target not in self._live.live_in:
                return False
            if extra.branch is BranchKind.CONDITIONAL:
                return frozenset((old.condition, extra.condition)) in _EXCLUSIVE
            return self._local.compare((), (extra,), self._live.live_in[old.target]) is Same.YES
        skipped = by_address.get(old.target)
        if new.target != old.target + 4 or skipped is None:
            return False
        return self._local.compare((skipped,), (), self._live.live_out[old.target]) is Same.YES


def _returns_as(old: Instruction, new: Instruction) -> bool:
    """Tell whether `new` goes where the return `old` goes, on the same condition."""
    names = {"bx": "blx", "ret": "blr"}
    mnemonic = old.mnemonic.removesuffix(old.condition)
    wanted = names.get(mnemonic, "?") + old.condition
    return new.mnemonic == wanted and (new.operands or "x30") == (old.operands or "x30")


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A mutant that a person reviewed, in `places` places of the kernel with this original."""

    kernel: str
    original: str
    mutant: str
    places: int
    reason: str


class ReviewedTable:
    """Reasons by kernel, original and mutant."""

    def __init__(self, entries: Iterable[Reviewed] = ()) -> None:
        self.entries = tuple(entries)

    def reasons(self, kernel: str, survivors: Iterable[Mutant]) -> Mapping[Mutant, str]:
        """Return reasons for those of `survivors` that are reviewed; none if more survive than were reviewed."""
        mutants = list(survivors)
        counts = Counter((mutant.original, mutant.mutant) for mutant in mutants)
        said = {(entry.original, entry.mutant): entry for entry in self.entries if entry.kernel == kernel}
        found = {}
        for mutant in mutants:
            entry = said.get((mutant.original, mutant.mutant))
            if entry is not None and counts[mutant.original, mutant.mutant] <= entry.places:
                found[mutant] = entry.reason
        return found


def read_reviewed(path: Path) -> ReviewedTable:
    """Read the table from a TOML file; it is empty if there is no file.  Raises InputError for a malformed file.

    Each `[[equivalent]]` has `kernel` (as `neonlab list` shows it), `reason`, and `mutants`: by original, then by
    mutant (both disassembly), the number of places that it holds for.
    """
    if not path.exists():
        return ReviewedTable()
    text = read_input_text(path)
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: {error}") from None
    entries: list[Reviewed] = []
    for number, item in enumerate(document.get("equivalent", []), 1):
        try:
            kernel, reason = str(item["kernel"]), str(item["reason"]).strip()
            entries += [
                Reviewed(kernel, original, mutant, int(places), reason)
                for original, mutants in item["mutants"].items()
                for mutant, places in mutants.items()
            ]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}: entry {number} of `equivalent` has no key {error}") from None
        if not reason:
            raise InputError(f"{path}: entry {number} of `equivalent` gives no reason")
    return ReviewedTable(entries)
