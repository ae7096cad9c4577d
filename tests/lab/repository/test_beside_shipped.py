"""A repository of one's own with one variant: neonlab's operators judge it, and its kernels run beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import open_beside_shipped, open_library, shipped_root
from neonlab.lab.run.check import check
from neonlab.network.graph import Graph, Node, Quantization, Tensor
from neonlab.network.reference.inference import drawn
from neonlab.network.run.network import run_network

ROOT = Path(__file__).resolve().parents[3]
FOLDER = Path("asm", "armv8")


def own(folder: Path, name: str, *, wrong: bool = False) -> None:
    """Make a repository whose only kernel is that of tables, under a name of its own."""
    (folder / FOLDER / "lut").mkdir(parents=True)
    (folder / "kernels").mkdir()
    (folder / FOLDER / "include").symlink_to(ROOT / FOLDER / "include")
    text = (ROOT / FOLDER / "lut" / "lut_s8s8_flat_64.S").read_text(encoding="utf-8")
    text = text.replace("lut_s8s8_flat_64", name)
    if wrong:
        assert text.count("sixty_four.16b, #64") == 1
        text = text.replace("sixty_four.16b, #64", "sixty_four.16b, #63")
    (folder / FOLDER / "lut" / f"{name}.S").write_text(text, encoding="utf-8")


def tanh() -> Graph:
    images = [Tensor(one, (1, 8, 8, 16), "int8", Quantization((0.1,), (3,))) for one in ("x", "y")]
    table = Node("tanh", "unary", ("x",), ("y",), {"function": "tanh", "arithmetic": "tflite"})
    return Graph("small", "tflite", {one.name: one for one in images}, (table,), ("x",), ("y",))


def test_a_variant_is_judged_by_neonlabs_operator_and_runs_beside_its_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own(tmp_path, "lut_s8s8_flat_128")
    monkeypatch.chdir(tmp_path)
    assert check("armv8/lut_s8s8_flat_128", shapes="70").passed
    library, shipped = open_beside_shipped(), open_library(shipped_root())
    assert library.root == tmp_path and len(library.kernels) == len(shipped.kernels) + 1
    graph = tanh()
    run = run_network(graph, library, Isa.A64, None, [drawn(graph, seed=1)])
    tried = {kernels for kernels, _ in run.layers[0].tried}
    assert run.wrong == 0
    assert tried == {("armv8/lut_s8s8_flat_128",), ("armv8/lut_s8s8_flat_64",)}


def test_of_two_kernels_with_one_name_the_repositorys_runs_and_is_found_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own(tmp_path, "lut_s8s8_flat_64", wrong=True)
    monkeypatch.chdir(tmp_path)
    library, graph = open_beside_shipped(), tanh()
    run = run_network(graph, library, Isa.A64, None, [drawn(graph, seed=1)])
    assert len(library.kernels) == len(open_library(shipped_root()).kernels) and run.wrong > 0


def test_in_neonlabs_own_repository_nothing_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert open_beside_shipped() is open_library(ROOT)


def test_a_kernel_that_no_operator_claims_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own(tmp_path, "look_up_twice")
    monkeypatch.chdir(tmp_path)
    (kernel,) = open_library().kernels
    assert kernel.operator is None
    with pytest.raises(InputError, match="no kernel is called"):
        open_library().find("armv8/lut_s8s8_flat_64")
    assert np.array_equal([kernel.name], ["look_up_twice"])
