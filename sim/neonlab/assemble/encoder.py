"""The text of one instruction to its word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

from neonlab.assemble.keystone_process import shared_process
from neonlab.isa.isa import Isa

_FORBIDDEN = frozenset("\"'\\;\n\r\0`|$~?")
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Statement:
    """One instruction.  Symbols are already numbers; operands of branches, adr and literal loads absolute addresses."""

    text: str
    address: int


@dataclass(frozen=True, slots=True)
class EncodingError:
    """Why a statement has no word; `hint` may name the nearest known mnemonic."""

    message: str
    hint: str = ""


class Encoder:
    """Encodes statements of one instruction set.  A context manager; the worker behind it is shared and stays."""

    def __init__(self, isa: Isa) -> None:
        self._isa = isa

    def __enter__(self) -> Encoder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Nothing of its own to release."""

    def encode(self, statements: Sequence[Statement]) -> list[int | EncodingError]:
        """The word of each statement, or why there is none; a bad statement does not disturb its neighbours."""
        results: list[int | EncodingError] = [EncodingError("")] * len(statements)
        wanted: dict[tuple[bytes, int], list[int]] = {}
        for position, statement in enumerate(statements):
            text = statement.text.strip()
            if not text or len(text) > _LONGEST or not text.isascii() or _FORBIDDEN.intersection(text):
                results[position] = EncodingError("this is not an instruction")
                continue
            wanted.setdefault((text.encode(), statement.address), []).append(position)
        keys = list(wanted)
        for key, reply in zip(keys, shared_process(self._isa).assemble(keys), strict=True):
            outcome: int | EncodingError
            if isinstance(reply, str):
                outcome = EncodingError(reply)
            elif len(reply) != 4:
                outcome = EncodingError(f"it encodes to {len(reply)} bytes, not 4")
            else:
                outcome = int.from_bytes(reply, "little")
            for position in wanted[key]:
                results[position] = outcome
        return results
