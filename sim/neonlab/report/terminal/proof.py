"""Print what was proved to a terminal of 80 columns."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from neonlab.prove.proof import EverySize, Proof, ProofStatus, ShapeProof
from neonlab.report.terminal.verdict import print_failure, shown_path

_STYLES = {
    ProofStatus.PROVED: "green",
    ProofStatus.PROVED_WITH_ERROR: "green",
    ProofStatus.REFUTED: "bold red",
    ProofStatus.NOT_PROVED: "yellow",
}
#: The width of the words that are short.
_WIDTH = len(ProofStatus.NOT_PROVED.value) + 2
#: Reasons that are printed of one kernel; further ones are counted.
_MOST_REASONS = 4


def print_proofs(out: Console, proofs: Sequence[Proof]) -> None:
    """Print a line for each kernel, what is missing, and a total."""
    for proof in proofs:
        print_proof(out, proof)
    counts = Counter(proof.status for proof in proofs)
    total = ", ".join(f"{counts[status]} {status.value}" for status in ProofStatus if counts[status])
    shapes = sum(len(proof.shapes) for proof in proofs)
    out.print(f"{len(proofs)} kernel{'s' * (len(proofs) != 1)}, {shapes} shape{'s' * (shapes != 1)}: {total}")


def print_proof(out: Console, proof: Proof, *, whole: bool = True) -> None:
    """Print a line for a kernel, and what was shown; of a proof that is not `whole`, only how far it has come."""
    line = Text()
    if not whole:
        out.print(f"{'proving':<{_WIDTH}}{proof.kernel}  {len(proof.shapes)} shapes so far", markup=False)
        return
    word = proof.status.value
    line.append(f"{word:<{_WIDTH}}" if len(word) < _WIDTH else f"{word}  ", _STYLES[proof.status])
    proved, total = sum(shape.status.is_proof for shape in proof.shapes), len(proof.shapes)
    where = f"at {proof.shapes[0].shape}" if total == 1 else f"at {proved} of {total} shapes"
    line.append(f"{proof.kernel}  {where}")
    out.print(line)
    if proof.status.is_proof:
        for text in _statement(proof):
            out.print(f"      {text}", markup=False)
    for one in proof.every:
        _print_every(out, one)
    for refuted in proof.of(ProofStatus.REFUTED)[:1]:
        if refuted.failure is not None:
            print_failure(out, proof.called, refuted.failure)
    _print_reasons(out, proof.of(ProofStatus.NOT_PROVED))


def _statement(proof: Proof) -> list[str]:
    """Return what a proof says, and for which inputs it does not."""
    every = "every input that the contract allows"
    wraps = next((shape.wraps for shape in proof.shapes if shape.wraps is not None), None)
    reference = f"the C reference `{proof.c_reference}`" if proof.c_reference else "the reference"
    lines = [f"equal to {reference} for {every}" + ("" if wraps else "; no NEON lane wraps")]
    if proof.held:
        names = ", ".join(proof.held)
        lines.append(f"with {names} as drawn with seed {proof.shapes[0].seed}, not as any value")
    if proof.filling:
        lines.append(f"with the filling of {', '.join(proof.filling)} as it is packed, not as any value")
    errors = [shape.error for shape in proof.shapes if shape.error is not None]
    if errors:
        lines.append(f"the chance that different sums pass for equal is below 2^{math.ceil(max(errors))} at a shape")
    if wraps is not None:
        lines.append(f"a sum may leave its lane and come back: {shown_path(wraps.where)}: {wraps.text}")
    return lines


def _print_every(out: Console, every: EverySize) -> None:
    """Print what was shown for every value of a size."""
    greatest = every.greatest
    if not every.status.is_proof or greatest is None:
        place = f"{shown_path(every.where)}: " if every.where else ""
        text = f"      not proved for every {every.dimension} from {every.shape} on: {place}{every.reason}"
        out.print(Text(text, "yellow"))
        return
    steps = f" in steps of {every.block}" if every.block > 1 else ""
    sizes = "x".join("N" if n == every.dimension else str(s) for n, s in every.shape.values().items())
    text = f"{every.status.value} at {sizes} for every {every.dimension} N from {every.first} to {every.last}{steps},"
    out.print(Text(f"      {text}", _STYLES[every.status]))
    shown = ", ".join(map(str, every.shown))
    lines = [
        f"if its reference is a sum over {every.dimension}, to which zeros add nothing",
        f"(this was seen at N = {shown}, and is assumed of all others)",
    ]
    if greatest.held:
        lines.append(f"with {', '.join(greatest.held)} as drawn with seed {greatest.seed} at {greatest.shape}")
    if greatest.filling:
        lines.append(f"with the filling of {', '.join(greatest.filling)} as it is packed")
    lines.append("no NEON lane wraps" if greatest.wraps is None else "a sum may leave its lane and come back")
    if every.error is not None:
        lines.append(f"the chance that this is wrong is below 2^{math.ceil(every.error)}")
    for line in lines:
        out.print(f"        {line}", markup=False)


def _print_reasons(out: Console, shapes: Sequence[ShapeProof]) -> None:
    reasons: dict[tuple[str, str], list[ShapeProof]] = {}
    for shape in shapes:
        reasons.setdefault((shape.where, shape.reason), []).append(shape)
    for (where, reason), found in list(reasons.items())[:_MOST_REASONS]:
        at = f"{found[0].shape}" + (f" and {len(found) - 1} more" if len(found) > 1 else "")
        place = f"{shown_path(where)}: " if where else ""
        out.print(Text(f"      {at}: {place}{reason}", "yellow"))
    if len(reasons) > _MOST_REASONS:
        out.print(f"      and {len(reasons) - _MOST_REASONS} more reasons; --json has them all", markup=False)
