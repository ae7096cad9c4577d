"""Lay out C structs and unions, by the natural layout of AAPCS32 and AAPCS64.

Sources: "Procedure Call Standard for the Arm Architecture" (IHI 0042), section 5.3, and "... for the Arm 64-bit
Architecture" (IHI 0055), section 5.9, Composite Types.  Each member is at the next offset on its own alignment.  The
size is a multiple of the largest alignment.  A fundamental type is aligned to its size.  Bit-fields and packed structs
are refused.
"""

from __future__ import annotations

from typing import Any

from neonlab.isa.c.ctype import Member, StructLayout


class StructError(ValueError):
    """Raised for a declaration whose layout the lab cannot compute."""


def array_length(node: Any) -> int:
    """Return the number in `[4]` or `[2 * 4]`.  Raises StructError where it is not known."""
    from pycparser import c_ast

    match node:
        case c_ast.Constant(type="int" | "unsigned int" | "long int", value=text):
            return int(text.rstrip("uUlL"), 0)
        case c_ast.BinaryOp(op="+"):
            return array_length(node.left) + array_length(node.right)
        case c_ast.BinaryOp(op="*"):
            return array_length(node.left) * array_length(node.right)
        case c_ast.BinaryOp(op="-"):
            return array_length(node.left) - array_length(node.right)
    raise StructError("an array whose length is not a number")


#: Members of a struct at most, those of structs inside it counted: arrays of structs of arrays have no other bound.
_MOST_MEMBERS = 4096
#: Elements of an array of structs that have names of their own.
_NAMED_ELEMENTS = 256


class StructReader:
    """Lays out the structs of one set of declarations.

    `convert` returns the CType of a scalar or pointer declaration.
    """

    def __init__(self, tree: Any, convert: Any) -> None:
        from pycparser import c_ast

        self._convert = convert
        self._definitions: dict[str, Any] = {}
        self._typedefs: dict[str, Any] = {}
        self._open: list[int] = []
        self._layouts: dict[int, StructLayout] = {}
        outer = self

        class Collector(c_ast.NodeVisitor):  # type: ignore[misc]
            def visit_Struct(self, node: Any) -> None:  # noqa: N802
                outer._note(node)
                self.generic_visit(node)

            visit_Union = visit_Struct  # noqa: N815

            def visit_Typedef(self, node: Any) -> None:  # noqa: N802
                outer._typedefs[node.name] = node.type
                self.generic_visit(node)

        Collector().visit(tree)

    def _note(self, node: Any) -> None:
        if node.name and node.decls is not None:
            self._definitions[_tag(node)] = node

    def resolve(self, node: Any) -> Any:
        """Return the struct or union of a TypeDecl, through typedefs; None where it is another type."""
        from pycparser import c_ast

        seen = 0
        while isinstance(node, c_ast.TypeDecl):
            node = node.type
            if isinstance(node, c_ast.IdentifierType):
                if len(node.names) != 1 or node.names[0] not in self._typedefs or seen > 64:
                    return None
                node, seen = self._typedefs[node.names[0]], seen + 1
        if isinstance(node, (c_ast.Struct, c_ast.Union)):
            return node
        return None

    def typedef(self, node: Any) -> Any:
        """Return the declaration behind an IdentifierType of one name; None where it is no typedef."""
        names: list[str] = getattr(node, "names", [])
        return self._typedefs.get(names[0]) if len(names) == 1 else None

    def is_defined(self, node: Any) -> bool:
        """Return whether the struct's members are known, and its layout is not being computed."""
        node = node if node.decls is not None else self._definitions.get(_tag(node))
        return node is not None and id(node) not in self._open

    def layout(self, node: Any) -> StructLayout:
        """Return the layout of a Struct or Union node.  Raises StructError."""
        from pycparser import c_ast

        if node.decls is None:
            node = self._definitions.get(_tag(node), node)
        if node.decls is None:
            raise StructError(f"`{_tag(node)}` is not defined")
        if id(node) in self._open:
            raise StructError(f"`{_tag(node)}` contains itself")
        if id(node) in self._layouts:
            return self._layouts[id(node)]
        self._open.append(id(node))
        union = isinstance(node, c_ast.Union)
        end, alignment = 0, 1
        members: list[Member] = []
        for declaration in node.decls:
            if getattr(declaration, "bitsize", None) is not None:
                raise StructError(f"`{declaration.name}` is a bit-field")
            if not hasattr(declaration, "type"):
                raise StructError("a struct holds declarations only")
            size, align, inside = self._member(declaration)
            offset = 0 if union else -(-end // align) * align
            members += [Member(m.name, offset + m.offset, m.ctype, m.count) for m in inside]
            if len(members) > _MOST_MEMBERS:
                raise StructError(f"`{_tag(node)}` has more than {_MOST_MEMBERS} members")
            end, alignment = max(end, offset + size), max(alignment, align)
        self._open.pop()
        found = StructLayout(-(-end // alignment) * alignment, alignment, tuple(members))
        self._layouts[id(node)] = found
        return found

    def _member(self, declaration: Any) -> tuple[int, int, list[Member]]:
        """Return the size and alignment of one member, and the members inside it."""
        from pycparser import c_ast

        node, count = declaration.type, 1
        while isinstance(node, c_ast.ArrayDecl):
            count *= array_length(node.dim)
            node = node.type
        inner = self.resolve(node) if isinstance(node, c_ast.TypeDecl) else node
        name = declaration.name or ""
        if isinstance(inner, (c_ast.Struct, c_ast.Union)):
            layout = self.layout(inner)
            if min(count, _NAMED_ELEMENTS) * len(layout.members) > _MOST_MEMBERS:
                raise StructError(f"`{name}` has more than {_MOST_MEMBERS} members")
            prefix = f"{name}." if name else ""
            spread = [
                Member(
                    f"{prefix}{m.name}" if count == 1 else f"{name}[{i}].{m.name}",
                    i * layout.size + m.offset,
                    m.ctype,
                    m.count,
                )
                for i in range(min(count, _NAMED_ELEMENTS))
                for m in layout.members
            ]
            return count * layout.size, layout.alignment, spread
        ctype = self._convert(node)
        if ctype is None:
            raise StructError(f"`{name}` has no type of a known size")
        return count * ctype.size, ctype.size, [Member(name, 0, ctype, count)]


def _tag(node: Any) -> str:
    return f"{type(node).__name__.lower()} {node.name or '(unnamed)'}"
