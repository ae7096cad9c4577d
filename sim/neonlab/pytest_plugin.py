"""Collect the kernels of a neonlab repository as pytest items.

Collects each .S file in asm/armv7 and asm/armv8 and folders below, beside a folder kernels/: one item that tries every
case, and one a shape, which holds what the kernel costs there against baselines.toml as well.  Where the contract or
pytest's configuration asks for a proof, one more item proves the kernel.  Kernels run in a process of their own.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from neonlab.lab.repository.kernel_files import isa_folder

if TYPE_CHECKING:
    from neonlab.cli.progress import Progress
    from neonlab.lab.parallel.pool import Workers
    from neonlab.lab.regression.baselines import Baselines
    from neonlab.lab.regression.item import ItemOutcome
    from neonlab.lab.repository.library import Kernel
    from neonlab.prove.proof import Proof

_ITEM = "kernel["
_CASES, _PROOF = "cases", "proof"
_PROVE = "neonlab_prove"
#: Properties of an item's report, which JUnit files show and xdist sends from its workers to the controller.
_ROOT, _KERNEL, _SHAPE = "neonlab_root", "neonlab_kernel", "neonlab_shape"
_FIGURES, _BEATEN = "neonlab_figures", "neonlab_beaten"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--neonlab-update`, and `neonlab_prove` for the configuration."""
    group = parser.getgroup("neonlab", "kernels checked and counted by neonlab")
    group.addoption(
        "--neonlab-update",
        action="store_true",
        help="write what the kernels cost now to baselines.toml, instead of comparing with it",
    )
    group.addoption("--neonlab-no-cache", action="store_true", help="run all kernels anew; take and keep no results")
    parser.addini(_PROVE, "prove every kernel: at its `tails`, or at its `layers`; a contract may say `prove` itself")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and the session's data."""
    config.addinivalue_line("markers", "neonlab: a kernel, collected from its .S file")
    config.pluginmanager.register(_Session(config), "neonlab-session")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a kernel's file in the asm/ of a repository; None for other files."""
    root = _root_of(file_path) if file_path.suffix == ".S" else None
    if root is None or not (root / "kernels").is_dir():
        return None
    return KernelFile.from_parent(parent, path=file_path)


def _root_of(path: Path) -> Path | None:
    """Return the folder that holds the asm/armv7 or asm/armv8 that the file lies in; None for other files."""
    folder = isa_folder(path)
    return folder.parent.parent if folder is not None else None


class KernelFile(pytest.File):
    """A file with one kernel, or with several that the contract beside it describes."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for all cases, and one for each shape."""
        from neonlab.errors import InputError
        from neonlab.lab.regression.item import shapes_to_try

        try:
            baselines = self._baselines()
            trials = [
                (k, trial)
                for k in self._kernels()
                for trial in (_CASES, *([_PROOF] if self._to_prove(k) else []), *shapes_to_try(k, baselines))
            ]
        except InputError as error:
            raise self.CollectError(str(error)) from None
        for kernel, trial in trials:
            name = f"{_ITEM}{kernel.isa.value}-{kernel.name}-{trial}]"
            item = KernelItem.from_parent(self, name=name)
            item.begin(kernel, baselines, None if trial in (_CASES, _PROOF) else trial)
            if trial == _PROOF:
                item.prove = self._to_prove(kernel)
            yield item

    def _to_prove(self, kernel: Kernel) -> str:
        """Return the shapes to prove the kernel at: those of its contract, or of the configuration; "" for none."""
        from neonlab.contract.model import PROVED_SHAPES

        said = str(self.config.getini(_PROVE)).strip()
        if said and said not in PROVED_SHAPES:
            raise self.CollectError(f"{_PROVE} is one of {', '.join(PROVED_SHAPES)}, not `{said}`")
        return kernel.contract.prove or said

    @property
    def root(self) -> Path:
        """The repository."""
        return _root_of(self.path) or self.path.parents[2]

    def _kernels(self) -> list[Kernel]:
        from neonlab.lab.repository.library import read_members

        return read_members(self.path)

    def _baselines(self) -> Baselines | None:
        from neonlab.lab.regression.baselines import FILE, read_baselines

        return read_baselines(self.root / FILE)


