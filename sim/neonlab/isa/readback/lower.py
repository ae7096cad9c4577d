"""Lower instructions to a base form, which is equal for two texts exactly when they assemble to the same word."""

from __future__ import annotations

from neonlab.isa.model.isa import Isa
from neonlab.isa.readback import a32 as readback_a32
from neonlab.isa.readback import a64 as readback_a64
from neonlab.isa.readback.text import Spelled, SpellingError, spell


def lower(isa: Isa, text: str, address: int) -> Spelled:
    """Return the base form of `text` at `address`.  Raises SpellingError when the text cannot be read."""
    return lower_spelled(isa, spell(isa, text), address)


def lower_spelled(isa: Isa, spelled: Spelled, address: int) -> Spelled:
    """Return the base form of a text that `spell` has already read.  Raises SpellingError."""
    try:
        return readback_a64.lower(spelled, address) if isa is Isa.A64 else readback_a32.lower(spelled, address)
    except SpellingError:
        raise
    except (IndexError, ValueError, OverflowError):
        # The rules take the operands apart in the order in which an instruction has them.
        raise SpellingError(f"`{spelled.mnemonic}` does not take these operands") from None
