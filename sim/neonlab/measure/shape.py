"""Define the shape of a problem: its sizes by name, written `14x14x256x512`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from neonlab.errors import InputError

#: The text of the shape of a kernel that has no sizes.
NO_SIZES = "fixed"
#: Most digits of a size: any number of so many fits 64 bits.
_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Shape:
    """Hold the named sizes of one problem, in the order of the operator's dimensions; written `14x14x256x512`."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]

    def __getitem__(self, name: str) -> int:
        return self.sizes[self.names.index(name)]

    def __str__(self) -> str:
        return "x".join(map(str, self.sizes)) or NO_SIZES

    @property
    def work(self) -> int:
        """Return the product of the sizes, by which shapes are ordered."""
        return math.prod(max(1, abs(size)) for size in self.sizes)

    def values(self) -> dict[str, int]:
        """Return the sizes by their names."""
        return dict(zip(self.names, self.sizes, strict=True))

    @staticmethod
    def parse(text: str, names: tuple[str, ...], *, lowest: int | None = 1) -> Shape:
        """Parse `14x14x256x512`: one integer for each of `names`, none below `lowest`.  Raises InputError."""
        parts = text.lower().split("x") if names or text != NO_SIZES else []
        if len(parts) != len(names) or not all(re.fullmatch(r"-?[0-9]+", part) for part in parts):
            raise _other_sizes(text, names)
        if any(len(part.lstrip("-0")) > _MOST_DIGITS for part in parts):
            raise InputError(f"shape `{text[:100]}`: a size has more than {_MOST_DIGITS} digits")
        sizes = tuple(int(part.lstrip("-0") or "0") * (-1 if part.startswith("-") else 1) for part in parts)
        _refuse_below(lowest, sizes, text)
        return Shape(names, sizes)

    def in_terms_of(self, names: tuple[str, ...], *, lowest: int | None = 1) -> Shape:
        """Return the shape with the same sizes under other `names`.  Raises InputError as `parse` does."""
        if len(names) != len(self.sizes):
            raise _other_sizes(str(self), names)
        _refuse_below(lowest, self.sizes, str(self))
        return Shape(names, self.sizes)


def _other_sizes(text: str, names: tuple[str, ...]) -> InputError:
    """Return the error for text that does not give a size for each of `names`."""
    if not names:
        return InputError(f"shape `{text}`: the kernel has no sizes; its only shape is `{NO_SIZES}`")
    sizes_named = f"the {len(names)} sizes {' x '.join(names)}" if names[1:] else f"the size {names[0]}"
    return InputError(f"shape `{text[:100]}`: give {sizes_named} as whole numbers joined by x")


def _refuse_below(lowest: int | None, sizes: tuple[int, ...], text: str) -> None:
    if lowest is not None and any(size < lowest for size in sizes):
        raise InputError(f"shape `{text}`: every size must be {lowest} or more")
