"""Convert what the public functions accept: a kernel by its name, a shape as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from neonlab.assemble.file_names import CODE
from neonlab.contract.options import NOTHING, Given
from neonlab.errors import InputError
from neonlab.host.input_file import is_file, is_other, no_file
from neonlab.lab.repository.library import Kernel, find_members, find_root, open_kernels
from neonlab.lab.run.plan import parse_shape
from neonlab.measure.shape import NO_SIZES, Shape

#: A kernel, its name in the library ("armv8/NAME", or "NAME" where that is enough), or the path of a file with one; of
#: several in a file, the title that messages give it.
AskedKernel = Kernel | str | Path
#: A shape, or its sizes joined by x: "14x14x256x512".
AskedShape = Shape | str


def names_file(name: str) -> bool:
    """Tell whether `name` means a file, not a kernel of the library."""
    return name.endswith(CODE) or is_file(name) or is_other(name)


def kernels_named(name: str, given: Given | None = None) -> list[Kernel]:
    """Find the kernels that `name` stands for: functions of a file, or library members, possibly for several ISAs.

    Raises InputError where there is no such file, or no such kernel.
    """
    if not names_file(name):
        return list(find_members(find_root(), name))
    if not is_file(name):
        raise no_file(name)
    return open_kernels(Path(name), given or NOTHING)


def one_kernel(asked: AskedKernel) -> Kernel:
    """Return the kernel that `asked` names.  Raises InputError unless it names exactly one."""
    if isinstance(asked, Kernel):
        return asked
    if not isinstance(asked, (str, Path)):
        raise InputError(f"a kernel is a neonlab.Kernel, a name or a path, not {type(asked).__name__}")
    found = _titled(str(asked)) or kernels_named(str(asked))
    if len(found) > 1:
        raise InputError(f"`{asked}` means {len(found)} kernels: {', '.join(one.title for one in found)}; name one")
    return found[0]


def _titled(text: str) -> list[Kernel]:
    """Return the function of a file whose title is `text`, such as "dot.c --symbol dot --isa armv8", if any."""
    name = text.partition(" --")[0]
    if name == text or not names_file(name):
        return []
    return [one for one in kernels_named(name) if one.title == text]


def some_kernels(asked: AskedKernel | Iterable[AskedKernel]) -> list[Kernel]:
    """Return the kernels that `asked` names, one or several."""
    several = [asked] if isinstance(asked, (Kernel, str, Path)) else asked
    return [one_kernel(one) for one in several]


def one_shape(kernel: Kernel, asked: AskedShape) -> Shape:
    """Return the shape of `kernel` that `asked` names; only a kernel without sizes needs none.  Raises InputError."""
    if isinstance(asked, Shape):
        return asked
    if not isinstance(asked, str):
        raise InputError(f"a shape is a neonlab.Shape or text such as 14x14x256x512, not {type(asked).__name__}")
    if not asked:
        names = kernel.operator.dimensions if kernel.operator is not None else None
        names = names or tuple(argument.name for argument in kernel.contract.integers)
        if names:
            raise InputError(f"{kernel.title}: give a shape, which is {' x '.join(names)}")
    return parse_shape(kernel, asked or NO_SIZES)


def some_shapes(kernel: Kernel, asked: AskedShape | Sequence[AskedShape]) -> list[Shape]:
    """Return the shapes of `kernel` that `asked` names, one or several."""
    return [one_shape(kernel, one) for one in ([asked] if isinstance(asked, (Shape, str)) else asked)]
