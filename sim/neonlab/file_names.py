"""Kinds of files by the ends of their names."""

from __future__ import annotations

ASSEMBLY = (".S", ".s", ".asm", ".sx")
C_SUFFIXES, CXX_SUFFIXES = (".c",), (".cc", ".cpp", ".cxx", ".C", ".c++")
OBJECTS = (".o", ".obj", ".a", ".so")
#: What sources include.
INCLUDED = (".h", ".hpp", ".inc")
#: All that a kernel may stand in.
CODE = (*ASSEMBLY, *C_SUFFIXES, *CXX_SUFFIXES, *OBJECTS)
