"""Find kernels by what they do: those of one instruction set of a library that a core can run."""

from __future__ import annotations

from dataclasses import dataclass, field

from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.kernel_name import SCHEMES, KernelName, KernelNameError
from neonlab.lab.repository.library import Kernel, Library
from neonlab.measure.cores.modelled import ModelledCore

#: The word in kernels' names for each scheme of `neonlab.int8.requantize` that gives the same results.  No kernel has
#: that of sums, which stay as they are.
WORD_OF_SCHEME = {
    "ruy": "ruy",
    "gemmlowp": "gemmlowp",
    "qnnpack-fp32": "fp32",
    "onnxruntime": "fp32",
    "tvm-arm": "tvm",
    "tvm-upward": "ruy",
    "tvm-tonearest": "precise",
    "ncnn": "ncnn",
    "sums": "sums",
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A kernel of the shelf, with the parts of its name."""

    kernel: Kernel = field(repr=False)
    name: KernelName

    @property
    def scheme(self) -> str:
        """Return the word that says how it scales sums; "" if it does not."""
        return next((variant for variant in self.name.variants if variant in SCHEMES), "")


class Shelf:
    """Hold the kernels of a library for one instruction set that `core` can run; without a core, plain NEON alone."""

    def __init__(self, library: Library, isa: Isa, core: ModelledCore | None) -> None:
        self.library, self.isa, self.core = library, isa, core
        self._listed: list[Listed] = []
        for kernel in library.kernels:
            if kernel.isa is not isa or kernel.operator is None:
                continue
            try:
                name = KernelName.parse(kernel.name)
            except KernelNameError:
                continue
            refused = bool(name.level) if core is None else core.refusal(isa, kernel.contract.features) is not None
            if not refused:
                self._listed.append(Listed(kernel, name))

    def find(
        self,
        operator: str,
        types: str,
        *,
        layout: str = "",
        scheme: str = "",
        window: tuple[int, int] | None = None,
        stride: int = 1,
    ) -> list[Kernel]:
        """Return the kernels of an operator, with these types ("s8s32"), this window and scheme, in the order of names.

        Those that look their results up in a table are left out: they load it for each tile, and so take more cycles
        than the kernel without and `lut` after it.
        """
        return [
            one.kernel
            for one in self._listed
            if one.name.operator == operator
            and "".join(one.name.inputs) + one.name.output == types
            and layout in ("", one.name.layout)
            and one.scheme == scheme
            and one.name.window == window
            and one.name.stride == stride
            and "lut" not in one.name.variants
        ]
