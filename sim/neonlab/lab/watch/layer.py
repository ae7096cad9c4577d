"""Choose the layer that a kernel is measured on while it is edited, and a small part of it that is quickly measured."""

from __future__ import annotations

from neonlab.errors import InputError
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.plan import layers_or_largest
from neonlab.lab.run.shapes import integers_of
from neonlab.measure.shape import Shape

#: Work of the layer that is measured by default: of those of the kernel's operator, the nearest is taken.
_LAYER_WORK = 14 * 14 * 256 * 256
_TILE = 8  # for each size that the number of results depends on


def layer_to_watch(kernel: Kernel) -> Shape:
    """Return the layer of 14x14x256x256, or the one nearest in work; without an operator, the largest planned case."""
    layers = layers_or_largest(kernel)
    if kernel.operator is not None and len(kernel.operator.dimensions) == 4:
        layer = Shape(kernel.operator.dimensions, (14, 14, 256, 256))
        if kernel.operator.accepts(kernel.contract, layer):
            return layer
    return min(layers, key=lambda shape: abs(shape.work - _LAYER_WORK))


def tile_of(kernel: Kernel, layer: Shape) -> Shape:
    """Return a part of `layer` with few results, each computed completely: sizes that count results are reduced.

    Sizes stay if the contract allows no smaller one.
    """
    tile = layer
    counted = [at for at, size in enumerate(layer.sizes) if size > _TILE and _counts_results(kernel, layer, at)]
    summed = any(size > _TILE for at, size in enumerate(layer.sizes) if at not in counted)
    for at in counted:
        # Without sums, loops run over results, so the last size stays large enough for some iterations.
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
