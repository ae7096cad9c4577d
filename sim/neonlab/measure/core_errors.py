"""How far each core's pipeline model is off, as it was found when the model was made: read from `cores/errors.toml`."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from neonlab.measure.core import ALIASES

PATH = Path(__file__).parent / "cores" / "errors.toml"
SILICON, LLVM_MCA, FUNCTIONS = "silicon", "llvm-mca", "functions"
_ORDER = (SILICON, FUNCTIONS, LLVM_MCA)
_NOT_MEASURED = "not measured; "


@dataclass(frozen=True, slots=True)
class ModelError:
    """Figures of the model beside those of something else.

    `within` of the `figures` lie within 5 %; `median` is that of the relative error's size.  `against` is SILICON
    (instruction forms measured on silicon), LLVM_MCA (another model: no measure of truth) or FUNCTIONS (whole
    functions measured on silicon).  `held_out` is `within` for a table from which each form was taken out before its
    figures were asked for.
    """

    against: str
    figures: int
    within: int
    median: float
    held_out: int | None = None

    @property
    def share(self) -> float:
        """Share of the figures within 5 %."""
        return self.within / self.figures if self.figures else 0.0

    def sentence(self) -> str:
        """The same in words."""
        text = {
            SILICON: f"{self.share:.1%} of {self.figures} latencies and rates measured on silicon within 5 %",
            LLVM_MCA: f"{_NOT_MEASURED}{self.share:.1%} of {self.figures} loops within 5 % of llvm-mca, another model",
            FUNCTIONS: f"median error {self.median:.0%} on {self.figures} whole functions measured on silicon",
        }
        return text[self.against]


@functools.cache
def _recorded() -> Mapping[str, tuple[ModelError, ...]]:
    if not PATH.is_file():
        return {}
    with PATH.open("rb") as file:
        table = tomllib.load(file)
    return {
        core: tuple(ModelError(against, **figures) for against, figures in found.items())
        for core, found in table.items()
    }


def read_again() -> None:
    """Forget what was recorded when it was first asked for."""
    _recorded.cache_clear()


def errors_of(core: str) -> tuple[ModelError, ...]:
    """What is recorded of a core, by any of its names; nothing where it was compared with nothing."""
    same = {core, ALIASES.get(core, core), *(alias for alias, name in ALIASES.items() if name == core)}
    return next((_recorded()[name] for name in sorted(same) if name in _recorded()), ())


def error_sentence(core: str) -> str:
    """What to print beside every estimate: what it was compared with, and how far it was off."""
    found = sorted(errors_of(core), key=lambda error: _ORDER.index(error.against))
    texts = [error.sentence() for error in found]
    if any(error.against == FUNCTIONS for error in found):
        texts = [text.removeprefix(_NOT_MEASURED) for text in texts]
    return "; ".join(texts) if texts else "not compared with any measurement"


def errors_text(errors: Mapping[str, Mapping[str, ModelError]]) -> str:
    """The text of `errors.toml`."""
    lines = ["# Written by `neonlab cores --against FILE.csv --record`; see core_errors.py for the meaning."]
    for core in sorted(errors):
        for against in sorted(errors[core]):
            error = errors[core][against]
            lines += ["", f"[{core}.{against}]", f"figures = {error.figures}", f"within = {error.within}"]
            lines += [f"median = {error.median:.4f}"]
            lines += [f"held_out = {error.held_out}"] if error.held_out is not None else []
    return "\n".join(lines) + "\n"


def recorded() -> dict[str, dict[str, ModelError]]:
    """All that is recorded, to be changed and written again."""
    return {core: {error.against: error for error in found} for core, found in _recorded().items()}