class KernelFailed(Exception):
    """A kernel is wrong, or costs more than allowed; the text says how."""


class KernelItem(pytest.Item):
    """One kernel under every case, on one shape, or proved at the shapes that `prove` names."""

    prove = ""

    def begin(self, kernel: Kernel, baselines: Baselines | None, shape: str | None) -> None:
        """Set what to try."""
        self.kernel, self.baselines, self.shape = kernel, baselines, shape
        self.add_marker("neonlab")

    def runtest(self) -> None:
        """Try the kernel.  Raises KernelFailed."""
        from neonlab.errors import InputError
        from neonlab.lab.regression.item import try_cases, try_shape

        session = self.config.pluginmanager.get_plugin("neonlab-session")
        assert isinstance(session, _Session)
        update = bool(self.config.getoption("--neonlab-update"))
        try:
            if self.prove:
                self._prove(session.workers)
                return
            if self.shape is None:
                outcome = try_cases(session.workers, self.kernel)
            else:
                outcome = try_shape(session.workers, self.kernel, self.shape, self.baselines, update=update)
        except InputError as error:
            raise KernelFailed(str(error)) from None
        self._record(outcome)
        if not outcome.passed:
            raise KernelFailed(_explained(self, outcome))

    def _prove(self, workers: Workers) -> None:
        """Prove the kernel.  Raises KernelFailed unless it is proved, as a proof was asked for."""
        from neonlab.lab.regression.item import try_proof

        proof = try_proof(workers, self.kernel, self.prove)
        self.user_properties += [(_KERNEL, self.kernel.title), ("neonlab_proof", proof.status.value)]
        if not proof.status.is_proof:
            raise KernelFailed(_proof_text(proof))

    def _record(self, outcome: ItemOutcome) -> None:
        self.user_properties.append((_KERNEL, self.kernel.title))
        if self.shape is None or outcome.figures is None:
            return
        assert isinstance(self.parent, KernelFile)
        self.user_properties += [(name.replace(" ", "_"), count) for name, count in outcome.figures.named().items()]
        self.user_properties += [(_ROOT, str(self.parent.root)), (_SHAPE, self.shape)]
        self.user_properties.append((_FIGURES, json.dumps(outcome.figures.to_json())))
        if outcome.beaten:
            self.user_properties.append((_BEATEN, ", ".join(change.name for change in outcome.beaten)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the findings as `neonlab check` prints them; a traceback for any other error."""
        if isinstance(excinfo.value, KernelFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the file, no line, and the name."""
        return self.path, None, self.name


def _proof_text(proof: Proof) -> str:
    """Return the proof as `neonlab prove` prints it."""
    from rich.console import Console

    from neonlab.report.terminal.proof import print_proofs

    text = io.StringIO()
    print_proofs(Console(file=text, width=100, highlight=False, soft_wrap=True), [proof])
    return text.getvalue().rstrip()


def _explained(item: KernelItem, outcome: ItemOutcome) -> str:
    from rich.console import Console

    from neonlab.lab.compare.figures import COUNTED
    from neonlab.lab.regression.baselines import FILE
    from neonlab.report.comparison_words import change_text
    from neonlab.report.terminal.verdict import print_verdicts

    lines = []
    if not outcome.verdict.passed:
        text = io.StringIO()
        print_verdicts(Console(file=text, width=100, highlight=False, soft_wrap=True), [outcome.verdict])
        lines.append(text.getvalue().rstrip())
    known = item.baselines
    for change in outcome.exceeded:
        assert known is not None
        allowed = "" if change.name in COUNTED else f", {known.tolerance:g} % allowed"
        name = COUNTED.get(change.name, change.name.replace("cycles ", "cycles on "))
        lines.append(f"{item.kernel.title} at {item.shape}: {name} {change_text(change)} above {FILE}{allowed}")
    if outcome.missing:
        lines.append(f"{item.kernel.title} at {item.shape}: {FILE} has no figures for it")
    if outcome.exceeded or outcome.missing:
        lines.append("if it is to be so: pytest --neonlab-update, and commit the file")
    return "\n".join(lines)


class _Session:
    """The state of a session: the worker process, started when first needed, results, and the progress display."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._progress: Progress | None = None
        self._stack = ExitStack()
        self._workers: Workers | None = None
        self._found: dict[Path, list[tuple[str, str, dict[str, Any]]]] = {}
        self._beaten: list[str] = []
        self._written: list[Path] = []

    @property
    def workers(self) -> Workers:
        """Return a pool of one process beside this one."""
        from neonlab.lab.cache.folder import results_folder
        from neonlab.lab.cache.results import Results
        from neonlab.lab.parallel.pool import Workers

        if self._workers is None:
            folder = None if self._config.getoption("--neonlab-no-cache") else results_folder()
            self._workers = Workers(1, results=self._stack.enter_context(Results(folder)))
        return self._workers

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Report that an item runs, if it takes long; the first may wait for the lab to be compiled."""
        name = nodeid.rpartition("::")[2]
        if not name.startswith(_ITEM):
            return
        if self._progress is None:
            self._progress = self._begin_progress()
        if self._progress is not None:
            self._progress.begin(name)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Stop reporting the item."""
        if self._progress is not None:
            self._progress.clear()

    def _begin_progress(self) -> Progress | None:
        """Start the progress display; return None where it is not seen or wanted: in xdist's workers, with --quiet."""
        from neonlab.cli.progress import EVERY, FIRST, Lines, Progress, ticking
        from neonlab.host.compiling import QUIET

        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None or self._config.get_verbosity() < 0 or os.environ.get(QUIET):
            return None

        def write(text: str) -> None:
            reporter.ensure_newline()
            reporter.write_line(f"neonlab: {text}")

        progress = Progress(Lines(write), first=FIRST, every=EVERY)
        self._stack.enter_context(ticking(progress))
        return progress

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect figures of items that passed; with xdist, in the controller, where all reports arrive."""
        if report.when != "call" or not report.passed:
            return
        told = dict(report.user_properties)
        if _FIGURES in told:
            figures = json.loads(str(told[_FIGURES]))
            self._found.setdefault(Path(str(told[_ROOT])), []).append((str(told[_KERNEL]), str(told[_SHAPE]), figures))
        if _BEATEN in told:
            self._beaten.append(f"{told[_KERNEL]} at {told[_SHAPE]}: {told[_BEATEN]}")

    def pytest_sessionfinish(self) -> None:
        """Write baselines if asked to, and only once, not in each of xdist's workers."""
        if self._config.getoption("--neonlab-update") and not hasattr(self._config, "workerinput"):
            self._write()

    def pytest_unconfigure(self) -> None:
        """End the thread and the worker processes."""
        self._stack.close()
        if self._workers is not None:
            self._workers.__exit__()
            self._workers = None

    def _write(self) -> None:
        from neonlab.lab.compare.figures import Figures
        from neonlab.lab.regression.baselines import FILE
        from neonlab.lab.regression.item import updated, write_baselines

        for root, found in self._found.items():
            rows = [(kernel, shape, Figures.from_json(figures)) for kernel, shape, figures in found]
            write_baselines(root, updated(root, rows))
            self._written.append(root / FILE)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Report which files were written, and which baselines could be lowered."""
        for line in self._summary():
            terminalreporter.write_line(f"neonlab: {line}")

    def _summary(self) -> Iterable[str]:
        for path in self._written:
            yield f"{path} written"
        counts = self._workers.results.counts.values() if self._workers is not None else ()
        if found := sum(one for _, one in counts):
            asked = sum(one for one, _ in counts)
            yield f"{found:,} of {asked:,} results from the cache; --neonlab-no-cache computes them anew"
        if self._beaten:
            count = len(self._beaten)
            yield f"{count} below baseline ({self._beaten[0]}{', ...' if count > 1 else ''}); --neonlab-update keeps it"
