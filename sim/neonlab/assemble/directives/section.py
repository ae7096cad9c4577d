"""Handle directives that choose the section for bytes."""

from __future__ import annotations

from neonlab.assemble.assembly import Assembly
from neonlab.assemble.directives.data import Handler
from neonlab.assemble.text.arguments import split_arguments
from neonlab.assemble.text.lines import SyntaxFault
from neonlab.assemble.values.sections import SectionBuilder

_CODE = (".text", ".init", ".fini")
_WRITABLE = (".data", ".bss", ".tdata", ".tbss", ".init_array", ".fini_array")


def _is_kind(name: str, kinds: tuple[str, ...]) -> bool:
    return any(name == kind or name.startswith(f"{kind}.") for kind in kinds)


def standard_section(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.text`, `.data`, `.bss`, with the number of a subsection."""
    assembly.switch(assembly.sections[name].subsection(_number(assembly, operands)))


def section(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.section name, "flags", %type`; `.pushsection` saves the present section first."""
    arguments = split_arguments(operands)
    if not arguments:
        raise SyntaxFault(f"`{name}` needs the name of a section", name)
    number = 0
    if name == ".pushsection":
        assembly.stack.append((assembly.current, assembly.previous))
        if len(assembly.stack) > 1000:
            raise SyntaxFault("`.pushsection` nested deeper than 1000", name)
        if len(arguments) > 1 and not arguments[1].startswith('"'):
            number = _number(assembly, arguments.pop(1))
    assembly.switch(_declare(assembly, arguments).subsection(number))


def _declare(assembly: Assembly, arguments: list[str]) -> SectionBuilder:
    name = arguments[0].strip('"')
    flags = [argument for argument in arguments[1:] if argument.startswith(('"', "#"))]
    kinds = [argument for argument in arguments[1:] if argument.lstrip("@%").lower() == "nobits"]
    letters = flags[0].strip('"') if flags and flags[0].startswith('"') else ""
    words = {flag.lstrip("#") for flag in flags if flag.startswith("#")}
    return assembly.section(
        name,
        executable="x" in letters or "execinstr" in words or (not flags and _is_kind(name, _CODE)),
        writable="w" in letters or "write" in words or (not flags and _is_kind(name, _WRITABLE)),
        is_bss=bool(kinds) or _is_kind(name, (".bss", ".tbss")),
    )


def read_only_data(assembly: Assembly, name: str, operands: str) -> None:
    """Refuse `.rodata`, which some write for `.section .rodata`."""
    raise SyntaxFault("unknown directive `.rodata`", ".rodata", hint="did you mean `.section .rodata`?")


def previous(assembly: Assembly, name: str, operands: str) -> None:
    """Return to the section before the present one (`.previous`)."""
    if assembly.previous is None:
        raise SyntaxFault("`.previous` without an earlier section", name)
    assembly.switch(assembly.previous)


def pop_section(assembly: Assembly, name: str, operands: str) -> None:
    """Return to the section before `.pushsection`."""
    if not assembly.stack:
        raise SyntaxFault("`.popsection` without `.pushsection`", name)
    assembly.current, assembly.previous = assembly.stack.pop()


def subsection(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.subsection number` of the present section."""
    assembly.switch(assembly.current.section.subsection(_number(assembly, operands)))


def _number(assembly: Assembly, text: str) -> int:
    number = assembly.number(text) if text.strip() else 0
    if not 0 <= number <= 8192:
        raise SyntaxFault(f"{number} is not the number of a subsection", text)
    return number


DIRECTIVES: dict[str, Handler] = {
    **dict.fromkeys((".text", ".data", ".bss"), standard_section),
    **dict.fromkeys((".section", ".pushsection"), section),
    ".previous": previous,
    ".popsection": pop_section,
    ".subsection": subsection,
    ".rodata": read_only_data,
}
