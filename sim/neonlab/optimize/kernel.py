"""Optimize the hot loop of a kernel: change it, order it anew, and keep what is shown to be right."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from neonlab.assemble.definitions import Definitions
from neonlab.assemble.program import Program
from neonlab.errors import InputError
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.kernel_code import code_digest, kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.lookup import AskedKernel, AskedShape, one_kernel, one_shape
from neonlab.lab.run.plan import layers_of, shapes_to_prove
from neonlab.lab.run.profile import profile_case
from neonlab.lab.watch.layer import layer_to_watch
from neonlab.measure.cores.modelled import AskedCore, ModelledCore
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.loop.report import LoopReport
from neonlab.measure.options import MemoryOptions
from neonlab.measure.pipeline.bounds import dispatch_bound, port_bound
from neonlab.measure.pipeline.program import compile_instructions
from neonlab.measure.profile import Profile
from neonlab.measure.shape import Shape
from neonlab.optimize.exploration import Advance, Candidate, Exploration, exact_cycles
from neonlab.optimize.judgement import Begin, Judgement, changed_kernel, judge, scratch_beside
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.loop.find import FoundLoop, code_of, find_loop, instances
from neonlab.optimize.outcome import LoopFigures, Optimized, Refused, Standing
from neonlab.optimize.output.edit import Text, definitions_of, edited, text_for
from neonlab.optimize.rewrites.every import REWRITES
from neonlab.optimize.rewrites.prefetch import other_distances
from neonlab.optimize.rewrites.rewrite import Rewrite
from neonlab.optimize.schedule.exact import is_installed, may_be_tried
from neonlab.optimize.schedule.limits import fewest_cycles
from neonlab.optimize.schedule.search import Found
from neonlab.optimize.tiles import OtherTile, other_tiles
from neonlab.verify.cases.case import CaseName
from neonlab.verify.verdict import Failure

#: Orders that are tried for each second of the time that is given: a step takes 1 to 2 ms, and the judgement needs its
#: share.
STEPS_A_SECOND = 250
DEFAULT_SECONDS = 120
_MOST_REFUSED = 4  # candidates that are judged, one after another, until one is right
_MOST_RANKED = 8  # candidates whose whole call is costed
_OTHER_LAYERS = 3
_LEAST_GAIN = 1e-6  # of the cycles
_WIDTH = 112  # of a comment
_UNTRIED = "CP-SAT was not tried: `pip install 'neonlab[optimize]'` is missing"


@dataclass(frozen=True, slots=True)
class _Subject:
    """A kernel with the loop that is to be changed, at a shape on a core."""

    kernel: Kernel
    program: Program
    core: PipelineCore
    shape: Shape
    report: LoopReport
    groups: Sequence[Sequence[FoundLoop]]
    known: Definitions
    code: LoopCode
    modelled: ModelledCore
    seed: int
    call_cycles: int


def optimize(
    kernel: AskedKernel,
    core: AskedCore,
    *,
    shape: AskedShape = "",
    steps: int = STEPS_A_SECOND * DEFAULT_SECONDS,
    seed: int = 1,
    into: Path | None = None,
    workers: Workers | None = None,
    begin: Begin = lambda _name, _total, _unit: lambda _: None,
    advance: Advance = lambda _steps, _cycles: True,
    rewrites: Sequence[Rewrite] = REWRITES,
) -> Optimized:
    """Return a kernel with a cheaper hot loop on a core, which was shown to be right.

    `kernel` is a Kernel, a name of the library, or the path of a file; `core` is a core with a pipeline model.  `shape`
    says at which layer the loop is hot; the default is one of about 14x14x256x256.  `steps` is the number of orders to
    try, `seed` fixes which.  `into` is the folder that the new text is for: includes are named as from there.  Nothing
    is written.  `begin` and `advance` are told how far the work is.

    Raises InputError for a kernel, a shape or a core that is not known, and for a kernel without a reference, or whose
    hot loop cannot be changed.
    """
    begin("profiling the kernel", 0, "")
    subject = _subject(one_kernel(kernel), core, shape, seed)
    told = begin("trying orders", steps, "steps")

    def counted(made: int, cycles: float) -> bool:
        told(made)
        return advance(made, cycles)

    exploration = Exploration(subject.kernel.contract, subject.core, seed, counted, rewrites)
    candidates = exploration.run(subject.code, steps)
    folder = into or subject.kernel.path.parent
    if workers is not None:
        judged = _judged(subject, candidates, folder, workers, begin)
    else:
        with Workers() as own:
            judged = _judged(subject, candidates, folder, own, begin)
    outcome = _outcome(subject, judged, candidates, seed, steps, exploration)
    return replace(outcome, tiles=_tiles(subject, outcome.call_after or subject.call_cycles, begin))


@dataclass(frozen=True, slots=True)
class _Judged:
    """The first candidate that is right, how that was shown, its text, and the candidates before it that are not."""

    candidate: Candidate | None
    judgement: Judgement | None
    original: str
    text: str
    refused: tuple[Refused, ...]


def _subject(kernel: Kernel, core: AskedCore, shape: AskedShape, seed: int) -> _Subject:
    modelled = ModelledCore.named(str(core), cycles=True)
    if kernel.operator is None:
        raise InputError(f"{kernel.title}: nothing computes right results, so no change of it could be judged")
    program, pipeline = kernel_program(kernel), modelled.pipeline
    assert pipeline is not None, "a core that is named with `cycles` has a pipeline"
    asked, outcome, loop = _hot_loop(kernel, program, modelled, shape, seed)
    groups = instances(program, loop)
    address = program.instructions[loop.first].address
    report = next(one for one in outcome.loops if one.lines[0].address == address)
    code = code_of(program, kernel.contract, groups[0])
    known = definitions_of(kernel.path, kernel.build, program, groups)
    return _Subject(kernel, program, pipeline, asked, report, groups, known, code, modelled, seed, _cycles(outcome))


def _hot_loop(
    kernel: Kernel, program: Program, core: ModelledCore, shape: AskedShape, seed: int
) -> tuple[Shape, Profile, FoundLoop]:
    """Return the shape, the profile there, and its hottest plain loop.

    Where no shape is given and none is hot at the usual layer, other layers of the operator are tried, or else the
    shapes that `check` tries, the one of the most work first: where sums are long, the innermost loop is hot.
    """
    usual = one_shape(kernel, shape) if shape else layer_to_watch(kernel)
    others = [] if shape else sorted(layers_of(kernel) or shapes_to_prove(kernel), key=lambda one: -one.work)
    refused: InputError | None = None
    for asked in dict.fromkeys([usual, *others[:_OTHER_LAYERS]]):
        outcome = _profile(kernel, core, asked, seed, loop=True)
        try:
            return asked, outcome, find_loop(program, outcome.loops)
        except InputError as error:
            refused = refused or error
    assert refused is not None, "there is a shape"
    raise refused


def _profile(kernel: Kernel, core: ModelledCore, shape: Shape, seed: int, *, loop: bool) -> Profile:
    outcome = profile_case(kernel, CaseName(shape, "random", seed), MemoryOptions(core, True, loop=loop))
    if isinstance(outcome, Failure):
        raise InputError(f"{kernel.title} is wrong, so it is not optimized: {outcome.identifier} at {shape}")
    return outcome


def _cycles(profile: Profile) -> int:
    assert profile.cycles is not None, "the core has a pipeline model"
    return profile.cycles.cycles


def _judged(
    subject: _Subject, candidates: Sequence[Candidate], folder: Path, workers: Workers, begin: Begin
) -> _Judged:
    """Judge candidates that are cheaper than the loop as it is, the cheapest call first, until one is right."""
    now = exact_cycles(subject.code, range(len(subject.code.body)), subject.core)
    kernel = subject.kernel
    original = _original(subject, folder)
    before = "\n".join(line.text for line in original.lines) + "\n"
    ranked, refused = _ranked(subject, candidates, now, begin)
    for cycles, candidate in ranked[:_MOST_REFUSED]:
        with scratch_beside(kernel) as scratch:
            path = scratch / kernel.path.name
            text, lines = _text(subject, candidate, now, scratch)
            path.write_text(text)
            judgement = judge(kernel, path, lines, cycles, workers, begin)
        if judgement.is_right:
            return _Judged(candidate, judgement, before, _text(subject, candidate, now, folder)[0], tuple(refused))
        refused.append(Refused(candidate.code.changes, candidate.cycles, judgement.reason))
    return _Judged(None, None, before, before, tuple(refused))


def _ranked(
    subject: _Subject, candidates: Sequence[Candidate], now: float, begin: Begin
) -> tuple[list[tuple[int, Candidate]], list[Refused]]:
    """Return the cheapest loops by the cycles of a whole call, and those that make it wrong or no cheaper.

    A loop of several iterations costs something around it, and one may be the cheaper in few iterations.
    """
    cheaper = [one for one in candidates if one.cycles <= now * (1 - _LEAST_GAIN)]
    chosen = cheaper[:_MOST_RANKED]
    chosen += [one for one in cheaper[_MOST_RANKED:] if one.code.times == 1][:1]
    told = begin("profiling the new kernels", len(chosen), "kernels")
    ranked: list[tuple[int, Candidate]] = []
    refused: list[Refused] = []
    for candidate in chosen:
        found = _cost(subject, candidate, now)
        told(1)
        if isinstance(found, str):
            refused.append(Refused(candidate.code.changes, candidate.cycles, found))
        elif found >= subject.call_cycles:
            why = f"the whole call takes {found:,} cycles, no fewer than {subject.call_cycles:,}"
            refused.append(Refused(candidate.code.changes, candidate.cycles, why))
        else:
            ranked.append((found, candidate))
    best = min(ranked, key=_by_call, default=(subject.call_cycles, _as_it_is(subject, now)))
    return sorted([*ranked, *_at_other_distances(subject, *best, now, begin)], key=_by_call), refused


def _by_call(ranked: tuple[int, Candidate]) -> tuple[int, tuple[float, int, int]]:
    return ranked[0], ranked[1].key


def _as_it_is(subject: _Subject, now: float) -> Candidate:
    """Return the loop as the kernel has it."""
    straight = tuple(range(len(subject.code.body)))
    return Candidate(subject.code, subject.code, Found(now, straight, ()), now)


def _at_other_distances(
    subject: _Subject, call_cycles: int, best: Candidate, now: float, begin: Begin
) -> list[tuple[int, Candidate]]:
    """Return a loop with its prefetches at other distances, where a whole call then takes less than `call_cycles`."""
    changed = [replace(best, plain=code, code=code) for code in other_distances(best.code)]
    told = begin("trying distances of prefetches", len(changed), "distances")
    cheaper = []
    for candidate in changed:
        found = _cost(subject, candidate, now)
        told(1)
        if isinstance(found, int) and found < call_cycles:
            cheaper.append((found, candidate))
    return cheaper


def _cost(subject: _Subject, candidate: Candidate, now: float) -> int | str:
    """Return the cycles of a whole call of the kernel with a candidate in it, one of many back to back.

    Where that is wrong, return how.
    """
    with scratch_beside(subject.kernel) as scratch:
        path = scratch / subject.kernel.path.name
        path.write_text(_text(subject, candidate, now, scratch)[0])
        try:
            changed = changed_kernel(subject.kernel, path)
            case = CaseName(subject.shape, "random", subject.seed)
            outcome = profile_case(changed, case, MemoryOptions(subject.modelled, True, loop=False))
        except InputError as error:
            return str(error)
    return f"{outcome.identifier} at {subject.shape}" if isinstance(outcome, Failure) else _cycles(outcome)


def _original(subject: _Subject, folder: Path) -> Text:
    """Return the kernel's text as it is, for a file in `folder`."""
    kernel = subject.kernel
    return text_for(kernel.path, kernel.build, subject.program, subject.groups, folder, subject.known)


