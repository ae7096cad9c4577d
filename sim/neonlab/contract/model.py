"""The values of a contract: what a kernel is called with, and what it promises."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from neonlab.contract.allowances import NO_ALLOWANCES, Allowances
from neonlab.contract.conditions import NO_CONDITIONS, Conditions
from neonlab.contract.extent import Block, Extent, block, span
from neonlab.contract.size_expression import SizeExpression
from neonlab.errors import ContractError as ContractError
from neonlab.isa.c.ctype import CType
from neonlab.isa.c.procedure_call import FloatAbi, Location
from neonlab.isa.c.prototype import Signature
from neonlab.isa.model.isa import Isa


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a kernel.

    For a pointer: `read` and `write` are the extents read and written, None where there are none.  `dtype` is the
    element type.  `value_range` is the inclusive range of element values for which the kernel is exact, None for all of
    the type.  `over_read` and `under_read` are the margins in bytes after its end and before its start, or those of
    each row. The kernel may read margins, and must not depend on them.  `align` is the alignment in bytes that the
    caller promises. `origin` is the number of its bytes before the place that the pointer points to.  A struct has
    `fields`, an array of pointers has `rows`.  `conditions` say how it is measured.

    For a number: `value_range` is the inclusive range of its values, in steps of `step` from the lower end.
    """

    name: str
    ctype: CType
    location: Location
    dtype: np.dtype[Any]
    read: Extent | None = None
    write: Extent | None = None
    layout: str = ""
    value_range: tuple[float, float] | None = None
    step: int = 1
    align: int = 1
    over_read: int = 0
    under_read: int = 0
    origin: SizeExpression | None = None
    fields: tuple[Field, ...] = ()
    rows: Rows | None = None
    conditions: Conditions = NO_CONDITIONS

    @property
    def is_pointer(self) -> bool:
        """Tell whether the argument points to a buffer."""
        return self.ctype.kind == "pointer"

    def block(self, values: Mapping[str, int]) -> Block:
        """Return the buffer that a call with these integer arguments needs."""
        return block(self.read, self.write, values, self.origin)

    def span(self, values: Mapping[str, int]) -> int:
        """Return the size in bytes of the buffer that `block` returns."""
        return span(self.read, self.write, values, self.origin)

    @property
    def within(self) -> Iterator[Argument]:
        """The arguments inside its memory: the fields of a struct, the rows that pointers point to."""
        for field in self.fields:
            yield field.argument
        if self.rows is not None:
            yield self.rows.to

    @property
    def expressions(self) -> Iterator[SizeExpression]:
        """Every size expression that the argument states, with those of its fields and rows."""
        for extent in (self.read, self.write):
            if extent is not None:
                yield from (extent.size, *extent.rows, *extent.pitches)
        for size in (self.origin, *(() if self.rows is None else self.rows.expressions)):
            if size is not None:
                yield size
        for inner in self.within:
            yield from inner.expressions


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a struct: `count` elements at byte `offset`, described by an Argument with a path as its name.

    Such a path is `params.bias`.
    """

    offset: int
    count: int
    argument: Argument


@dataclass(frozen=True, slots=True)
class Rows:
    """The target of an array of pointers: `count` rows, each described by `to`, which is named `input[]` for `input`.

    Some pointers point to the buffer of the pointer argument `or_to` instead, as XNNPACK's point to a row of zeros.
    The lab subtracts `less` bytes from the other pointers; the kernel adds them again.
    """

    count: SizeExpression
    to: Argument
    or_to: str = ""
    less: SizeExpression | None = None

    @property
    def expressions(self) -> tuple[SizeExpression | None, ...]:
        """The size expressions stated here: `count` and `less`."""
        return self.count, self.less


#: The shapes that `prove` may name: the small ones that `check` tries, or the layers of real networks.
PROVED_SHAPES = ("tails", "layers")


@dataclass(frozen=True)
class Contract:
    """The arguments of a kernel, and what the kernel promises; `macs` is the work of one call.

    `stack` is the most bytes by which it lowers sp, if `declares_stack`.  `below_stack` is the number of bytes below sp
    that it uses without lowering sp.

    `structs` are the C declarations that the prototype uses.

    `allows` are its allowances.

    `alias` are two pointers that are one address in each call, the one that is written first; empty where no buffers
    alias.

    `prove` says at which shapes a test suite proves the kernel, one of PROVED_SHAPES; "" if at none.

    `modular` names lane arithmetic, and scalar sums, that are meant to wrap.  Each entry is one of: a mnemonic (`add`,
    `vadd`, `vadd.i16`), `label:reduce` (from that label up to the next), `lines:120-135` (of the file, both included).
    """

    path: str
    line: int
    summary: str
    prototype: str
    signature: Signature
    isa: Isa
    architecture: str
    features: frozenset[str]
    arguments: tuple[Argument, ...]
    stack: int = 0
    float_abi: FloatAbi = FloatAbi.HARD
    macs: SizeExpression | None = None
    below_stack: int = 0
    modular: tuple[str, ...] = ()
    declares_stack: bool = False
    symbol: str = ""
    structs: str = ""
    allows: Allowances = NO_ALLOWANCES
    alias: tuple[str, ...] = ()
    prove: str = ""

    @functools.cached_property
    def name(self) -> str:
        """The kernel's name, which is its symbol: the stem of the file name unless the contract states a symbol."""
        return self.symbol or Path(self.path).stem

    def argument(self, name: str) -> Argument:
        """Return the argument, field (`params.bias`) or row (`rows[]`) called `name`.  Raises KeyError for others."""
        return self.by_name[name]

    @functools.cached_property
    def by_name(self) -> Mapping[str, Argument]:
        """Every argument, field of a struct (`params.bias`) and kind of row (`rows[]`), by name.

        Of two that alias, the one that is written is read as the other is.
        """
        found = {argument.name: argument for argument in self._all(self.arguments)}
        if self.alias:
            written, read = (found[name] for name in self.alias)
            found[written.name] = replace(
                written,
                read=read.read,
                value_range=read.value_range,
                align=max(written.align, read.align),
                over_read=max(written.over_read, read.over_read),
                under_read=max(written.under_read, read.under_read),
                conditions=written.conditions.joined(read.conditions),
            )
        return found

    def buffer_of(self, name: str) -> str:
        """Return the name of the buffer that the pointer `name` points to."""
        return self.alias[0] if name in self.alias else name

    def filled_from(self, name: str) -> str:
        """Return the argument whose data the buffer `name` holds when a call begins."""
        return self.alias[1] if name in self.alias else name

    @functools.cached_property
    def kept(self) -> dict[Hashable, dict[Any, Any]]:
        """Return what others computed of the contract and keep as long as it lives, by what computes it."""
        return {}

    @functools.cached_property
    def pointers(self) -> tuple[Argument, ...]:
        """Every argument, field or row that points to a buffer; the buffer has the same name."""
        return tuple(argument for argument in self._all(self.arguments) if argument.is_pointer)

    @functools.cached_property
    def extents(self) -> tuple[Extent, ...]:
        """The extents of all pointers, those read and those written."""
        return tuple(e for argument in self.pointers for e in (argument.read, argument.write) if e is not None)

    @functools.cached_property
    def pitches(self) -> tuple[Argument, ...]:
        """The integer arguments that are only pitches, innermost first."""
        depths: dict[str, int] = {}
        for extent in self.extents:
            for depth, pitch in enumerate(reversed(extent.pitches)):
                for name in pitch.names:
                    depths[name] = max(depth, depths.get(name, 0))
        sizes = [size for extent in self.extents for size in (extent.size, *extent.rows)]
        sizes += [argument.rows.count for argument in self.pointers if argument.rows is not None]
        sized = {name for size in sizes for name in size.names}
        found = [argument for argument in self.integers if argument.name in depths and argument.name not in sized]
        return tuple(sorted(found, key=lambda argument: depths[argument.name]))

    def _all(self, arguments: Iterable[Argument]) -> Iterator[Argument]:
        for argument in arguments:
            yield argument
            yield from self._all(argument.within)

    @functools.cached_property
    def integers(self) -> tuple[Argument, ...]:
        """The numbers that sizes may depend on: integer arguments, and fields of structs that some size names."""
        fields = (a for a in self.by_name.values() if "." in a.name and a.name in self.sized)
        return (*(a for a in self.arguments if a.ctype.kind == "integer"), *fields)

    @functools.cached_property
    def sized(self) -> frozenset[str]:
        """The names that a size or the work depends on."""
        sizes = [size for argument in self.arguments for size in argument.expressions]
        sizes += [self.macs] if self.macs is not None else []
        return frozenset(name for size in sizes for name in size.names)

    def check_values(self, values: Mapping[str, int]) -> None:
        """Raise ContractError unless each integer argument has a value in its range and on its step.

        Rows that are written must not share bytes at these values.
        """
        for argument in self.integers:
            if argument.name not in values:
                raise ContractError(f"{self.path}: `{argument.name}` has no value")
            value = values[argument.name]
            if argument.value_range is None:
                continue
            low, high = argument.value_range
            if not low <= value <= high:
                raise ContractError(
                    f"{self.path}: {argument.name} = {value} is outside the contract's range [{int(low)}, {int(high)}]"
                )
            if (value - int(low)) % argument.step:
                raise ContractError(
                    f"{self.path}: {argument.name} = {value} is not on the contract's step: {int(low)}, "
                    f"{int(low) + argument.step}, {int(low) + 2 * argument.step}, ..."
                )
        for argument in self.pointers:
            if argument.write is not None and argument.write.rows and argument.write.overlaps(values):
                raise ContractError(f"{self.path}: rows of `{argument.name}` overlap: write = {argument.write.text}")
