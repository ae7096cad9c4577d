"""Compare a word with the text that it was encoded from: both are lowered to one base form.

Capstone disassembles the word; it is independent of the encoder.  A few classes of words are decoded from their bits:
those that Capstone misreads, or prints as an alias of two words.
"""

from __future__ import annotations

from neonlab.isa.disassemble import disassemble
from neonlab.isa.model.isa import Isa
from neonlab.isa.readback import a32_words as readback_a32_words
from neonlab.isa.readback import a64_words as readback_a64_words
from neonlab.isa.readback.lower import lower, lower_spelled
from neonlab.isa.readback.reserved import well_formed
from neonlab.isa.readback.text import Spelled, SpellingError


def read(isa: Isa, word: int, address: int) -> Spelled | None:
    """Return the base form of `word`, None when it is no known instruction."""
    if not well_formed(isa, word):
        return None
    words = readback_a64_words if isa is Isa.A64 else readback_a32_words
    spelled = words.read(word, address)
    try:
        if spelled is not None:
            return lower_spelled(isa, spelled, address)
        shown = disassemble(isa, word, address)
        return lower(isa, " ".join(shown), address) if shown is not None else None
    except SpellingError:
        return None


def same_instruction(isa: Isa, statement_text: str, address: int, word: int) -> str | None:
    """Return None when `word` at `address` is the instruction `statement_text`, else a text that says what it is.

    The comparison is strict on registers, lanes, arrangements, immediates and addressing modes.  An alias equals its
    base instruction.
    """
    found = read(isa, word, address)
    try:
        if found is not None and found == lower(isa, statement_text, address):
            return None
    except SpellingError as error:
        return f"unreadable text: {error}"
    return "no known instruction" if found is None else str(found)
