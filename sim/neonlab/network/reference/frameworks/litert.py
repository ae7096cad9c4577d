"""Compute an operator of TFLite by LiteRT: a model of one operator, run in another process."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neonlab.network.graph import Array
from neonlab.network.reference.frameworks.process import Framework, Promised
from neonlab.network.reference.frameworks.refusal import FrameworkRefusal

#: What is said where the package is not installed.
INSTALL = "LiteRT computes it on the host: pip install 'neonlab[litert]'"


class LiteRtRefusal(FrameworkRefusal):
    """Raised where LiteRT cannot run an operator, or is not installed; the message says why."""

    framework = "LiteRT"

    @classmethod
    def told(cls, text: str) -> str:
        """Return what LiteRT says without the places in its own sources and the number of its node."""
        text = re.sub(r"\S+\.(?:cc|h):\d+ ", "", super().told(text))
        return re.sub(r"\s*Node number \d+ \(\w+\) failed to (?:prepare|invoke)\.?.*", "", text).strip() or text


LITERT = Framework(
    "ai_edge_litert", "neonlab.network.reference.frameworks.litert_worker", INSTALL, LiteRtRefusal
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class OneOperator:
    """A .tflite model of one operator, and the numbers of the tensors that it takes and puts out, in their order.

    `arithmetic` is `reference`, `optimized` or `xnnpack`: which of LiteRT's kernels run it.
    """

    source: bytes
    arithmetic: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    @property
    def options(self) -> Mapping[str, Any]:
        """Return what the process has to know of it."""
        return {"arithmetic": self.arithmetic}

    def promised(self) -> tuple[Promised, ...]:
        """Return the outputs.  Raises LiteRtRefusal for an operator that LiteRT cannot run."""
        return LITERT.process().promised(self)

    def run(self, output: int, inputs: Sequence[Array]) -> Array:
        """Return the output at the place `output`.  Raises LiteRtRefusal for inputs that the operator refuses."""
        return LITERT.process().run(self, output, inputs)
