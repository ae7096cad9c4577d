"""Write the output of `neonlab mutate`: figures for each kernel, and every surviving or equivalent mutant."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from neonlab import __version__
from neonlab.report.tables.records import records_by_kernel
from neonlab.verify.mutation.equivalence import RULES
from neonlab.verify.mutation.text import SLIPS

#: What a proof says of a mutant that is not killed.
_FATES = ("different", "equal", "open")
_WORDS = (
    "",
    "Mutants that were not killed, whatever the reason, were compared with the kernel by `--prove`. *Different*:",
    "inputs were found, and run, for which it fails, so a case is missing. *Equal*: its results are those of the",
    "kernel for every input that the contract allows, at the shapes tried. *Open*: neither.",
)
_EXAMPLES = {
    "register": "a neighbouring or another live register as an operand; a list shifted, shortened or extended",
    "lane": "one more, one less, or 0",
    "immediate": "one more, one less, one element more or less, or 0; a branch target off by one instruction",
    "order": "two adjacent instructions that depend on each other change places",
    "size": "another arrangement or element size, half or full register, 32 for 64 bits",
    "mnemonic": "`smlal` for `smull`, `sub` for `add`, `hi` for `hs`, no condition, no write-back, ...",
    "dropped": "replaced by `nop`",
}

Results = Sequence[Mapping[str, Any]]


def merged(old: Path, new: Results, every_kernel: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return the results of document `old` replaced by the new ones, for the kernels that still exist.

    Raises InputError if `old` is not such a document.
    """
    results = records_by_kernel(old, "mutate")
    results.update({result["kernel"]: result for result in new})
    return [results[kernel] for kernel in every_kernel if kernel in results]


def json_document(results: Results, seed: int) -> str:
    """Return the text of reports/mutants.json."""
    document = {"command": "mutate", "neonlab": __version__, "seed": seed, "kernels": list(results)}
    return json.dumps(document, indent=1) + "\n"


def total(results: Results) -> Mapping[str, Any]:
    """Return the figures of all kernels together."""
    sums = {name: sum(result[name] for result in results) for name in ("mutants", "killed", "equivalent", "survived")}
    worse = sums["mutants"] - sums["equivalent"]
    return {**sums, "score": sums["killed"] / worse if worse else 1.0}


def score_text(score: float) -> str:
    """Return a share in percent, which shows 100 only for all."""
    return "100 %" if score == 1 else f"{min(100 * score, 99.99):.2f} %"


def _row(name: str, figures: Mapping[str, Any], proofs: Sequence[str] = ()) -> str:
    numbers = [f"{figures[key]:,}" for key in ("mutants", "killed", "equivalent", "survived")]
    return "| " + " | ".join((name, *numbers, score_text(figures["score"]), *proofs)) + " |"


def _proofs(results: Results, shown: bool) -> list[str]:
    """Return the columns of proofs for a row of these results; none unless `shown`, dashes where none were made."""
    if not shown:
        return []
    made = [result["proofs"] for result in results if "proofs" in result]
    return [f"{sum(proof[fate] for proof in made):,}" if made else "–" for fate in _FATES]


def _is_whole(result: Mapping[str, Any]) -> bool:
    return bool(result["mutants"] == result["made"])


def _tables(results: Results, heading: str) -> list[str]:
    """Return tables of the kernels with every mutant tried, and of those with a sample tried."""
    whole = [result for result in results if _is_whole(result)]
    some = [result for result in results if not _is_whole(result)]
    proved = any("proofs" in result for result in results)
    if proved:
        title, rule = heading.split("\n")
        heading = f"{title} {' | '.join(_FATES)} |\n{rule}{'---:|' * len(_FATES)}"
    lines = []
    if whole:
        lines += ["Every mutant tried:", "", heading.format("kernel")]
        lines += [_row(result["kernel"], result, _proofs([result], proved)) for result in whole]
        lines += [_row(f"{len(whole)} kernels", total(whole), _proofs(whole, proved)), ""]
    if some:
        lines += ["A random sample of the mutants tried, of the kernel as it was when the sample was drawn:"]
        lines += ["", heading.format("kernel")]
        lines += [
            _row(f"{result['kernel']}, of {result['made']:,}", result, _proofs([result], proved)) for result in some
        ]
        made = sum(result["made"] for result in some)
        lines += [_row(f"{len(some)} kernels, of {made:,}", total(some), _proofs(some, proved)), ""]
    return lines


