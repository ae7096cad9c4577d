"""Test the figures of two states of a kernel against what they are made from."""

from __future__ import annotations

import json

from neonlab.lab.compare.figures import Figures


def test_figures_come_back_from_their_json() -> None:
    figures = Figures(106, 4096, 512, {"cortex-a53": 5626, "cortex-a72": 4101})
    document = json.loads(json.dumps(figures.to_json()))
    assert document["cycles_low"]["cortex-a53"] < 5626 < document["cycles_high"]["cortex-a53"]
    assert Figures.from_json(document) == figures
