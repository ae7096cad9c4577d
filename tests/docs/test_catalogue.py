"""The figures that the catalogue states are those of the report."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "docs" / "pages" / "catalogue.md"


def test_figures_of_hot_loops_and_of_layers_with_few_input_channels_are_those_of_the_report() -> None:
    rows = json.loads((ROOT / "reports" / "variants.json").read_text())["rows"]
    loops = {row["kernel"]: row["hot_loop"] for row in rows}
    layers = {(row["kernel"], row["layer"].split(" ")[-1]): row["profile"]["instructions_per_mac"] for row in rows}
    compared = 0
    for line in re.findall(r"^\| ARMv7 NEON.*|^\| (?:ARMv8|AArch32|i8mm).*", CATALOGUE.read_text(), re.MULTILINE):
        isa = "armv7" if line.startswith(("| ARMv7", "| AArch32")) else "armv8"
        channels = re.match(r"\| [^|]*, (\d+) \|", line)
        for name, figure in re.findall(r"`(\w+)` \| (0\.\d+) \|", line):
            kernel, digits = f"{isa}/{name}", len(figure) - 2
            if channels is None:
                counted = loops[kernel]["instructions"] / loops[kernel]["macs"]
            else:
                counted = layers[kernel, {"32": "32->64", "64": "64->128"}[channels[1]]]
            assert abs(counted - float(figure)) <= 0.5 * 10**-digits + 1e-9, (kernel, counted)
            compared += 1
    assert compared == 20


def test_figures_of_depthwise_kernels_and_gemv_are_those_of_the_report() -> None:
    rows = json.loads((ROOT / "reports" / "variants.json").read_text())["rows"]
    levels = (("armv7", False), ("armv8", False), ("armv8", True))
    compared = 0
    for operator, *cells in re.findall(
        r"^\| `((?:dwconv|gemv)\w*)` \| ([\d.]*) ?\| ([\d.]*) ?\| ([\d.]*) ?\|$", CATALOGUE.read_text(), re.MULTILINE
    ):
        for cell, (isa, dotprod) in zip(cells, levels, strict=True):
            if not cell:
                continue
            kind = r"s8s8_\w+_dotprod_ruy" if dotprod else r"s8s32_(?!\w*inorder)\w+"
            found = {
                row["hot_loop"]["instructions"] / row["hot_loop"]["macs"]
                for row in rows
                if re.fullmatch(rf"{isa}/{operator}_{kind}", row["kernel"])
            }
            assert len(found) == 1 and abs(found.pop() - float(cell)) <= 0.0005 + 1e-9, (operator, isa, cell)
            compared += 1
    assert compared == 11
