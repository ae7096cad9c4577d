"""The page of a network: what it holds, and how it looks in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.contrast import poor_contrast
from tests.network.onnx_models import classifier

from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import open_library
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.network.formats.onnx import read_onnx
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import drawn
from neonlab.network.run.network import NetworkRun, run_network
from neonlab.report.network.page import network_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def run() -> NetworkRun:
    graph = apply_passes(read_onnx("<b>small & co</b>.onnx", classifier()[0], {})).graph
    core = ModelledCore.named("cortex-a53", cycles=True)
    return run_network(graph, open_library(ROOT), Isa.A64, core, [drawn(graph, 1)])


@pytest.mark.slow
def test_a_page_holds_each_layer_and_each_way_that_was_tried(run: NetworkRun) -> None:
    text = network_page(run, 1200, ["2 <tables>"], ["Against old.json"])
    assert "<b>small" not in text and "2 &lt;tables&gt;" in text and "Against old.json" in text
    assert text.count('<span class="good">exact</span>') == sum(one.way == "kernels" for one in run.layers)
    ways = [len(one.tried) for one in run.layers if len(one.tried) > 1]
    assert text.count("<details>") == len(ways) > 4 and text.count("taken</span>") == len(ways)
    assert f"{run.cost.cycles:,}" in text and "at 1200 MHz" in text
    assert text == network_page(run, 1200, ["2 <tables>"], ["Against old.json"])
    shares = [float(part.partition("px")[0]) for part in text.split('style="width: ')[1:]]
    assert 190 <= np.sum(shares[: sum(bool(one.kernels) for one in run.layers)]) <= 210


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_a_page_fits_its_window_and_reports_nothing(
    browser: Browser, run: NetworkRun, tmp_path: Path, width: int, scheme: str
) -> None:
    file = tmp_path / "network.html"
    file.write_text(network_page(run, 1200, []), encoding="utf-8")
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        offline=True,
    )
    tab, problems = context.new_page(), list[str]()
    tab.on("console", lambda message: problems.append(message.text))
    tab.goto(file.as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") <= width and problems == []
    tab.locator("summary").first.click()
    assert tab.locator("details table").first.is_visible() and poor_contrast(tab) == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
