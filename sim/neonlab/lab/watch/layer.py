"""Which layer a kernel is measured on while it is written, and the part of it that takes a fraction of a second."""

from __future__ import annotations

from neonlab.errors import InputError
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.plan import layers_or_largest
from neonlab.lab.run.shapes import integers_of
from neonlab.verify.cases.case import Shape

#: The layer that is measured unless another is asked for, where the kernel's operator names it or one like it.
_LAYER_WORK = 14 * 14 * 256 * 256
_TILE = 8  # of each size that results are counted by


def layer_to_watch(kernel: Kernel) -> Shape:
    """The layer of 14x14x256x256, or the one nearest to it in work; the largest case planned without an operator."""
    layers = layers_or_largest(kernel)
    if kernel.operator is not None and len(kernel.operator.dimensions) == 4:
        layer = Shape(kernel.operator.dimensions, (14, 14, 256, 256))
        if kernel.operator.accepts(kernel.contract, layer):
            return layer
    return min(layers, key=lambda shape: abs(shape.work - _LAYER_WORK))


def tile_of(kernel: Kernel, layer: Shape) -> Shape:
    """A part of `layer`, with a few of its results and all that goes into each: sizes that results are counted by, cut.

    Sizes are let be where the contract allows no smaller one.
    """
    tile = layer
    counted = [at for at, size in enumerate(layer.sizes) if size > _TILE and _counts_results(kernel, layer, at)]
    summed = any(size > _TILE for at, size in enumerate(layer.sizes) if at not in counted)
    for at in counted:
        # Where nothing is summed up, loops go over results: the last size leaves them some rounds.
        long = not summed and at == counted[-1]
        for size in (16 * _TILE,) if long else (_TILE, 2 * _TILE, 4 * _TILE):
            sizes = list(tile.sizes)
            sizes[at] = min(size, sizes[at])
            cut = Shape(tile.names, tuple(sizes))
            if _allowed(kernel, cut):
                tile = cut
                break
    return tile


def _written(kernel: Kernel, shape: Shape) -> int:
    integers = integers_of(kernel, shape)
    return sum(a.write.evaluate(integers) for a in kernel.contract.arguments if a.write is not None)


def _counts_results(kernel: Kernel, layer: Shape, at: int) -> bool:
    sizes = list(layer.sizes)
    sizes[at] //= 2
    half = Shape(layer.names, tuple(sizes))
    try:
        return _written(kernel, half) != _written(kernel, layer)
    except InputError:
        return False


def _allowed(kernel: Kernel, shape: Shape) -> bool:
    try:
        kernel.contract.check_values(integers_of(kernel, shape))
    except InputError:
        return False
    return True
