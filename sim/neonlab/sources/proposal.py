"""Propose a contract from a prototype alone, and mark what a person must fill in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neonlab.contract.header import Contract
from neonlab.contract.options import Given
from neonlab.errors import InputError
from neonlab.isa.c.ctype import CType, Member
from neonlab.sources.inference import Learned, Reach, learn, points
from neonlab.sources.open import open_bare
from neonlab.sources.toolchain import PLAIN_ARCHITECTURES, is_c

#: Most runs listed in a contract.
_MOST_RUNS = 8
#: Without a reference or "none", `check` reports the kernel as unchecked.
_ASK_FOR_REFERENCE = (
    'reference = { file = "scalar.c", symbol = "f_c" }: what is right, in C; "none" where nothing says it'
)
#: Marks a value that only a person knows.
BLANK = "?"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A contract as TOML, with `?` for values that a person must give.

    `blanks` names the arguments and fields with a `?`; `learned` holds the results of runs, if any ran.
    """

    text: str
    blanks: tuple[str, ...]
    learned: Learned | None = None

    @property
    def question(self) -> str:
        """Return one sentence that asks for the missing values."""
        if not self.blanks:
            return "nothing is left blank; see that the ranges are right"
        return f"left blank as `{BLANK}`, for you to say: {', '.join(self.blanks)}"

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        runs = []
        for sample, extents in zip(self.learned.samples, self.learned.extents, strict=True) if self.learned else ():
            touched = {
                name: {
                    "read": list(one.read) if one.read else None,
                    "write": list(one.written) if one.written else None,
                }
                for name, one in sorted(extents.items())
            }
            runs.append({"numbers": dict(sample), "touched": touched})
        return {"contract": self.text, "blanks": list(self.blanks), "runs": runs}


def propose(path: Path, given: Given, points_to_run: Sequence[str] = ()) -> Proposal:
    """Propose a contract for the function from its prototype.

    `points_to_run` are numbers to run it with, as `n=8:32:8`.  Raises NoContract if the prototype is unknown,
    InputError if a run fails.
    """
    code = open_bare(path, given)
    contract = code.contract
    learned = None
    if points_to_run:
        samples = [sample for text in points_to_run for sample in points(text)]
        _check_numbers(contract, samples)
        learned = learn(code.program(), contract, samples)
    writer = _ProposalWriter(path, contract, learned)
    text = writer.text()
    return Proposal(text, tuple(writer.blanks), learned)


def _check_numbers(contract: Contract, samples: Sequence[Mapping[str, int]]) -> None:
    """Raise InputError unless every sample has the same known numbers, and all that look like lengths."""
    known = [p.name for p in contract.signature.parameters if p.ctype.kind == "integer"]
    fields = [f"{p.name}.{m.name}" for p in contract.signature.parameters for m in _members(p.ctype)]
    for sample in samples:
        unknown = next((name for name in sample if name not in (*known, *fields)), None)
        if unknown is not None:
            raise InputError(f"--learn: `{unknown}` is not an integer parameter of `{contract.prototype}`")
        if sample.keys() != samples[0].keys():
            raise InputError("--learn: give every run values for the same numbers")
        missing = [name for name in known if name not in sample and (is_length(name) or len(known) == 1)]
        if missing:
            raise InputError(f"--learn: give a value for `{missing[0]}` too, since loops may depend on it")


def _members(ctype: CType) -> tuple[Member, ...]:
    layout = ctype.pointee.layout if ctype.pointee is not None else None
    return layout.members if layout is not None else ()


