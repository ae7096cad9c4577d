"""A core with its models: resolved from its name once, and the same core in every process."""

from __future__ import annotations

import pickle

import pytest

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.measure.cores import modelled
from neonlab.measure.cores.caches import ALIASES, CoreError, core_names, load_core
from neonlab.measure.cores.modelled import ModelledCore, cores_named
from neonlab.measure.cores.pipeline import load_pipeline, pipeline_names
from neonlab.measure.options import COUNTS_ALONE, Found, MemoryOptions, on_each


@pytest.mark.parametrize("name", core_names())
def test_a_name_stands_for_the_models_of_its_tables(name: str) -> None:
    core = ModelledCore.named(name)
    assert core.name == str(core) == core.chip.name == name
    assert core.chip is load_core(name)
    of = name if name in pipeline_names() else ALIASES[name]
    assert core.pipeline is load_pipeline(of)
    for isa in Isa:
        for features in (frozenset[str](), frozenset({"dotprod"}), frozenset({"i8mm"})):
            assert core.refusal(isa, features) == load_core(name).refusal(isa, features)


@pytest.mark.parametrize("name", core_names())
def test_a_core_is_the_same_after_it_was_sent_to_a_process(name: str) -> None:
    core = ModelledCore.named(name)
    sent = pickle.dumps(MemoryOptions(core, warm=True))
    assert len(sent) < 300  # a name, not tables
    assert pickle.loads(sent) == MemoryOptions(name, warm=True)
    assert pickle.loads(pickle.dumps(core)) is core
    assert {core: 1}[ModelledCore.named(name)] == 1


def test_a_name_that_no_core_has_is_refused_with_the_names_there_are() -> None:
    for refused in (ModelledCore.named, MemoryOptions, lambda name: cores_named(["cortex-a53", name])):
        with pytest.raises(CoreError, match=r"no core `cortex-a99`; there are .*cortex-a53"):
            refused("cortex-a99")


def test_a_core_without_a_pipeline_model_is_refused_where_cycles_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(modelled, "pipeline_names", lambda: ("cortex-a72",))
    modelled._load.cache_clear()
    try:
        assert ModelledCore.named("cortex-a53").pipeline is None
        assert ModelledCore.named("cortex-a72", cycles=True).pipeline is load_pipeline("cortex-a72")
        with pytest.raises(InputError, match="no pipeline model of cortex-a53; there are models of cortex-a72"):
            cores_named(["cortex-a72", "cortex-a53"])
    finally:
        modelled._load.cache_clear()


def test_options_take_a_core_or_its_name() -> None:
    core = ModelledCore.named("cortex-a53")
    assert MemoryOptions("cortex-a53", loop=True) == MemoryOptions(core, loop=True)
    assert MemoryOptions("cortex-a53").core is core and MemoryOptions().core is None
    assert on_each([core], finds=Found(warm=True), loop=True) == (MemoryOptions(core, True, loop=True),)
    assert on_each([]) == (COUNTS_ALONE,)
    with pytest.raises(InputError, match="from the traffic"):
        MemoryOptions(core, traffic=False)
