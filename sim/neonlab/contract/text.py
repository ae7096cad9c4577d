"""Read the entries of a contract one by one, and give each message the line that it is about."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from neonlab.contract.extent import Extent
from neonlab.contract.size_expression import SizeExpression, SizeExpressionError
from neonlab.errors import ContractError

_ROW_KEYS = ("rows", "bytes", "pitch")


class ContractText:
    """The text that a table was read from; `block` is empty where the table came from the command line.

    `said` tells of keys which option of the command line has put them there; `base` is the contract that this extends.
    """

    def __init__(self, path: str, block: str, first_line: int, said: Mapping[str, str] | None = None) -> None:
        self.path, self.block, self.first_line = path, block, first_line
        self._said = said or {}
        self.base: ContractText | None = None

    def under(self, said: Mapping[str, str]) -> ContractText:
        """Return the text with the options `said` of the command line over it, by the keys that they set."""
        over = ContractText(self.path, self.block, self.first_line, {**self._said, **said})
        over.base = self.base
        return over

    def error(self, message: str, key: str = "") -> ContractError:
        """Return the ContractError, placed at the line that states `key`, or at the option that sets it."""
        if key in self._said:
            return ContractError(f"{self._said[key]}: {message}")
        if self.base is not None and not self._lines(key) and self.base.states(key):
            return self.base.error(message, key)
        line = next(iter(self._lines(key)), max(self.first_line - 1, 1))
        return ContractError(f"{self.path}:{line}: contract: {message}" if self.block else f"{self.path}: {message}")

    def states(self, key: str) -> bool:
        """Tell whether a line of this contract, or of one that it extends, states `key`."""
        return bool(self._lines(key)) or (self.base is not None and self.base.states(key))

    def _lines(self, key: str) -> list[int]:
        """Return the numbers of the lines that state `key`."""
        if not key:
            return []
        last = re.escape(key.rsplit(".", 1)[-1])
        stated = re.compile(rf"""\s*\[?\s*["']?(?:[\w."']*\.)?{last}["']?(?:\.[\w."']*)?\s*[\]=]""")
        return [number for number, text in enumerate(self.block.splitlines(), self.first_line) if stated.match(text)]

    def known(self, table: Mapping[str, Any], keys: Iterable[str], of: str, key: str) -> None:
        """Raise ContractError for a key that is not in `keys`."""
        for name in table:
            if name not in keys:
                near = difflib.get_close_matches(name, list(keys), 1)
                meant = f"; did you mean `{near[0]}`?" if near else f"; known are {', '.join(keys)}"
                stated = self._lines(name)
                inherited = not stated and self.base is not None and self.base.states(name)
                own = name in self._said or len(stated) == 1 or inherited
                raise self.error(f"{of} has no key `{name}`{meant}", name if own else key or name)

    def unknown_word(self, what: str, word: str, known: Sequence[str], key: str) -> ContractError:
        """Return the ContractError for a word that is not in `known`; it names the nearest known word, or all."""
        near = difflib.get_close_matches(word, known, 1)
        meant = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(known)}"
        return self.error(f"{what} `{word}` is not known; {meant}", key)

    def string(self, table: Mapping[str, Any], key: str, required: bool = False) -> str:
        """Return the string under `key`; empty where there is none.  Raises ContractError for other types."""
        value = table.get(key, "")
        if not isinstance(value, str):
            raise self.error(f"{key} is a string", key)
        if required and not value.strip():
            raise self.error(f"`{key}` is missing: every contract states it", key)
        return value

    def byte_count(self, table: Mapping[str, Any], key: str, at: str) -> int:
        """Return the number of bytes under `key`; 0 where there is none.  Raises ContractError for other values."""
        value = table.get(key, 0)
        if type(value) is not int or not 0 <= value <= 1 << 20:
            raise self.error(f"{key} is a number of bytes, 0 to 1048576", at)
        return value

    def expression(self, table: Mapping[str, Any], key: str, names: frozenset[str], at: str) -> SizeExpression | None:
        """Return the size under `key`, over the integers called `names`; None without one.  Raises ContractError."""
        value = table.get(key)
        if value is None:
            return None
        if type(value) not in (str, int):
            raise self.error(f"{key} is an expression over the integer arguments, in a string", at)
        expression = SizeExpression(str(value))
        try:
            unknown = sorted(expression.names - names)
        except SizeExpressionError as error:
            raise self.error(f"{key}: {error}", at) from None
        if unknown:
            have = ", ".join(sorted(names)) or "none"
            message = f"{key} = `{expression.text}` uses `{unknown[0]}`, no integer argument (there are: {have})"
            raise self.error(message, at)
        return expression

    def extent(self, table: Mapping[str, Any], key: str, names: frozenset[str], at: str) -> Extent | None:
        """Return the extent under `key`, a size or rows of one size; None without one.  Raises ContractError."""
        value = table.get(key)
        if not isinstance(value, dict):
            size = self.expression(table, key, names, at)
            return Extent(size) if size is not None else None
        self.known(value, _ROW_KEYS, f"{key} of `{at}`", at)
        for name in _ROW_KEYS:
            if name not in value:
                raise self.error(f"{key} of `{at}` has rows, but no `{name}`: it takes rows, bytes and pitch", at)
        size = self.expression(value, "bytes", names, at)
        assert size is not None
        several = {name: value[name] if isinstance(value[name], list) else [value[name]] for name in ("rows", "pitch")}
        rows, pitches = (
            tuple(self.expression({name: item}, name, names, at) for item in items) for name, items in several.items()
        )
        if len(rows) != len(pitches) or not rows:
            raise self.error(f"{key} of `{at}`: as many `rows` as `pitch`, outermost first", at)
        return Extent(size, tuple(filter(None, rows)), tuple(filter(None, pitches)))
