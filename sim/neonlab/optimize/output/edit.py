"""Write a changed loop into the text of its kernel."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neonlab.assemble.definitions import Definitions, definitions_at
from neonlab.assemble.expand.macros import Macro
from neonlab.assemble.file_names import ASSEMBLY
from neonlab.assemble.program import Program
from neonlab.assemble.source import SourceLine
from neonlab.contract.options import Build
from neonlab.errors import InputError
from neonlab.optimize.loop.code import LoopCode, Unrolled
from neonlab.optimize.loop.find import FoundLoop
from neonlab.optimize.output.inlined import Origin, inlined
from neonlab.optimize.output.macro_arguments import arguments_of
from neonlab.optimize.output.statements import Style, branch_on, inverse_branch, style_of
from neonlab.optimize.schedule.search import Found

_COMMENT = re.compile(r"\s*(//|/\*).*$")
_MACRO = re.compile(r"^\s*\.(macro|endm)\b", re.I)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a loop stands in a text: lines `label` to `branch`, from 0, and what these say.

    `name` is the label as written, `going` the branch as written.  `guard` is the line that tells the loop from others
    that the same macro makes, "" where it makes no other.  `is_private` says that nothing else goes to the label.
    """

    label: int
    branch: int
    name: str
    going: str
    guard: str
    in_macro: bool
    is_private: bool


def place_of(
    lines: Sequence[Origin], program: Program, groups: Sequence[Sequence[FoundLoop]], macros: Mapping[str, Macro]
) -> Place:
    """Return where the loops of the first group stand; the other groups are what the same lines make besides.

    `macros` are those that are defined there.

    Raises InputError where the loop is not written as a label, instructions and a branch in one place.
    """
    source = program.line_at(program.instructions[groups[0][0].last].address)
    if source is None or not source.path:
        raise InputError(f"{program.path}: the loop has no source lines, so it cannot be changed")
    here = Path(source.path).resolve()
    branch = next((at for at, one in enumerate(lines) if one.number == source.line and one.path.resolve() == here), -1)
    going = " ".join(_COMMENT.sub("", lines[branch].text).split()) if branch >= 0 else ""
    token = going.rpartition(" ")[2].rpartition(",")[2]
    name = token[:-1] if re.fullmatch(r"\d+b", token) else token
    defines = re.compile(rf"^\s*{re.escape(name)}\s*:")
    label = next((at for at in range(branch, -1, -1) if defines.match(lines[at].text)), -1)
    if branch < 0 or label < 0:
        raise InputError(
            f"{source.path}:{source.line}: the loop is not written as a label, instructions and a branch to it in one "
            "place, so it cannot be changed"
        )
    in_macro = _in_macro(lines, branch)
    uses = sum(len(re.findall(rf"(?<![\w.$\\@]){re.escape(token)}(?![\w$@])", one.text)) for one in lines)
    private = token == name and uses == 2  # its definition, and the branch
    return Place(label, branch, name, going, _guard(program, groups, source, macros), in_macro, private)


def _in_macro(lines: Sequence[Origin], at: int) -> bool:
    for line in reversed(lines[:at]):
        if match := _MACRO.match(line.text):
            return match[1].lower() == "macro"
    return False


def _guard(
    program: Program, groups: Sequence[Sequence[FoundLoop]], source: SourceLine, macros: Mapping[str, Macro]
) -> str:
    if len(groups) == 1:
        return ""
    own = arguments_of(source, macros)
    others: list[Mapping[str, str] | None] = []
    for group in groups[1:]:
        for one in group:
            line = program.line_at(program.instructions[one.last].address)
            others.append(arguments_of(line, macros) if line is not None else None)
    known = [other for other in others if other is not None]
    if own is not None and len(known) == len(others):
        for some in (some for size in (1, 2, 3) for some in itertools.combinations(sorted(own), size)):
            conditions = [_condition(name, own[name], numeric=len(some) > 1) for name in some]
            if all(conditions) and all(any(other.get(name) != own[name] for name in some) for other in known):
                return conditions[0] if len(some) == 1 else f".if {' && '.join(conditions)}"
    raise InputError(
        f"{source.path}:{source.line}: the lines make several loops, which no argument of the macro tells apart, so "
        "they cannot be changed for one of them"
    )


def _condition(name: str, value: str, *, numeric: bool) -> str:
    """Return the condition that a macro's argument has this value: a directive, or what stands in one; "" for none."""
    if value.isdigit():
        return f"(\\{name} == {value})" if numeric else f".if \\{name} == {value}"
    return "" if numeric else f".ifc \\{name}, {value}"


def edited(text: Text, old: LoopCode, new: LoopCode, found: Found, headline: Sequence[str]) -> list[str]:
    """Return the text with the loop changed: `new` in the order of `found`, below the comment `headline`."""
    texts, place = [line.text for line in text.lines], text.place
    loop = _loop(texts, place, old, new, found, style_of(new.isa, texts, text.registers, old.body), headline)
    if place.guard:
        loop = [f"  {place.guard}", *loop, "  .else", *texts[place.label : place.branch + 1], "  .endif"]
    return [*texts[: place.label], *loop, *texts[place.branch + 1 :]]


