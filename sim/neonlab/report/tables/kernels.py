"""Write the kernels of a library for `neonlab list`: a line each, and the number of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from neonlab.contract.options import ARCHITECTURES
from neonlab.lab.repository.kernel_name import LEVELS

if TYPE_CHECKING:
    from neonlab.lab.repository.library import Kernel
    from neonlab.verify.cases.operator import Dispatch

_WIDTH = 80
_PLAIN = "neon"


def level_of(kernel: Kernel) -> str:
    """Return the extension beyond NEON that `kernel` needs (`dotprod`, `i8mm`, `fp16`), or `neon`."""
    return next((level for level in reversed(tuple(LEVELS)) if level in kernel.contract.features), _PLAIN)


def has_feature(kernel: Kernel, feature: str) -> bool:
    """Tell whether `kernel` needs `feature`; `neon` stands for needing no extension beyond NEON."""
    return level_of(kernel) == _PLAIN if feature == _PLAIN else feature in kernel.contract.features


def operator_of(kernel: Kernel) -> str:
    """Return the name of the operator that computes right results for `kernel`, or "none"."""
    return kernel.operator.name if kernel.operator is not None else "none"


def counts_of(kernels: Sequence[Kernel]) -> Mapping[str, Mapping[str, int]]:
    """Return how many kernels there are by instruction set, by operator and by level, most frequent first."""
    kinds = {
        "isa": Counter(ARCHITECTURES[kernel.isa] for kernel in kernels),
        "operator": Counter(map(operator_of, kernels)),
        "level": Counter(map(level_of, kernels)),
    }
    return {kind: dict(sorted(count.items(), key=lambda one: (-one[1], one[0]))) for kind, count in kinds.items()}


def kernel_lines(
    kernels: Sequence[Kernel], dispatches: Sequence[Dispatch], total: int, *, summaries: bool, core: str | None = None
) -> Iterator[str]:
    """Yield a line for each kernel, the reasons of the dispatches, and the counts; `total` counts all kernels.

    With `core`, dispatches by core say what they pick there.
    """
    width = max((len(kernel.title) for kernel in kernels), default=0)
    operators = max((len(operator_of(kernel)) for kernel in kernels), default=0)
    for kernel in kernels:
        yield f"{kernel.title:<{width}}  {operator_of(kernel):<{operators}}  {level_of(kernel)}"
        if summaries:
            yield from wrap(kernel.contract.summary, _WIDTH, initial_indent="    ", subsequent_indent="      ")
    for dispatch in dispatches:
        yield from _wrapped(_choice(dispatch, core))
    of = f" of {total}" if len(kernels) != total else ""
    yield f"{len(kernels)}{of} kernel{'s' * (total != 1)}"
    for kind, counts in counts_of(kernels).items():
        if counts:
            yield from _wrapped(f"by {kind}: {', '.join(f'{name} {count}' for name, count in counts.items())}")


def _choice(dispatch: Dispatch, core: str | None) -> str:
    """Return what the dispatch chooses by, and what it picks on `core`."""
    if not dispatch.cores:
        return f"{dispatch.name} chooses by shape: {dispatch.reason}"
    if core is None:
        return f"{dispatch.name} chooses by core: {dispatch.reason}"
    picked = dispatch.cores.get(core) or next(one for one in dispatch.members if one not in dispatch.cores.values())
    return f"{dispatch.name} picks {picked} on {core}: {dispatch.reason}"


def kernel_json(kernel: Kernel) -> dict[str, Any]:
    """Return plain values, as `--json` prints them."""
    return {
        "kernel": kernel.title,
        "isa": kernel.isa.value,
        "path": str(kernel.path),
        "operator": kernel.operator.name if kernel.operator else None,
        "level": level_of(kernel),
        "summary": kernel.contract.summary,
        "prototype": kernel.contract.prototype,
        "architecture": kernel.contract.architecture,
        "features": sorted(kernel.contract.features),
    }


def _wrapped(text: str) -> list[str]:
    return wrap(text, _WIDTH, subsequent_indent="    ", break_on_hyphens=False)