def _text(subject: _Subject, candidate: Candidate, now: float, folder: Path) -> tuple[str, list[int]]:
    """Return the kernel's text with a candidate in it, and the numbers of the lines that are new."""
    text = _original(subject, folder)
    made = edited(text, subject.code, candidate.code, candidate.found, _headline(subject, candidate, now))
    behind = len(text.lines) - text.place.branch - 1
    return "\n".join(made) + "\n", list(range(text.place.label + 1, len(made) - behind + 1))


def _headline(subject: _Subject, candidate: Candidate, now: float) -> list[str]:
    """Return the comment above the loop: what it costs, and what was done to it."""
    counts = Counter(step.instruction.mnemonic for step in candidate.code.body)
    work = ", ".join(f"{count} {name}" for name, count in counts.most_common())
    before = f"instead of {now:.4g}" if candidate.cycles < now else "as before"
    head = [
        f"Ordered by neonlab optimize for {subject.core.name}: {candidate.cycles:.4g} cycles an iteration {before}.",
        f"{work}, 1 branch = {len(candidate.code.body) + 1} instructions{_for_several(candidate.code.times)}.",
    ]
    head += [f"{change.name.capitalize()}: {change.reason}." for change in candidate.code.changes]
    if candidate.found.ahead:
        ahead = "an iteration" if candidate.code.times == 1 else f"{candidate.code.times} iterations"
        head.append(
            f"{len(candidate.found.ahead)} of them run {ahead} ahead: first once by themselves, and the rest once "
            "more at the end."
        )
    return [line for text in head for line in textwrap.wrap(text, _WIDTH)]


