"""Parse C prototypes, as far as a calling convention needs them."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, replace
from typing import Any

from neonlab.errors import InputError
from neonlab.isa.c.ctype import CType, Kind
from neonlab.isa.c.structs import StructError, StructReader
from neonlab.isa.model.isa import Isa


class PrototypeError(InputError):
    """Raised for a prototype that does not parse, or that names a type the lab cannot pass."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One named parameter."""

    name: str
    ctype: CType


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters and the result type of a function; `returns` is None for void."""

    returns: CType | None
    parameters: tuple[Parameter, ...]


# (kind, bytes in A32, bytes in A64, signed): ILP32 and LP64 of AAPCS32 5.1/8.1 and AAPCS64 5.1/10.1.  Plain char is
# unsigned in both.
_BASIC: dict[str, tuple[Kind, int, int, bool]] = {
    "char": ("integer", 1, 1, False),
    "_Bool": ("integer", 1, 1, False),
    "float": ("float", 4, 4, True),
    "double": ("float", 8, 8, True),
    "size_t": ("integer", 4, 8, False),
    "ssize_t": ("integer", 4, 8, True),
    "ptrdiff_t": ("integer", 4, 8, True),
    "intptr_t": ("integer", 4, 8, True),
    "uintptr_t": ("integer", 4, 8, False),
    "float32_t": ("float", 4, 4, True),
    "float64_t": ("float", 8, 8, True),
    **{f"int{bits}_t": ("integer", bits // 8, bits // 8, True) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}_t": ("integer", bits // 8, bits // 8, False) for bits in (8, 16, 32, 64)},
}
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*", re.DOTALL | re.MULTILINE)
#: Limits of a prototype, which bound the time of parsing: characters, and pointers to pointers.
_MOST_TEXT, _MOST_DECLARATIONS, _MOST_POINTERS = 4_000, 60_000, 8
_TYPEDEFS = (*(name for name in _BASIC if name.endswith("_t")), "bool")


def _basic_type(words: list[str], isa: Isa, text: str) -> CType | None:
    """Return the type that a list of specifiers such as ["unsigned", "long"] names; None for void."""
    name = " ".join(words)
    if name == "void":
        return None
    name = "_Bool" if name == "bool" else name
    if name in _BASIC:
        kind, a32, a64, signed = _BASIC[name]
        return CType(name, kind, a32 if isa is Isa.A32 else a64, signed)
    rest = sorted(word for word in words if word not in ("signed", "unsigned", "int"))
    sizes = {
        (): 4,
        ("short",): 2,
        ("long",): isa.pointer_bytes,
        ("long", "long"): 8,
        ("char",): 1,
    }
    if tuple(rest) not in sizes:
        raise PrototypeError(f"type `{name}` in prototype `{text}` cannot be passed")
    return CType(name, "integer", sizes[tuple(rest)], "unsigned" not in words)


class _Converter:
    """Converts pycparser's nodes to CTypes, with the structs of one source."""

    def __init__(self, tree: Any, isa: Isa, text: str) -> None:
        self._isa, self._text = isa, text
        self._pointers = 0  # around the type that is being converted
        self._structs = StructReader(tree, self.convert)

    def convert(self, node: Any) -> CType | None:
        """Return the type of a declaration; None for void and for a struct passed by value."""
        from pycparser import c_ast

        const = "const" in (getattr(node, "quals", None) or [])
        if isinstance(node, c_ast.TypeDecl):
            inner = node.type
            if self._structs.resolve(node) is not None:
                return None  # only ever behind a pointer
            if isinstance(inner, c_ast.Enum):
                return CType("enum", "integer", 4, False)
            named = self._structs.typedef(inner)
            if named is not None and inner.names[0] not in (*_BASIC, "bool"):
                found = self.convert(named)
                return replace(found, const=found.const or const) if found is not None else None
            base = _basic_type(list(inner.names), self._isa, self._text)
            if base is None:
                return None
            return CType(base.name, base.kind, base.size, base.signed, None, const)
        if isinstance(node, (c_ast.PtrDecl, c_ast.ArrayDecl)):
            if self._pointers == _MOST_POINTERS:
                raise PrototypeError(f"prototype `{_clipped(self._text)}` has pointers more than {_MOST_POINTERS} deep")
            self._pointers += 1
            try:
                pointee = None if isinstance(node.type, c_ast.FuncDecl) else self._pointee(node.type)
            finally:
                self._pointers -= 1
            name = f"{pointee.name if pointee else 'void'} *"
            return CType(name, "pointer", self._isa.pointer_bytes, False, pointee, const)
        raise PrototypeError(f"prototype `{self._text}` is not a plain function prototype")

    def _pointee(self, node: Any) -> CType | None:
        struct = self._structs.resolve(node)
        if struct is None:
            return self.convert(node)
        name = f"{type(struct).__name__.lower()} {struct.name or ''}".strip()
        const = "const" in (node.quals or [])
        if not self._structs.is_defined(struct):
            return CType(name, "struct", 0, False, None, const)
        try:
            layout = self._structs.layout(struct)
        except StructError as error:
            raise PrototypeError(f"{name}: {error}") from None
        return CType(name, "struct", layout.size, False, None, const, layout)


