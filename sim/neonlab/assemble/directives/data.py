"""Handle directives that emit bytes: numbers, floats, strings, fills, alignment, `.org`, `.inst`."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path

from neonlab.assemble.assembly import Assembly
from neonlab.assemble.output.literal_pool import constant
from neonlab.assemble.text.arguments import split_arguments, split_strings
from neonlab.assemble.text.lexer import string_bytes
from neonlab.assemble.text.lines import SyntaxFault
from neonlab.assemble.values.sections import Padding
from neonlab.errors import InputError
from neonlab.host.input_file import read_input
from neonlab.isa.model.isa import Isa

Handler = Callable[[Assembly, str, str], None]  # assembly, directive in lower case, operands

_MAX_BYTES = 64 << 20
_SIZES = {
    ".byte": 1, ".dc.b": 1, ".1byte": 1,
    ".hword": 2, ".short": 2, ".2byte": 2, ".half": 2, ".dc.w": 2, ".dc": 2,
    ".word": 4, ".long": 4, ".int": 4, ".4byte": 4, ".dc.l": 4,
    ".quad": 8, ".xword": 8, ".dword": 8, ".8byte": 8,
    ".octa": 16,
}  # fmt: skip
_FLOATS = {".float": "f", ".single": "f", ".double": "d", ".float16": "e", ".dc.s": "f", ".dc.d": "d"}
_NUMBER_IN_FLOAT = re.compile(
    r"(?:0[a-zA-Z])?([-+]?(?:nan|inf(?:inity)?|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?))", re.I
)
_RELOCATED = re.compile(r"(.*?[\w.$])\((got|gotoff|plt|target[12]|got_prel|sbrel|none)\)(.*)", re.I)
# as writes this quiet NaN for `nan`.
_NAN = {"f": b"\xff\xff\xff\x7f", "d": b"\xff" * 7 + b"\x7f", "e": b"\xff\x7f"}


def emit_numbers(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.byte`, `.word` and similar directives."""
    size = _SIZES[name]
    arguments = split_arguments(operands)
    if name in {".xword", ".dword"} and assembly.isa is Isa.A32:
        raise SyntaxFault(f"unknown directive `{name}`", name)
    for argument in arguments:
        if not argument:
            assembly.warn("a missing value is taken for zero")
            assembly.emit_number(0, size)
            continue
        operator = ""
        if assembly.isa is Isa.A32 and size == 4 and (match := _RELOCATED.fullmatch(argument)):
            operator = match.group(2).lower()
            argument = match.group(1) + match.group(3)
        node = assembly.expressions.parse_all(argument.removeprefix("#"))
        value = constant(node)
        if operator:
            assembly.emit_relocated(node, size, operator)
            continue
        assembly.emit_number(node if value is None else value, size)


