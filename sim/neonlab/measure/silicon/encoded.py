"""Encode instructions from their text, for streams and loops that exist only to be timed."""

from __future__ import annotations

from collections.abc import Sequence

from neonlab.assemble.encode.encoder import Encoder, EncoderStatement, EncodingError
from neonlab.errors import InputError
from neonlab.isa.decode import decode_word
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa


def encoded(isa: Isa, texts: Sequence[str]) -> tuple[Instruction, ...]:
    """Return the texts as instructions, one after another from address 0.

    Raises InputError for a text that is no instruction.
    """
    with Encoder(isa) as encoder:
        words = encoder.encode([EncoderStatement(text, 4 * number) for number, text in enumerate(texts)])
    found = []
    for number, (text, word) in enumerate(zip(texts, words, strict=True)):
        if isinstance(word, EncodingError):
            raise InputError(f"`{text}`: {word.message}")
        found.append(decode_word(isa, word, 4 * number))
    return tuple(found)
