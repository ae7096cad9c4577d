"""Whole .tflite models give the bits of LiteRT, also trained ones that keep states."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.int8.frameworks.litert import run_model
from tests.network.packages import models_of
from tests.network.tflite_models import network
from tests.tools import require_module

from neonlab.network.formats.tflite import read_tflite
from neonlab.network.reference.inference import drawn, feed, next_states, run_reference

WAKE_WORDS = ["alexa", "hey_jarvis", "hey_mycroft", "okay_nabu"]


def wake_word(name: str) -> Path:
    return models_of("pymicro_wakeword") / f"{name}.tflite"


@pytest.mark.parametrize("arithmetic", ["reference", "xnnpack"])
def test_a_small_network_is_the_same(arithmetic: str) -> None:
    data, image = network()
    graph = read_tflite("network.tflite", data, arithmetic)
    found = run_reference(graph, feed(graph, {"t0": image}))
    wanted = run_model(data, [image], kernels=arithmetic)
    for name, values in list(zip(graph.outputs, wanted, strict=True))[:2]:
        assert values.std() > 0 and np.array_equal(found[name], values)


@pytest.mark.parametrize("name", WAKE_WORDS)
def test_trained_networks_with_states_are_the_same_in_every_tensor(name: str) -> None:
    path = wake_word(name)
    interpreter = require_module("ai_edge_litert.interpreter")
    one = interpreter.Interpreter(
        str(path),
        num_threads=1,
        experimental_op_resolver_type=interpreter.OpResolverType.BUILTIN_REF,
        experimental_preserve_all_tensors=True,
    )
    one.allocate_tensors()
    numbers = {place["name"]: place["index"] for place in one.get_tensor_details()}
    graph, states, compared = read_tflite(str(path), path.read_bytes()), None, 0
    for seed in range(4):
        given = drawn(graph, seed)
        one.set_tensor(one.get_input_details()[0]["index"], given[graph.inputs[0]])
        one.invoke()
        found = run_reference(graph, feed(graph, given, states))
        states = next_states(graph, found)
        for node in graph.nodes:
            wanted = one.get_tensor(numbers[node.outputs[0]])
            assert np.array_equal(found[node.outputs[0]], wanted), node.name
            compared += wanted.size
    assert compared > 25_000
