"""The table of trained networks on four cores has what the models say now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.network.packages import models_of

from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import open_library
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.network.open import open_network
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import drawn
from neonlab.network.run.network import run_network

ROOT = Path(__file__).resolve().parents[2]
CORES = [("cortex-a7", 1200, Isa.A32), ("cortex-a53", 1400, Isa.A64), ("cortex-a72", 1800, Isa.A64),
         ("cortex-a76", 2400, Isa.A64)]  # fmt: skip
MODELS = ["alexa", "hey_jarvis", "hey_mycroft", "okay_nabu"]


def figures(model: str) -> list[str]:
    page = (ROOT / "docs" / "pages" / "network.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| {model} \| (.*) \|$", page, re.MULTILINE)
    return str(row).split(" | ")


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("number", range(4), ids=[name for name, _, _ in CORES])
def test_a_trained_network_takes_on_a_core_what_the_page_says(model: str, number: int) -> None:
    name, mhz, isa = CORES[number]
    graph = apply_passes(open_network(models_of("pymicro_wakeword") / f"{model}.tflite")).graph
    run = run_network(graph, open_library(ROOT), isa, ModelledCore.named(name), [drawn(graph, seed=1)], watched=False)
    assert run.wrong == 0 and figures(model)[number] == f"{run.cost.cycles / mhz / 1000:.3f}"
