"""Loops of whatever instructions there are: all that is said of a loop must come to an end, and add up."""

from __future__ import annotations

import random
from functools import cache

import pytest
from tests.statements import corpus

from neonlab.assemble.encode.encoder import Encoder, EncoderStatement
from neonlab.assemble.program import Program, Segment
from neonlab.isa.decode import UndecodableWord, decode_word
from neonlab.isa.model.instruction import BranchKind
from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.loop.critical_path import critical_path
from neonlab.measure.loop.hints.find import find_hints
from neonlab.measure.loop.hints.study import Study
from neonlab.measure.loop.hot_loop import find_hot_loop
from neonlab.measure.loop.timeline import timeline

BASE = 0x1000


@cache
def words(isa: Isa) -> list[int]:
    """The statements of the corpus that do not branch."""
    with Encoder(isa) as encoder:
        found = encoder.encode([EncoderStatement(text, BASE) for text in corpus(isa)])
    kept = []
    for word in found:
        try:
            plain = isinstance(word, int) and decode_word(isa, word, BASE).branch is BranchKind.NONE
        except UndecodableWord:
            continue
        if plain and isinstance(word, int):
            kept.append(word)
    return kept


def loop_of(isa: Isa, seed: int) -> Program:
    print(f"seed {seed}")
    chooser = random.Random(seed)
    chosen = chooser.choices(words(isa), k=chooser.randrange(1, 60))
    with Encoder(isa) as encoder:
        back = encoder.encode(
            [EncoderStatement(f"{'b.ne' if isa is Isa.A64 else 'bne'} #{BASE}", BASE + 4 * len(chosen))]
        )[0]
    assert isinstance(back, int)
    whole = [*chosen, back]
    code = tuple(decode_word(isa, word, BASE + 4 * number) for number, word in enumerate(whole))
    data = b"".join(word.to_bytes(4, "little") for word in whole)
    return Program(isa, "x.S", (Segment(".text", BASE, data, executable=True),), {"kernel": BASE}, code)


@pytest.mark.slow(keep=5)
@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72", "neoverse-n1"])
@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
@pytest.mark.parametrize("seed", range(8))
def test_all_is_said_and_adds_up(isa: Isa, core: str, seed: int) -> None:
    program, pipeline = loop_of(isa, seed), load_pipeline(core)
    loop = find_hot_loop(program, [100] * len(program.instructions))
    assert loop is not None and loop.body == program.instructions
    study = Study(program, loop, pipeline, confirmed=False)
    path = critical_path(loop.body, pipeline, study.total)
    assert path.cycles / path.iterations == pytest.approx(study.total, rel=0.05, abs=0.5)
    assert len(timeline(loop.body, pipeline)) == 2 * len(loop.body)
    for hint in find_hints(study):
        assert hint.before == study.total and hint.after is not None and hint.text
        assert len(hint.mended) >= 1