def _for_several(times: int) -> str:
    return f" for {times} iterations" if times > 1 else ""


def _tiles(subject: _Subject, below: int, begin: Begin) -> tuple[OtherTile, ...]:
    def told(total: int) -> Callable[[int], None]:
        return begin("costing other kernels of the operator", total, "kernels")

    return other_tiles(subject.kernel, subject.modelled, subject.shape, subject.seed, below, told)


def _figures(code: LoopCode, sequence: Sequence[int], core: PipelineCore) -> LoopFigures:
    compiled = compile_instructions(code.instructions, core)
    once = np.ones(len(code.body) + 1, np.int64)
    counts = Counter(step.instruction.mnemonic for step in (*code.body, code.branch))
    return LoopFigures(
        exact_cycles(code, sequence, core), len(code.body) + 1, port_bound(compiled, once) / code.times,
        dispatch_bound(compiled, once, core) / code.times, dict(sorted(counts.items())), code.times,
    )  # fmt: skip


def _steady(subject: _Subject, judged: _Judged, candidates: Sequence[Candidate]) -> float:
    """Return the bound that CP-SAT found for the loop as it comes out; 0 where it was not asked about that loop."""
    if judged.candidate is not None:
        return judged.candidate.steady
    return max((one.steady for one in candidates if one.code.body == subject.code.body), default=0.0)


