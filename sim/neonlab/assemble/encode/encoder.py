"""Encode the text of one instruction, with Keystone or the lab's own tables; each word is disassembled and compared."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Sequence
from dataclasses import dataclass

from neonlab.assemble.encode.keystone_process import shared_process
from neonlab.assemble.encode.known import assembled_mnemonics
from neonlab.host.closing import Closing
from neonlab.isa import agreement as readback
from neonlab.isa import extensions
from neonlab.isa.model.isa import Isa
from neonlab.isa.readback.lower import lower
from neonlab.isa.readback.text import Spelled, SpellingError
from neonlab.isa.vocabulary import is_known

# Characters that no instruction contains; several make Keystone loop for ever or end its process.
_FORBIDDEN = frozenset("\"'\\;\n\r\0`|$~?@%&*/<>()=")
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class EncoderStatement:
    """One instruction as text.  Symbols are numbers; operands of branches, adr and literal loads are addresses."""

    text: str
    address: int


@dataclass(frozen=True, slots=True)
class EncodingError:
    """The reason why a statement has no word; `hint` may name the nearest known mnemonic."""

    message: str
    hint: str = ""


class Encoder(Closing):
    """Encodes statements of one instruction set.  It is a context manager; encoders share one worker, which stays."""

    def __init__(self, isa: Isa) -> None:
        self._isa = isa

    def close(self) -> None:
        """Do nothing: the worker serves every encoder of the process, and ends with the process."""

    def encode(self, statements: Sequence[EncoderStatement]) -> list[int | EncodingError]:
        """Return the word of each statement, or its error; a bad statement does not affect the others."""
        known = _memory(self._isa)
        keys = [_key(self._isa, statement) for statement in statements]
        found = {key: known[key] for key in dict.fromkeys(keys) if key in known}
        missing = [key for key in dict.fromkeys(keys) if key not in found]
        encoded = dict(zip(missing, self._encode_distinct(missing), strict=True))
        if len(known) + len(encoded) > _REMEMBERED:
            known.clear()
        known.update(encoded)
        found.update(encoded)
        return [found[key] for key in keys]

    def _encode_distinct(self, keys: Sequence[tuple[str, int]]) -> list[int | EncodingError]:
        if keys:
            shared_process(self._isa).start()  # it gets ready while the texts are read
        results: dict[tuple[str, int], int | EncodingError] = {}
        lowered: dict[tuple[str, int], Spelled] = {}
        for key in keys:
            base = _prepare(self._isa, *key)
            if isinstance(base, EncodingError):
                results[key] = base
                continue
            lowered[key] = base
            word = extensions.encode_lowered(self._isa, base, key[1])
            if word is not None and readback.read(self._isa, word, key[1]) == base:
                results[key] = word
        # Keystone gets the text as written and, where that fails, the text with its aliases replaced.
        for spelled_out in (False, True):
            open_keys = [key for key in lowered if not isinstance(results.get(key), int)]
            if not open_keys:
                break
            texts = [str(lowered[key]) if spelled_out else key[0] for key in open_keys]
            asked = [(text.encode(), address) for text, (_, address) in zip(texts, open_keys, strict=True)]
            for key, reply in zip(open_keys, shared_process(self._isa).assemble(asked), strict=True):
                outcome = self._judged(key, lowered[key], reply)
                if isinstance(outcome, int) or key not in results:
                    results[key] = outcome
        return [results[key] for key in keys]

    def _judged(self, key: tuple[str, int], lowered: Spelled, reply: bytes | str) -> int | EncodingError:
        if isinstance(reply, str):
            if not is_known(self._isa, lowered.mnemonic):
                return _unknown(self._isa, key[0].split()[0].lower())
            if lowered.mnemonic.partition(".")[0] not in assembled_mnemonics(self._isa) and self._isa is Isa.A64:
                return EncodingError(f"`{lowered.mnemonic}` is of an extension of A64 that the lab does not have")
            return EncodingError(
                f"`{key[0].split()[0].lower()}` does not take these operands, or not in this combination"
            )
        if len(reply) != 4:
            return EncodingError(f"it encodes to {len(reply)} bytes, not 4")
        word = int.from_bytes(reply, "little")
        found = readback.read(self._isa, word, key[1])
        if found == lowered:
            return word
        if found is not None and found.mnemonic == lowered.mnemonic and _is_relative(self._isa, key[0]):
            return EncodingError("the target is out of reach")
        return EncodingError(f"the word {word:#010x} made of it reads back as `{found or 'no instruction'}`")


_REMEMBERED = 1 << 16


@functools.cache
def _memory(isa: Isa) -> dict[tuple[str, int], int | EncodingError]:
    """Return the results for texts already encoded; the key has the address only where the encoding depends on it."""
    return {}


_RELATIVE = {
    Isa.A64: ("b", "cb", "tb", "adr", "ldr", "prfm"),
    Isa.A32: ("b", "adr", "ldr", "vldr", "pld", "pli"),
}


def _key(isa: Isa, statement: EncoderStatement) -> tuple[str, int]:
    text = " ".join(statement.text.split())
    return text, statement.address if _is_relative(isa, text) else 0


def _is_relative(isa: Isa, text: str) -> bool:
    return text.lower().startswith(_RELATIVE[isa]) and not text.endswith(("]", "!"))


def _prepare(isa: Isa, text: str, address: int) -> Spelled | EncodingError:
    """Return the base form of the text, or the error.

    Text that could harm Keystone, or that cannot be an instruction, is refused.
    """
    if len(text) > _LONGEST:
        return EncodingError(f"{len(text)} characters are too many for an instruction")
    if not text.isascii():
        strange = next(character for character in text if not character.isascii())
        return EncodingError(f"U+{ord(strange):04X} is not ASCII, and no instruction contains it")
    forbidden = _FORBIDDEN.intersection(text)
    if forbidden:
        return EncodingError(f"{sorted(forbidden)[0]!r} has no meaning in an instruction")
    try:
        return lower(isa, text, address)
    except SpellingError as error:
        mnemonic = text.split()[0].lower() if text.split() else ""
        if mnemonic and not is_known(isa, mnemonic):
            return _unknown(isa, mnemonic)
        return EncodingError(str(error))


def _unknown(isa: Isa, mnemonic: str) -> EncodingError:
    near = difflib.get_close_matches(mnemonic, sorted(assembled_mnemonics(isa)), n=1)
    return EncodingError(f"unknown mnemonic `{mnemonic}`", f"did you mean `{near[0]}`?" if near else "")
