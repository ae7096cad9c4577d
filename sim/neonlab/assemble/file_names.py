"""Kinds of files by the suffixes of their names."""

from __future__ import annotations

from neonlab.assemble.source import C_SUFFIXES as C_SUFFIXES
from neonlab.assemble.source import CXX_SUFFIXES as CXX_SUFFIXES

ASSEMBLY = (".S", ".s", ".asm", ".sx")
OBJECTS = (".o", ".obj", ".a", ".so")
#: Suffixes of files that sources include.
INCLUDED = (".h", ".hpp", ".inc")
#: All that a kernel may stand in.
CODE = (*ASSEMBLY, *C_SUFFIXES, *CXX_SUFFIXES, *OBJECTS)