def _outcome(
    subject: _Subject, judged: _Judged, candidates: Sequence[Candidate], seed: int, steps: int, exploration: Exploration
) -> Optimized:
    kernel, best, judgement = subject.kernel, judged.candidate, judged.judgement
    old = _figures(subject.code, range(len(subject.code.body)), subject.core)
    standing, reason = Standing.UNCHANGED, ""
    if judgement is not None:
        standing = Standing.PROVED if judgement.is_proved else Standing.EXACT
        reason = judgement.reason
    elif judged.refused:
        reason = f"what costs less in the loop was thrown away: {judged.refused[0].reason}"
    else:
        gap = f"it takes {old.cycles:.4g} cycles, of which {old.bound:.4g} are the bound of its instructions"
        reason = f"no order and no rewrite that was tried costs less; {gap}"
    shown = judgement or Judgement(False, False, call_cycles=subject.call_cycles)
    return Optimized(
        kernel=kernel.title, path=str(kernel.path), isa=kernel.isa.value, core=subject.core.name,
        code=code_digest(kernel), shape=subject.shape, seed=seed, steps=steps,
        place=subject.report.place(str(kernel.path)), share=subject.report.share, old=old,
        new=_figures(best.code, best.found.sequence, subject.core) if best is not None else old,
        changes=best.code.changes if best is not None else (), ahead=len(best.found.ahead) if best is not None else 0,
        tried=exploration.tried, call_before=subject.call_cycles, call_after=shown.call_cycles, standing=standing,
        reason=reason, proved=shown.proved, checked=shown.checked, held=shown.held, refused=judged.refused,
        stopped=exploration.stopped,
        least=fewest_cycles(best.code if best is not None else subject.code, subject.core),
        steady=_steady(subject, judged, candidates),
        untried=_UNTRIED if may_be_tried(subject.code, subject.core) and not is_installed() else "",
        original=judged.original, text=judged.text,
        old_body=subject.code.instructions[:-1],
        new_body=best.body if best is not None else subject.code.instructions[:-1],
    )  # fmt: skip
