"""Find answers about one state of a watched file among the results that are kept, and keep new ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from neonlab.assemble.file_names import ASSEMBLY
from neonlab.lab.cache.folder import results_folder
from neonlab.lab.cache.kernel_sources import known_sources
from neonlab.lab.cache.results import Question, Results
from neonlab.lab.parallel.kept import kind_of
from neonlab.lab.repository.library import Kernel

T = TypeVar("T")
#: Nanoseconds by which the clock of a file system may lag behind that of the system.
_LAG = 50_000_000


class KeptAnswers:
    """The results that are kept of a kernel, which was opened after the time `opened`, in ns since 1970.

    Only those of assembly are: what else a kernel is made of is built anew to know what its results depend on.
    """

    def __init__(self, kernel: Kernel, opened: int) -> None:
        self._kernel, self._opened = kernel, opened
        self._results: Results | None = None

    def close(self) -> None:
        """Close the file of the results."""
        if self._results is not None:
            self._results.__exit__()
            self._results = None

    def answer(self, unit: Callable[..., Any], values: tuple[Any, ...], compute: Callable[[], T]) -> T:
        """Return what `unit` gives for the kernel and `values`: what is kept of it, or else what `compute` returns."""
        question = self._question(kind_of(unit), values)
        if question is None or self._results is None:
            return compute()
        [known] = self._results.answers([question], question.kind)
        if known is not None:
            return known  # type: ignore[no-any-return]
        began = time.perf_counter()
        found = compute()
        self._results.keep(question, found, time.perf_counter() - began)
        self._results.write()
        return found

    def _question(self, kind: str, values: tuple[Any, ...]) -> Question | None:
        """Return the question; None where a file was written since the kernel was opened, which may have been before.

        The files are read for it now, and the answer is about them as they were then.
        """
        if self._kernel.path.suffix not in ASSEMBLY or self._kernel.build.link:
            return None
        if self._results is None:
            self._results = Results(results_folder())
        question = self._results.question(kind, self._kernel, *values)
        sources = known_sources(self._kernel)
        if sources is None or any(changed > self._opened - _LAG for _, _, changed, _ in sources.stamps):
            return None
        return question
