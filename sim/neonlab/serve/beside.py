"""Compare the text in the editor with another implementation of it, in a thread beside the server.

The other one is C, assembly, or the kernel at a git revision.  It is called as the kernel is, and judged by the same
reference.  What is found is told by a `Compared`, each of which replaces the one before.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from neonlab.contract.options import NOTHING, Build, Given
from neonlab.editor.desk import Text
from neonlab.editor.scratch import Scratch
from neonlab.errors import InputError
from neonlab.lab.compare.comparison import Comparison
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.repository.revision import tree_at
from neonlab.lab.run.check import check
from neonlab.lab.run.plan import parse_shape
from neonlab.lab.run.profile import compare
from neonlab.lab.watch.layer import layer_to_watch, tile_of
from neonlab.serve.one_task import OneTask
from neonlab.verify.verdict import Verdict

_HEADER = re.compile(r"\A\s*/\*toml\n(.*?)\*/", re.DOTALL)
_STACK = "1048576"  # bytes that compiled code may use, whatever the kernel is allowed


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of implementation: words for it, what else it `asks` for ("" for nothing), and the usual answer."""

    words: str
    asks: str = ""
    usual: str = ""


#: The kinds that can be set beside a kernel; compilers by their names.
KINDS = {
    **{name: Kind(f"C, {name}", "flags", "-O3") for name in ("gcc", "clang", "zig")},
    "assembly": Kind("assembly"),
    "revision": Kind("a revision", "revision", "HEAD"),
}


@dataclass(frozen=True, slots=True)
class Other:
    """Another implementation: its kind, its text, and `more`, the compiler's flags or the revision."""

    kind: str
    text: str = ""
    more: str = ""

    @property
    def is_c(self) -> bool:
        """Tell whether it is compiled."""
        return KINDS[self.kind].asks == "flags"

    def label(self, stem: str) -> str:
        """Return a name for it, as `neonlab compare` has it."""
        if self.is_c:
            return f"{stem}.c@{self.kind}:{self.more}"
        return f"{stem}.S beside" if self.kind == "assembly" else f"{stem}.S at {self.more or 'HEAD'}"


@dataclass(frozen=True, slots=True)
class Compared:
    """Hold what is known of a text and another implementation: what goes on, the comparison, the other's verdict.

    `problem` says why there is no more.
    """

    text: Text
    other: Other
    words: str = ""
    comparison: Comparison | None = None
    verdict: Verdict | None = None
    problem: str = ""

    @property
    def is_over(self) -> bool:
        """Tell whether nothing more will be told."""
        return self.verdict is not None or bool(self.problem)


class Comparer(OneTask):
    """Makes one comparison at a time; `show` is called in its thread."""

    def __init__(
        self, root: Path | None, given: Mapping[Path, Given], shape: str | None, seed: int,
        show: Callable[[Compared], None],
    ) -> None:  # fmt: skip
        super().__init__("compare")
        self._root, self._given, self._shape, self._seed, self._show = root, given, shape, seed, show

    def begin(self, text: Text, other: Other, core: str) -> bool:
        """Begin to compare; return False and do nothing while another comparison is under way."""
        return self._start(self._run, Compared(text, other), core)

    def skeleton(self, text: Text) -> str:
        """Return a C function of the kernel's prototype, to be filled in.  Raises InputError."""
        with Scratch(text.path, self._root) as scratch:
            contract = self._opened(text, scratch).contract
        kinds = re.findall(r"[^(,]+(?=[,)])", contract.prototype.partition("(")[2])
        named = [
            kind.strip() if re.search(rf"\b{re.escape(argument.name)}\b", kind) else f"{kind.strip()} {argument.name}"
            for kind, argument in zip(kinds, contract.arguments, strict=False)
        ]
        told = ", ".join(named).replace("* ", "*")
        return f"#include <stddef.h>\n#include <stdint.h>\n\nvoid {contract.name}({told})\n{{\n}}\n"

    def _run(self, compared: Compared, core: str) -> None:
        try:
            with ExitStack() as stack:
                self._compare(compared, core, stack)
        except (InputError, OSError) as error:
            self._show(replace(compared, problem=str(error)))
        except Exception as error:  # the page must not wait for ever
            self._show(replace(compared, problem=f"internal error: {type(error).__name__}: {error}"))

    def _compare(self, compared: Compared, core: str, stack: ExitStack) -> None:
        text, other = compared.text, compared.other
        self._show(replace(compared, words="building both"))
        scratches = [stack.enter_context(Scratch(text.path, self._root))]
        try:
            kernel = self._opened(text, scratches[0])
            second = self._second(text, other, scratches, stack)
            shape = parse_shape(kernel, self._shape) if self._shape else tile_of(kernel, layer_to_watch(kernel))
            self._show(replace(compared, words=f"running both on {shape}"))
            found = _labelled(
                compare([kernel, second], shape, cores=[core] if core else [], warm=bool(core), seed=self._seed),
                (text.path.name, other.label(text.path.stem)),
            )
            known = replace(compared, words=f"checking {other.label(text.path.stem)}", comparison=found)
            self._show(known)
            self._show(replace(known, words="", verdict=check(second, seed=self._seed)))
        except InputError as error:
            said = str(error)
            for scratch in scratches:
                said = scratch.real(said)
            raise InputError(said) from None

    def _opened(self, text: Text, scratch: Scratch) -> Kernel:
        path = scratch.write(text.text, {path: now for path, now, _ in text.beside})
        return open_kernel(path, self._given.get(text.path, NOTHING))

    def _second(self, text: Text, other: Other, scratches: list[Scratch], stack: ExitStack) -> Kernel:
        given = self._given.get(text.path, NOTHING)
        if other.kind == "revision":
            tree = stack.enter_context(tree_at(other.more or "HEAD", text.path.parent))
            return open_kernel(tree.folder / text.path.resolve().relative_to(tree.repository), given)
        path = text.path.with_suffix(".c") if other.is_c else text.path
        scratch = stack.enter_context(Scratch(path, self._root))
        scratches.append(scratch)
        head, body, contract = _HEADER.match(text.text), other.text, dict[Path, str]()
        if head is not None and other.is_c:  # C has its contract beside it
            contract[path.with_name(f"{path.stem}.contract.toml")] = head[1]
        elif head is not None and _HEADER.match(body) is None:
            body = f"{head[0]}\n{body}"
        if other.is_c:
            try:
                flags = tuple(shlex.split(other.more))
            except ValueError as error:
                raise InputError(f"flags {other.more}: {error}") from None
            build = Build(flags=flags, compiler=other.kind).over(given.build)
            given = replace(given, build=build, settings=(*given.settings, ("stack", _STACK)))
        return open_kernel(scratch.write(body, contract), given)


def _labelled(comparison: Comparison, labels: tuple[str, str]) -> Comparison:
    """Return the comparison with names that tell the two apart."""
    groups = [
        replace(group, sides=tuple(replace(side, label=label) for side, label in zip(group.sides, labels, strict=True)))
        for group in comparison.groups
    ]
    loops = [replace(loop, before=labels[0], after=labels[1]) for loop in comparison.loops]
    return replace(comparison, groups=tuple(groups), loops=tuple(loops))