def markdown_document(results: Results) -> str:
    """Return the text of reports/mutants.md."""
    heading = "| {} | mutants | killed | equivalent | survived | score |\n|---|---:|---:|---:|---:|---:|"
    lines = [
        "# Mutants",
        "",
        "Generated by `neonlab mutate --into reports`; do not edit. A mutant is a kernel with one changed instruction;",
        "the change is made in the encoded instructions. *Killed*: a plain `neonlab check` fails on the mutant.",
        "*Equivalent*: the mutant is harmless, for a reason that is given below. *Survived*: neither. Such a mutant is",
        "harmless for an unknown reason, or a case is missing. *Score*: killed mutants, of those not equivalent.",
        *(_WORDS if any("proofs" in result for result in results) else ()),
        "",
        *_tables(results, heading),
        "All mutants, by kind of change:",
        "",
        heading.format("slip"),
    ]
    for slip in SLIPS:
        of_slip = [result["slips"][slip] for result in results]
        lines.append(_row(f"{slip}: {_EXAMPLES[slip]}", total(of_slip)))
    lines.append(_row("all", total(results)))
    reasons: Counter[str] = Counter()
    for result in results:
        reasons.update(result["reasons"])
    lines += ["", "## Equivalent", "", "Found by rule:", ""]
    lines += [f"- {reasons[rule]:,}: {rule}" for rule in RULES if reasons[rule]]
    lines += _reviewed(results)
    lines += ["", "## Survived", ""]
    survived = [
        f"- {result['kernel']}, {_item(item)}"
        for result in results
        for item in result["not_killed"]
        if item["reason"] is None
    ]
    lines += survived or ["None."]
    lines += _different(results)
    return "\n".join(lines) + "\n"


def _reviewed(results: Results) -> list[str]:
    """Return the mutants that a review calls harmless: the number of those proved equal, and each of the others."""
    equal, others = 0, []
    for result in results:
        by_reason: dict[str, list[str]] = {}
        for item in result["not_killed"]:
            if item["reason"] is None or item["reason"] in RULES:
                continue
            proof = item.get("proof")
            if proof is not None and proof["fate"] == "equal":
                equal += 1
                continue
            why = f": open: {proof['reason']}" if proof is not None and proof["reason"] else ""
            by_reason.setdefault(item["reason"], []).append(f"{_item(item)}{why}")
        for reason, items in by_reason.items():
            others += [f"- {result['kernel']}: {reason}", *(f"    - {item}" for item in items)]
    lines = ["", "Harmless by a review that names the reason:", ""]
    if equal:
        lines += [
            f"- {equal:,}: proved equal to the kernel, too, at small shapes that run the changed code, by `--prove`;"
        ]
        lines += ["  mutants.json has each, with the reason and the shapes, and the inputs that were held", ""]
        lines += ["By review alone:", ""]
    return [*lines, *(others or ["None."])]


def _different(results: Results) -> list[str]:
    """Return the mutants for which a proof found inputs that no case has; nothing where no proofs were made."""
    if not any("proof" in item for result in results for item in result["not_killed"]):
        return []
    found = [
        f"- {result['kernel']}, {_item(item)}: {item['proof']['failure']['identifier']} "
        f"at {item['proof']['failure']['shape']}"
        for result in results
        for item in result["not_killed"]
        if item.get("proof", {}).get("fate") == "different"
    ]
    return ["", "## Different", "", *(found or ["None."])]


def _item(item: Mapping[str, Any]) -> str:
    return f"line {item['line']}: `{item['original']}` → `{item['mutant']}`"
