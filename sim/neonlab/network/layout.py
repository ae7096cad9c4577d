"""Lay images out as the file of a network has them, and as its graph has them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neonlab.network.graph import Array, Graph


def from_file(graph: Graph, values: Array) -> Array:
    """Return an array that is laid out as in the file as the graph has it: [n, h, w, c] of an image."""
    if graph.without_batch and values.ndim == 3:
        values = values[np.newaxis]
    return images_last(values) if graph.channels_first else values


def to_file(graph: Graph, values: Array) -> Array:
    """Return an array of the graph as the file has it."""
    found = images_first(values) if graph.channels_first else values
    return found[0] if graph.without_batch and found.ndim == 4 else found


def images_last(values: Array) -> Array:
    """Return [n, c, h, w] as [n, h, w, c], and what has no 4 dimensions as it is."""
    return np.ascontiguousarray(values.transpose(0, 2, 3, 1)) if values.ndim == 4 else values


def images_first(values: Array) -> Array:
    """Return [n, h, w, c] as [n, c, h, w], and what has no 4 dimensions as it is."""
    return np.ascontiguousarray(values.transpose(0, 3, 1, 2)) if values.ndim == 4 else values


def rows_along(values: Array, axes: Sequence[int]) -> Array:
    """Return [row, element]: the elements of a row are those along `axes`, the first of these outermost."""
    columns = int(np.prod([values.shape[axis] for axis in axes]))
    return np.ascontiguousarray(values.transpose(_rows_last(values.ndim, axes))).reshape(-1, columns)


def from_rows(rows: Array, shape: Sequence[int], axes: Sequence[int]) -> Array:
    """Return [row, element] as an array of `shape`: what `rows_along` took from there."""
    order = _rows_last(len(shape), axes)
    found = rows.reshape([shape[axis] for axis in order])
    return np.ascontiguousarray(found.transpose(np.argsort(order)))


def are_rows(shape: Sequence[int], axes: Sequence[int]) -> bool:
    """Tell whether the rows along `axes` lie one after another, so that nothing needs to be moved."""
    order = [axis for axis in _rows_last(len(shape), axes) if shape[axis] > 1]
    return order == sorted(order)


def _rows_last(rank: int, axes: Sequence[int]) -> tuple[int, ...]:
    return (*(axis for axis in range(rank) if axis not in axes), *axes)
