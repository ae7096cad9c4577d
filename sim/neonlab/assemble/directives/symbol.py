"""Handle directives about symbols, and those that change no code."""

from __future__ import annotations

import re

from neonlab.assemble.assembly import Assembly
from neonlab.assemble.directives.data import Handler, org
from neonlab.assemble.text.arguments import split_arguments
from neonlab.assemble.text.lines import SyntaxFault
from neonlab.assemble.values.sections import Padding
from neonlab.isa.model.isa import Isa
from neonlab.isa.vocabulary import is_known

# Architectures and cores with the NOP hint, with which `as` pads A32 code.
_HAS_HINT_NOP = re.compile(
    r"armv6k|armv6z|armv6kz|armv6-?m|armv[789]|cortex-|neoverse|exynos|krait|marvell-pj4|iwmmxt3|"
    r"mpcore|arm11(?:36|56t2|76)|qcom|saphira|xgene|falkor|all$"
)
_THUMB = frozenset({".thumb", ".thumb_func", ".thumb_set"})

# Debugging and unwinding tables, attributes, listings, visibility: nothing of it is in the bytes of a kernel.
_WITHOUT_EFFECT = frozenset(
    """
    .arch_extension .fpu .object_arch .size .hidden .protected .internal .extern .func .endfunc
    .eabi_attribute .gnu_attribute .file .loc .loc_mark_labels .ident .line .fnstart .fnend .save .pad .vsave
    .setfp .movsp .cantunwind .personality .personalityindex .handlerdata .unwind_raw .title .sbttl .list
    .nolist .psize .eject .version .symver .variant_pcs .cfi_startproc .cfi_endproc .tlsdescadd .linkonce
    .stabs .stabn .stabd .def .endef .scl .val .dim .tag .addrsig .addrsig_sym .build_version .cfi_sections
    """.split()  # noqa: SIM905 - a table to be read
)


def without_effect(assembly: Assembly, name: str, operands: str) -> None:
    """Accept a directive that changes no byte of the program."""