@functools.lru_cache(maxsize=256)
def parse_prototype(text: str, isa: Isa, declarations: str = "") -> Signature:
    """Parse a C prototype, such as `void (size_t k, const int8_t *a)` or `int32_t name(int n)`, into a Signature.

    Sizes of types are those of the AAPCS for `isa`.  `declarations` holds, in C, the structs, unions and typedefs that
    the prototype uses.  Raises PrototypeError, an InputError, where the text is no C prototype, a parameter has no
    name, or a type cannot be passed in registers.
    """
    for what, given, most in (("prototype", text, _MOST_TEXT), ("structs", declarations, _MOST_DECLARATIONS)):
        if len(given) > most:
            raise PrototypeError(f"{what} `{_clipped(given)}` has {len(given)} characters; at most {most} are allowed")
    try:
        return _parsed(text, isa, declarations)
    except RecursionError:
        raise PrototypeError(f"prototype `{_clipped(text)}` is nested too deeply, or a type that it uses is") from None


def _parsed(text: str, isa: Isa, declarations: str) -> Signature:
    from pycparser import c_ast, c_parser

    head, parenthesis, tail = text.strip().rstrip(";").partition("(")
    words = head.split()
    # An abstract declarator, `void (...)`, gets a name so that it parses as a declaration.
    named = bool(words) and len(words) > 1 and words[-1].lstrip("*").isidentifier() and words[-1] not in _BASIC
    named = named and words[-1] not in ("int", "long", "short", "char", "unsigned", "signed", "float", "double")
    if declarations:
        declarations = _COMMENT.sub(" ", declarations)
    source = f"{declarations}\n{head}{'' if named else ' prototype'}{parenthesis}{tail};"
    source = source.replace("__restrict__", "restrict").replace("__restrict", "restrict")
    if used := ", ".join(name for name in _TYPEDEFS if name in source):  # each takes the parser a while
        source = f"typedef int {used};\n{source}"
    if not parenthesis:
        raise PrototypeError(f"prototype `{text}` has no parameter list")
    try:
        tree = c_parser.CParser().parse(source, "prototype")
    except RecursionError:
        raise
    except Exception as error:  # pycparser raises ParseError, but its lexer and hostile input raise others
        unknown = _unknown_type(text, declarations)
        if unknown:
            why = f"uses the type `{unknown}`, which is not known: define it in `structs`"
            raise PrototypeError(f"prototype `{text}` {why}") from None
        raise PrototypeError(f"prototype `{text}` is not valid C: {str(error).split(': ', 1)[-1]}") from None
    declaration = tree.ext[-1]
    convert = _Converter(tree, isa, text).convert
    function = getattr(declaration, "type", None)
    if not isinstance(function, c_ast.FuncDecl):
        raise PrototypeError(f"prototype `{text}` does not declare a function")
    parameters = []
    for item in function.args.params if function.args else ():
        if isinstance(item, c_ast.EllipsisParam):
            raise PrototypeError(f"prototype `{text}` is variadic, which is not supported")
        ctype = convert(item.type)
        if ctype is None:
            if getattr(item, "name", None) is None and len(function.args.params) == 1:
                break  # (void)
            raise PrototypeError(f"parameter `{item.name}` of prototype `{text}` has no type that can be passed")
        if not getattr(item, "name", None):
            raise PrototypeError(f"a parameter of prototype `{text}` has no name; the contract refers to each by name")
        parameters.append(Parameter(item.name, ctype))
    names = [parameter.name for parameter in parameters]
    if len(set(names)) != len(names):
        raise PrototypeError(f"prototype `{text}` names a parameter twice")
    return Signature(convert(function.type), tuple(parameters))


def _clipped(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}..."


def _unknown_type(text: str, declarations: str) -> str:
    """Return the first word in the position of a type that is no known type; empty where there is none."""
    places = re.finditer(r"[(,]\s*(?:const\s+)?([A-Za-z_]\w*)(?=\s*\*|\s+\w)", text)
    known = {*_BASIC, *_WORDS, *re.findall(r"\w+", declarations)}
    return next((place[1] for place in places if place[1] not in known), "")


_WORDS = (
    *("void", "bool", "int", "long", "short", "char", "signed", "unsigned", "float", "double", "_Bool"),
    *("const", "volatile", "restrict", "register", "struct", "union", "enum", "static"),
)
