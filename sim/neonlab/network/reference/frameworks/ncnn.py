"""Compute a layer of ncnn by the package `ncnn`: the layer alone, without weights, run in another process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neonlab.network.graph import Array
from neonlab.network.reference.frameworks.process import Framework, Promised
from neonlab.network.reference.frameworks.refusal import FrameworkRefusal

#: What is said where the package is not installed.
INSTALL = "the package ncnn computes it on the host: pip install 'neonlab[ncnn]'"


class NcnnRefusal(FrameworkRefusal):
    """Raised where ncnn cannot run a layer, or is not installed; the message says why."""

    framework = "ncnn"


NCNN = Framework("ncnn", "neonlab.network.reference.frameworks.ncnn_worker", INSTALL, NcnnRefusal)


@dataclass(frozen=True, slots=True)
class OneLayer:
    """A layer of a .param: its type, the text of its parameters, how many blobs it takes and makes, and what it takes.

    `shapes` are ncnn's, [c, h, w] of an image.  Without them, only whether ncnn has such a layer can be asked.
    """

    kind: str
    parameters: str
    bottoms: int
    tops: int
    shapes: tuple[tuple[int, ...], ...] | None

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the names of the blobs that it takes, in its own model."""
        return tuple(f"in{number}" for number in range(self.bottoms))

    @property
    def outputs(self) -> tuple[str, ...]:
        """Return the names of the blobs that it makes, in its own model."""
        return tuple(f"out{number}" for number in range(self.tops))

    @property
    def source(self) -> bytes:
        """Return the .param of the layer alone."""
        blobs = (*self.inputs, *self.outputs)
        rows = [f"Input {name} 0 1 {name}" for name in self.inputs]
        rows.append(f"{self.kind} layer {len(self.inputs)} {self.tops} {' '.join(blobs)} {self.parameters}")
        return "\n".join(["7767517", f"{len(rows)} {len(blobs)}", *rows, ""]).encode()

    @property
    def options(self) -> Mapping[str, Any]:
        """Return what the process has to know of it."""
        return {"inputs": self.inputs, "shapes": self.shapes}

    def promised(self) -> tuple[Promised, ...]:
        """Return the outputs; none without shapes.  Raises NcnnRefusal for a layer that ncnn cannot run so."""
        return NCNN.process().promised(self)

    def run(self, output: int, inputs: Sequence[Array]) -> Array:
        """Return the output at the place `output`.  Raises NcnnRefusal where data decide its size."""
        found = NCNN.process().run(self, output, inputs)
        if found.shape != self.promised()[output].shape:
            raise NcnnRefusal(f"data decide the size of what it makes: {list(found.shape)} now")
        return found