def emit_floats(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.float`, `.double` and similar directives."""
    code = _FLOATS[name]
    for argument in split_arguments(operands):
        match = _NUMBER_IN_FLOAT.fullmatch(argument.removeprefix("#"))
        if match is None:
            raise SyntaxFault(f"`{argument}` is not a floating-point number", argument)
        text = match.group(1).lower()
        if "nan" in text:
            data = bytearray(_NAN[code])
            if text.startswith("-"):
                data[-1] |= 0x80
            assembly.emit(bytes(data))
            continue
        try:
            assembly.emit(struct.pack(f"<{code}", float(text)))
        except OverflowError:
            raise SyntaxFault(f"`{argument}` is too large for `{name}`", argument) from None


def emit_strings(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.ascii`, `.asciz`, `.string`."""
    end = b"" if name == ".ascii" else b"\0"
    for group in split_strings(operands):
        assembly.emit(b"".join(string_bytes(quoted) for quoted in group) + end)


def _count(assembly: Assembly, text: str, unit: int = 1) -> int:
    count = assembly.number(text)
    if count < 0:
        assembly.warn("a negative count is taken for zero")
        return 0
    if count * unit > _MAX_BYTES:
        raise SyntaxFault(f"more than {_MAX_BYTES >> 20} MiB at once", text)
    return count


def emit_space(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.space count, fill`."""
    arguments = _at_least(name, operands, 1)
    fill = assembly.number(arguments[1]) if len(arguments) > 1 else 0
    unit = 4 if name == ".ds.l" else 2 if name in {".ds", ".ds.w"} else 1
    assembly.emit(bytes([fill & 0xFF]) * (_count(assembly, arguments[0], unit) * unit))


def emit_fill(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.fill repeat, size, value`: the value's low 4 bytes, zeros above."""
    arguments = _at_least(name, operands, 1)
    size = assembly.number(arguments[1]) if len(arguments) > 1 and arguments[1] else 1
    value = assembly.number(arguments[2]) if len(arguments) > 2 else 0
    if size < 0:
        raise SyntaxFault("the size of `.fill` is negative", arguments[1])
    size = min(size, 8)
    pattern = (value & 0xFFFFFFFF).to_bytes(8, "little")[:size]
    assembly.emit(pattern * _count(assembly, arguments[0], size))


def align(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.align`, `.p2align`, `.balign`, with fill and limit; NOPs in code when no fill is given."""
    arguments = split_arguments(operands)
    stem = name.rstrip("wl") if name not in {".align"} else name
    amount = assembly.number(arguments[0]) if arguments and arguments[0] else 0
    if stem == ".balign":
        if amount < 0 or amount & (amount - 1):
            raise SyntaxFault(f"{amount} is not a power of two", arguments[0])
        power = max(amount.bit_length() - 1, 0)
    else:
        if not 0 <= amount <= 31:
            raise SyntaxFault(f"an alignment of 2**{amount} bytes", arguments[0])
        power = amount
        if name == ".align" and assembly.isa is Isa.A32 and amount == 0:
            power = 2  # as aligns A32 code to a word here
    fill: bytes | None = b"\0"
    if len(arguments) > 1 and arguments[1]:
        width = {"w": 2, "l": 4}.get(name[-1], 1) if name != stem else 1
        fill = (assembly.number(arguments[1]) & ((1 << 8 * width) - 1)).to_bytes(width, "little")
    elif assembly.current.section.executable:
        fill = None
    most = assembly.number(arguments[2]) if len(arguments) > 2 and arguments[2] else 0
    assembly.align(Padding(power, fill, max(most, 0)))


def align_even(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.even`."""
    align(assembly, ".p2align", "1")


def org(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.org place, fill`: forward only."""
    arguments = _at_least(name, operands, 1)
    fill = assembly.number(arguments[1]) if len(arguments) > 1 else 0
    node = assembly.expressions.parse_all(arguments[0])
    target = constant(node)
    if target is None:
        start = assembly.here()
        start.fragment, start.offset = assembly.current.fragments[0], 0
        target = assembly.number(f"({arguments[0]}) - (.)") + assembly.current.last.end
    missing = target - assembly.current.last.end
    if missing < 0:
        raise SyntaxFault("`.org` cannot go backwards", arguments[0])
    if missing > _MAX_BYTES:
        raise SyntaxFault(f"more than {_MAX_BYTES >> 20} MiB at once", arguments[0])
    assembly.emit(bytes([fill & 0xFF]) * missing)


def emit_instructions(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.inst word, word`."""
    for argument in _at_least(name, operands, 1):
        word = assembly.number(argument.removeprefix("#"))
        if not -(1 << 31) <= word < 1 << 32:
            raise SyntaxFault(f"`{argument}` does not fit an instruction's 32 bits", argument)
        assembly.emit_word(word & 0xFFFFFFFF)


def emit_leb128(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.uleb128`, `.sleb128`."""
    for argument in _at_least(name, operands, 1):
        value = assembly.number(argument)
        data = bytearray()
        while True:
            byte, value = value & 0x7F, value >> 7
            done = value == 0 if name == ".uleb128" else (value == 0 and byte < 64) or (value == -1 and byte >= 64)
            if name == ".uleb128" and value < 0:
                raise SyntaxFault("a negative value for `.uleb128`", argument)
            data.append(byte | (0 if done else 0x80))
            if done:
                break
        assembly.emit(bytes(data))


def include_binary(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.incbin "file", skip, count`."""
    arguments = _at_least(name, operands, 1)
    file_name = arguments[0].strip().strip('"')
    skip = assembly.number(arguments[1]) if len(arguments) > 1 and arguments[1] else 0
    count = assembly.number(arguments[2]) if len(arguments) > 2 else None
    path = Path(assembly.source.path).parent / file_name
    try:
        data = read_input(path, _MAX_BYTES)
    except InputError as error:
        raise SyntaxFault(str(error), file_name) from None
    if skip < 0 or skip > len(data) or (count is not None and not 0 <= count <= len(data) - skip):
        raise SyntaxFault(f"`{file_name}` has only {len(data)} bytes", file_name)
    assembly.emit(data[skip:] if count is None else data[skip : skip + count])


def place_pool(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.ltorg`, `.pool`."""
    assembly.place_pool()


def emit_nop(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.nop`."""
    assembly.emit_word(assembly.nop)


def _at_least(name: str, operands: str, count: int) -> list[str]:
    arguments = split_arguments(operands)
    if len(arguments) < count or not arguments[0]:
        raise SyntaxFault(f"`{name}` needs an operand", name)
    return arguments


DIRECTIVES: dict[str, Handler] = {
    **dict.fromkeys(_SIZES, emit_numbers),
    **dict.fromkeys(_FLOATS, emit_floats),
    **dict.fromkeys((".ascii", ".asciz", ".string", ".string8"), emit_strings),
    **dict.fromkeys((".space", ".skip", ".zero", ".ds", ".ds.b", ".ds.w", ".ds.l"), emit_space),
    ".fill": emit_fill,
    **dict.fromkeys((".align", ".p2align", ".p2alignw", ".p2alignl", ".balign", ".balignw", ".balignl"), align),
    ".even": align_even,
    ".org": org,
    ".inst": emit_instructions,
    ".uleb128": emit_leb128,
    ".sleb128": emit_leb128,
    ".incbin": include_binary,
    ".ltorg": place_pool,
    ".pool": place_pool,
    ".nop": emit_nop,
}