def _loop(
    texts: Sequence[str], place: Place, old: LoopCode, new: LoopCode, found: Found, style: Style,
    headline: Sequence[str],
) -> list[str]:  # fmt: skip
    defined = texts[place.label]
    single = len(new.unrolled.body) if new.unrolled is not None else len(new.body)
    comment = _label_comment(defined, len(old.body) + 1, single + 1)
    column = defined.index(comment[:2]) if comment else style.comments
    entry = [] if place.is_private else [f"{place.name}:"]
    name = place.name if place.is_private else _fresh(place, "again")
    own = comment if new.unrolled is None else f"// {new.times} iterations at a time"
    ahead = [at for at in found.sequence if at in set(found.ahead)]
    rest = _fresh(place, "last")
    again = _going(place, name)
    if new.unrolled is not None:
        again = branch_on(again, new.isa, new.unrolled.again)
    lines = [*(f"    // {line}" for line in headline), *entry, *(style.line(step) for step in new.before)]
    if new.unrolled is not None:
        few = branch_on(_going(place, _fresh(place, "single")), new.isa, new.unrolled.few)
        lines += [style.line(new.unrolled.compare), style.branch(few), style.line(new.unrolled.lower)]
    if ahead:
        lines += [style.line(new.body[at]) for at in ahead]
        lines.append(style.branch(inverse_branch(_going_of(again, rest), new.isa)))
    lines.append(f"{name + ':':<{column}}{own}".rstrip())
    lines += [style.line(new.body[at]) for at in found.sequence]
    lines.append(style.branch(again))
    if ahead:
        lines.append(f"{rest}:")
        lines += [style.line(new.body[at]) for at in found.sequence if at not in set(ahead)]
    if new.unrolled is not None:
        lines += _left(place, new, new.unrolled, style, f"{_fresh(place, 'single') + ':':<{column}}{comment}".rstrip())
    return [*lines, *(style.line(step) for step in new.after)]


def _left(place: Place, new: LoopCode, unrolled: Unrolled, style: Style, label: str) -> list[str]:
    """Return the lines of the loop of one iteration at a time, whose first line is `label`, behind an unrolled one."""
    single, done = _fresh(place, "single"), _fresh(place, "done")
    return [
        style.line(unrolled.restore),
        style.branch(branch_on(_going(place, done), new.isa, unrolled.done)),
        label,
        *(style.line(step) for step in unrolled.body),
        style.branch(_going(place, single)),
        f"{done}:",
    ]


def _going(place: Place, name: str) -> str:
    """Return the branch of the loop, to the label `name`."""
    return _going_of(place.going, name)


def _going_of(branch: str, name: str) -> str:
    """Return a branch to the label `name` instead."""
    head, separator, _ = branch.rpartition("," if "," in branch else " ")
    return f"{head}{separator} {name}" if separator == "," else f"{head} {name}"


def _fresh(place: Place, ending: str) -> str:
    r"""Return a label that nothing else has, unique in each call of a macro by `\@`."""
    stem = place.name if not place.name.isdigit() else f".Lloop_{place.name}"
    unique = r"\@" if place.in_macro else ""
    stem = stem.removesuffix(r"\@").rstrip("_")
    return f"{stem}_{ending}{'_' if unique else ''}{unique}"


def _label_comment(line: str, old: int, new: int) -> str:
    """Return the comment behind the label, with the number of instructions as it is now."""
    match = re.search(r"(//|/\*).*$", line)
    comment = match[0].rstrip() if match else ""
    return re.sub(rf"\b{old} instructions", f"{new} instructions", comment)


def with_symbol(text: str, symbol: str) -> str:
    """Return the text of a kernel for a file of another name: its contract states the symbol."""
    opening = re.match(r"\s*/\*toml[ \t]*\n", text)
    if opening is None or re.search(r"^symbol\s*=", text.partition("*/")[0], re.M):
        return text
    return f'{text[: opening.end()]}symbol = "{symbol}"\n{text[opening.end() :]}'


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a kernel, where its loop stands in it, and the registers that names stand for there."""

    lines: Sequence[Origin]
    place: Place
    registers: Mapping[str, str]


def definitions_of(kernel: Path, build: Build, program: Program, groups: Sequence[Sequence[FoundLoop]]) -> Definitions:
    """Return what is defined at a kernel's loop.  Raises InputError where the loop cannot be changed."""
    source = _source_of(kernel, program, groups)
    if kernel.suffix not in ASSEMBLY:
        return Definitions()
    return definitions_at(
        kernel, source, program.isa,
        include_paths=build.include, defines=build.defines, preprocess=build.preprocess,
    )  # fmt: skip


def text_for(
    kernel: Path,
    build: Build,
    program: Program,
    groups: Sequence[Sequence[FoundLoop]],
    folder: Path,
    known: Definitions,
) -> Text:
    """Return the text of a kernel for a file in `folder`; `known` is what is defined at its loop.

    Raises InputError where the loop cannot be changed.
    """
    source = _source_of(kernel, program, groups)
    lines = inlined(kernel, Path(source.path), [Path(one) for one in build.include], folder)
    return Text(lines, place_of(lines, program, groups, known.macros), known.registers)


def _source_of(kernel: Path, program: Program, groups: Sequence[Sequence[FoundLoop]]) -> SourceLine:
    """Return the line of the loop's branch."""
    source = program.line_at(program.instructions[groups[0][0].last].address)
    if source is None:
        raise InputError(f"{kernel}: the loop has no source lines, so it cannot be changed")
    return source