def assign(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.set name, value`; `.equiv` and `.eqv` define a name only once."""
    target, comma, text = operands.partition(",")
    target = target.strip().strip('"')
    if not comma or not target or not text.strip():
        raise SyntaxFault(f"`{name}` needs a name and a value", name)
    assign_symbol(assembly, target, text, once=name in {".equiv", ".eqv"})


def assign_symbol(assembly: Assembly, target: str, text: str, *, once: bool) -> None:
    """Set `target` to the value of the expression; a value for `.` moves the location."""
    if target == ".":
        org(assembly, ".org", text)
        return
    register = assembly.registers.find(text.strip())
    if register is not None and not assembly.symbols.is_defined(text.strip()):
        hint = f"`{target} .req {text.strip()}` names a register"
        raise SyntaxFault(f"`{text.strip()}` is a register, not a value", text.strip(), hint)
    node = assembly.expressions.parse_all(text.strip().removeprefix("#"))
    assembly.symbols.equate(target, node, once=once).set_at = assembly.source


def define_register(assembly: Assembly, name: str, directive: str, operands: str) -> None:
    """Handle `name .req register`; with `.dn` and `.qn` the register may have a type and an index, `d0.s16[1]`."""
    text = operands.strip()
    if assembly.isa is Isa.A32 and is_known(assembly.isa, name.lower()):
        # as for A32 reads the line as that instruction, and refuses its operands; as for A64 takes the name.
        raise SyntaxFault(f"`{name}` is an instruction, and cannot name a register", name)
    element = index = ""
    if directive != ".req":
        if assembly.isa is Isa.A64:
            raise SyntaxFault(f"unknown directive `{directive}`", directive)
        match = re.fullmatch(r"([\w.$]+?)(?:\.([a-z]*\d+|[su]))?(\[\d+\])?", text, re.I)
        if match is None:
            raise SyntaxFault(f"`{text}` is not a register", text)
        text, element, index = match.group(1), match.group(2) or "", match.group(3) or ""
        if text.isdecimal():
            text = directive[1] + text
    warning = assembly.registers.define(name, text, element, index)
    assembly.instructions_parser.forget()
    if warning:
        assembly.warn(warning)


def undefine_register(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.unreq name`."""
    if not assembly.registers.undefine(operands.strip()):
        if assembly.registers.find(operands.strip()) is None:
            raise SyntaxFault(f"`{operands.strip()}` is not a name defined by `.req`", operands.strip())
        assembly.warn(f"`{operands.strip()}` is a register and remains one")
    assembly.instructions_parser.forget()


def visible(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.global`, `.weak`, `.local`."""
    arguments = split_arguments(operands)
    if not arguments:
        raise SyntaxFault(f"`{name}` needs the name of a symbol", name)
    for argument in arguments:
        symbol = assembly.symbols.reference(argument.strip('"'))
        if name == ".local":
            symbol.is_global = False
        elif name == ".weak":
            symbol.is_weak = True
        else:
            symbol.is_global = True


def symbol_type(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.type name, %function`, which decides how A32 code refers to the name."""
    arguments = operands.replace(",", " ").split()
    if len(arguments) < 2:
        raise SyntaxFault("`.type` needs a symbol and its type", ".type")
    kind = arguments[1].strip('"').lstrip("%@#").lower()
    symbol = assembly.symbols.reference(arguments[0].strip('"'))
    symbol.is_function = kind in {"function", "stt_func", "gnu_indirect_function"}


def common(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.comm name, size, alignment` and `.lcomm`: zeros in .bss."""
    arguments = split_arguments(operands)
    if len(arguments) < 2:
        raise SyntaxFault(f"`{name}` needs a name and a size", name)
    size = assembly.number(arguments[1])
    alignment = assembly.number(arguments[2]) if len(arguments) > 2 else 1
    if size < 0 or alignment < 1 or alignment & (alignment - 1):
        raise SyntaxFault("a size below zero, or an alignment that is no power of two", arguments[1])
    kept = assembly.current
    assembly.current = assembly.sections[".bss"].subsection(0)
    assembly.align(Padding(alignment.bit_length() - 1, b"\0"))
    assembly.current.section.reserve(size)
    assembly.label(arguments[0])
    assembly.current.last.data += bytes(size)
    assembly.current = kept
    if name == ".comm":
        assembly.symbols.reference(arguments[0]).is_global = True


def architecture(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.arch` and `.cpu`, which decide the NOP that pads A32 code."""
    if assembly.isa is Isa.A32:
        assembly.has_hint_nop = _HAS_HINT_NOP.match(operands.strip().lower()) is not None


def refuse_thumb(assembly: Assembly, name: str, operands: str) -> None:
    """Raise SyntaxFault: T32 is not supported."""
    raise SyntaxFault(f"`{name}`: Thumb is not supported", name, hint="write the kernel in A32 (`.arm`)")


def arm_state(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.arm`, `.code 32`; refuse `.code 16`."""
    if name == ".code" and operands.strip() != "32":
        refuse_thumb(assembly, f".code {operands.strip()}", "")


def syntax(assembly: Assembly, name: str, operands: str) -> None:
    """Handle `.syntax unified` and `.syntax divided`; A32 starts with the divided one."""
    kind = operands.strip().lower()
    if kind not in {"unified", "divided"}:
        raise SyntaxFault(f"`.syntax {operands.strip()}`: there are `unified` and `divided`", operands.strip())
    assembly.instructions_parser.is_unified = kind == "unified"
    assembly.instructions_parser.forget()


DIRECTIVES: dict[str, Handler] = {
    **dict.fromkeys(sorted(_WITHOUT_EFFECT), without_effect),
    **dict.fromkeys((".set", ".equ", ".equiv", ".eqv"), assign),
    **dict.fromkeys((".global", ".globl", ".weak", ".local"), visible),
    ".unreq": undefine_register,
    ".type": symbol_type,
    **dict.fromkeys((".comm", ".lcomm", ".common"), common),
    **dict.fromkeys((".arch", ".cpu"), architecture),
    **dict.fromkeys(sorted(_THUMB), refuse_thumb),
    **dict.fromkeys((".arm", ".code"), arm_state),
    ".syntax": syntax,
}