class _ProposalWriter:
    """Writes the contract, and notes what is left blank."""

    def __init__(self, path: Path, contract: Contract, learned: Learned | None) -> None:
        self._path, self._contract, self._learned = path, contract, learned
        self.blanks: list[str] = []
        numbers = [p.name for p in contract.signature.parameters if p.ctype.kind == "integer"]
        lengths = [name for name in numbers if is_length(name)]
        self._lengths = lengths or (numbers if len(numbers) == 1 else [])

    def text(self) -> str:
        contract, isa = self._contract, self._contract.isa
        lines = [f'summary   = "{contract.name}"', f'prototype = "{contract.prototype}"']
        if contract.name != self._path.stem:
            lines.append(f'symbol    = "{contract.name}"')
        if contract.structs:
            lines += ['structs   = """', contract.structs, '"""']
        both = '{ armv7 = ["armv7-a", "neon"], armv8 = ["armv8.0-a", "neon"] }'
        one = f'["{PLAIN_ARCHITECTURES[isa]}", "neon"]'
        lines.append(f"isa       = {both if is_c(self._path) else one}")
        lines.append(f"# {_ASK_FOR_REFERENCE}")
        tables: list[str] = []
        entries: list[str] = []
        for parameter in contract.signature.parameters:
            members = _members(parameter.ctype)
            if members:
                assert parameter.ctype.pointee is not None
                tables += ["", f"[args.{parameter.name}.fields]  # of {parameter.ctype.pointee.size} bytes"]
                tables += [self._entry(f"{parameter.name}.{m.name}", m.name, m.ctype, m.count) for m in members]
            else:
                entries.append(self._entry(parameter.name, parameter.name, parameter.ctype))
        runs = [f"# {line}" for line in self._runs()]
        return "\n".join([*lines, "", *runs, "[args]", *entries, *tables]) + "\n"

    def _runs(self) -> Iterator[str]:
        """Yield a line on the bytes touched in each run."""
        if self._learned is None:
            return
        for number, (sample, extents) in enumerate(zip(self._learned.samples, self._learned.extents, strict=True)):
            if number == _MOST_RUNS:
                yield f"and {len(self._learned.samples) - number} runs more"
                break
            numbers = ", ".join(f"{name}={value}" for name, value in sample.items())
            touched = []
            for name, one in sorted(extents.items()):
                for verb, ends in (("read", one.read), ("written", one.written)):
                    if ends is not None:
                        touched.append(f"{name} {verb} [{ends[0]}, {ends[1]})")
            yield f"{numbers}: {', '.join(touched) or 'nothing touched'}"

    def _entry(self, path: str, key: str, ctype: CType, count: int = 1) -> str:
        value, note = self._value(path, ctype)
        if BLANK in value:
            self.blanks.append(path)
        shown = f'"{key}"' if "." in key or "[" in key else key
        many = f"{count} of them" if count > 1 else ""
        remarks = ", ".join(remark for remark in (note, many) if remark)
        return f"{shown} = {value}" + (f"  # {remarks}" if remarks else "")

    def _value(self, path: str, ctype: CType) -> tuple[str, str]:
        """Return the entry for an argument or a field, and a remark."""
        if ctype.kind == "integer":
            return self._number(path, ctype)
        if ctype.kind == "float":
            return "{ range = [-1.0, 1.0] }", "the values that it may have"
        pointee = ctype.pointee
        if pointee is not None and pointee.kind == "pointer":
            return self._pointers(path, pointee)
        element = "" if pointee is not None and pointee.kind in ("integer", "float") else ', dtype = "uint8"'
        sizes, note = self._sizes(path, pointee)
        return f"{{ {sizes}{element} }}", note

    def _number(self, path: str, ctype: CType) -> tuple[str, str]:
        values = {sample[path] for sample in self._learned.samples if path in sample} if self._learned else set()
        if values:
            return f"{{ range = [{min(values)}, {max(values)}] }}", "as it was run; widen it, and say its `step`"
        if "." in path or (ctype.size == 1 and not is_length(path)):
            low = -(1 << 8 * ctype.size - 1) if ctype.signed else 0
            return f"{{ range = [{low}, {low + (1 << 8 * ctype.size) - 1}] }}", ""
        if path in self._lengths:
            return "{ range = [1, 64] }", "taken for a length: the values that it may have, and its `step`"
        return f"{{ range = [{BLANK}, {BLANK}] }}", "the values that it may have"

    def _pointers(self, path: str, pointee: CType) -> tuple[str, str]:
        inner, _ = self._value(f"{path}[]", pointee)
        found = self._learned.sizes.get(path, {}) if self._learned else {}
        width = self._contract.isa.pointer_bytes
        count = divided(found.get("read", BLANK), width)
        return f'{{ pointers = "{count}", to = {inner} }}', "how many pointers, and what each leads to"

    def _sizes(self, path: str, pointee: CType | None) -> tuple[str, str]:
        if self._learned is not None:
            return self._learned_sizes(path)
        const = pointee is not None and pointee.const
        size = pointee.size if pointee is not None and pointee.kind in ("integer", "float") else 1
        text = BLANK
        if len(self._lengths) == 1:
            text = self._lengths[0] if size == 1 else f"{size}*{self._lengths[0]}"
        note = "bytes read" if const else "bytes written; `read` too if it is also an input"
        return f'{"read" if const else "write"} = "{text}"', note

    def _learned_sizes(self, path: str) -> tuple[str, str]:
        assert self._learned is not None
        sizes = self._learned.sizes.get(path)
        if sizes is None:
            return 'read = "0"', "never touched"
        verbs = [verb for verb in ("read", "write") if any(_ends(one.get(path), verb) for one in self._learned.extents)]
        entries = [f'{verb} = "{sizes.get(verb, BLANK)}"' for verb in verbs]
        if "from" in sizes:
            # The touched bytes start before or after the pointer, and so does the buffer.
            entries.append(f'origin = "{negated(sizes["from"])}"')
        unknown = [verb for verb in verbs if verb not in sizes]
        return ", ".join(entries), "no expression fits the runs: run it with more numbers" if unknown else ""


def _ends(extent: Reach | None, verb: str) -> tuple[int, int] | None:
    if extent is None:
        return None
    return extent.read if verb == "read" else extent.written


def divided(text: str, by: int) -> str:
    """Return a size in bytes as a number of pointers."""
    if text == BLANK or by == 1:
        return text
    if text.isdigit() and int(text) % by == 0:
        return str(int(text) // by)
    if text.startswith(f"{by}*") and "+" not in text and "-" not in text:
        return text.removeprefix(f"{by}*")
    return f"({text})//{by}"


def negated(text: str) -> str:
    """Return the expression with the opposite sign."""
    if text.startswith("-") and not any(sign in text[1:] for sign in "+-"):
        return text[1:]
    return f"-({text})"


def is_length(name: str) -> bool:
    """Tell whether a number's name suggests a loop bound or a pitch."""
    short = name.lower().rpartition(".")[2].strip("_")
    exact = {"n", "m", "k", "w", "h", "c", "mr", "nr", "kr", "kc", "nc", "mc", "ks", "cn", "ic", "oc", "num"}
    parts = ("len", "size", "count", "width", "height", "row", "col", "channel", "element", "batch", "depth", "num_")
    return short in exact or any(part in short for part in (*parts, "stride", "pitch"))
