"""Write C declarations of a function and its structs, from the debug information of an object."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from neonlab.contract.options import Given
from neonlab.errors import NoContract
from neonlab.isa.model.isa import Isa
from neonlab.objects.dwarf.prototypes import DebugType, FunctionType, read_prototypes
from neonlab.objects.image.debug_sections import debug_sections
from neonlab.objects.image.memory_image import Image
from neonlab.sources.instruction_set import isa_of
from neonlab.sources.program import check_symbol, linked_image
from neonlab.sources.toolchain import plain_target

_POINTER_DEPTH = 4
#: Typedefs that the lab knows; others are replaced by their types.
_KNOWN = (
    *("size_t", "ssize_t", "ptrdiff_t", "intptr_t", "uintptr_t", "float32_t", "float64_t"),
    *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)),
)


@dataclass(frozen=True, slots=True)
class Declaration:
    """A prototype and the structs that it uses, as C text."""

    prototype: str
    structs: str


def declaration_of_code(path: Path, given: Given) -> Declaration:
    """Return the declaration in the debug information of an object or of C.  Raises NoContract if it has none."""
    symbol = given.symbol or path.stem
    isa = isa_of(path, given)
    image = linked_image(path, plain_target(isa), given.build, symbol)
    found = declared(image, symbol)
    if found is None:
        if image.named(symbol) is None:
            check_symbol(list(image.functions), path, symbol)
        raise NoContract(
            f"{path}: has no debug information that tells the prototype of `{symbol}`, or it is one that cannot be "
            "called: say --prototype, or compile with -g"
        )
    return found


def declared(image: Image, symbol: str) -> Declaration | None:
    """Return a function's declaration from debug information; None if there is none for it."""
    found = image.named(symbol)
    if found is None:
        return None
    sections = debug_sections(image.modules[found.module], image.addresses[found.module])
    bias = image.biases.get(found.module, 0)
    for function in read_prototypes(sections, image.isa, found.address - bias):
        if function.address + bias == found.address or function.name == symbol:
            return declaration_of(function, symbol, image.isa)
    return None


def declaration_of(function: FunctionType, symbol: str, isa: Isa) -> Declaration | None:
    """Return the function as C; None if the lab cannot call it: structs by value, vectors, variadic parameters."""
    if function.signature(isa) is None:
        return None
    writer = _DeclarationWriter()
    returns = writer.spelled(function.returns, "") if function.returns is not None else "void"
    parameters = [
        writer.spelled(parameter.type, parameter.name or f"argument{index}")
        for index, parameter in enumerate(function.parameters)
    ]
    short = symbol.partition("(")[0].rpartition("::")[2]
    name = short if short.isidentifier() else "f"
    prototype = f"{returns} {name}({', '.join(parameters) or 'void'})"
    return Declaration(prototype, "\n".join(writer.structs))


class _DeclarationWriter:
    """Writes types as C, and collects the structs they use."""

    def __init__(self) -> None:
        self.structs: list[str] = []
        self._named: dict[str, str] = {}

    def spelled(self, made: DebugType, name: str, depth: int = 0) -> str:
        """Return a declaration of `name` with the type."""
        if made.form in ("pointer", "array") and depth < _POINTER_DEPTH:
            target = made.target
            if made.form == "array" and name:
                return (
                    self.spelled(target, f"{name}[{made.count}]", depth + 1) if target is not None else f"void *{name}"
                )
            own = "const " if made.const else ""
            if target is None or target.form in ("void", "function", "unknown", "vector"):
                return f"{'const ' if target is not None and target.const else ''}void *{own}{name}"
            if target.form == "array" and target.target is not None:
                target = target.target  # a pointer to rows of a fixed length points to their first element
            return self.spelled(target, f"*{own}{name}", depth + 1)
        const = "const " if made.const else ""
        return f"{const}{self._base(made)} {name}".rstrip()

    def _base(self, made: DebugType) -> str:
        if made.form in ("struct", "union"):
            return self._struct(made)
        if made.form == "float":
            return "double" if made.size == 8 else "float"
        if made.form != "integer":
            return "void"
        if made.name in _KNOWN:
            return made.name
        if made.name in ("_Bool", "bool"):
            return "bool"
        return f"{'' if made.signed else 'u'}int{8 * made.size}_t"

    def _struct(self, made: DebugType) -> str:
        words = made.name.split()
        tag = words[-1] if words and words[-1] not in ("struct", "union") else f"unnamed{len(self._named)}"
        if made.name in self._named and words[-1:] not in (["struct"], ["union"]):
            return self._named[made.name]
        title = f"{made.form} {tag}"
        self._named[made.name] = title
        if not made.fields or any(field.bits for field in made.fields):
            return title  # opaque to the lab
        members = [self._member(field.type, field.name) for field in made.fields]
        self.structs.append(f"{title} {{ {' '.join(f'{member};' for member in members)} }};")
        return title

    def _member(self, made: DebugType, name: str) -> str:
        if made.form == "array" and made.target is not None:
            return self.spelled(made.target, f"{name}[{made.count}]")
        if made.form == "unknown":  # a pointer back to the struct
            return f"void *{name}"
        return self.spelled(made, name)
