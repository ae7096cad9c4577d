"""Lay images out as the file of a network has them, and as its graph has them."""

from __future__ import annotations

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
