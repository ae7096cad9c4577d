"""Loops to run on pipelines: from text, and random ones."""

from __future__ import annotations

import random

from neonlab.assemble.encode.encoder import Encoder, EncoderStatement
from neonlab.isa.decode import decode_word
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.pipeline import load_pipeline, pipeline_names

CORES = pipeline_names()
IN_ORDER = [name for name in CORES if load_pipeline(name).in_order]


def code(*lines: str, isa: Isa = Isa.A64) -> tuple[Instruction, ...]:
    with Encoder(isa) as encoder:
        words = encoder.encode([EncoderStatement(line, 4 * number) for number, line in enumerate(lines)])
    found = []
    for number, (line, word) in enumerate(zip(lines, words, strict=True)):
        assert isinstance(word, int), line
        found.append(decode_word(isa, word, 4 * number))
    return tuple(found)


POOL = [
    "smlal v{a}.8h, v{b}.8b, v{c}.8b", "sadalp v{a}.4s, v{b}.8h", "add x{a}, x{b}, x{c}", "ldr q{a}, [x{b}], #16",
    "mul v{a}.8h, v{b}.8h, v{c}.8h", "str q{a}, [x{b}], #16", "ldr x{a}, [x{b}]", "zip1 v{a}.16b, v{b}.16b, v{c}.16b",
    "ld1 {{v{a}.b}}[3], [x{b}]",
]  # fmt: skip


def random_loop(seed: int) -> tuple[Instruction, ...]:
    print(f"seed {seed}")
    chooser = random.Random(seed)
    lines = []
    for _ in range(chooser.randrange(2, 40)):
        a, b, c = chooser.sample(range(12), 3)
        lines.append(chooser.choice(POOL).format(a=a, b=b, c=c))
    return code(*lines)
