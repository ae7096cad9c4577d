"""Define the tables of an ELF file as numpy dtypes, and the constants that the lab needs (gABI, 32 and 64 bits)."""

from __future__ import annotations

import numpy as np

MAGIC = b"\x7fELF"
EM_ARM, EM_AARCH64 = 40, 183
ET_REL, ET_EXEC, ET_DYN = 1, 2, 3

SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_RELA, SHT_NOBITS, SHT_REL, SHT_DYNSYM = 1, 2, 3, 4, 8, 9, 11
SHT_DYNAMIC, SHT_INIT_ARRAY, SHT_FINI_ARRAY, SHT_PREINIT_ARRAY, SHT_GROUP, SHT_SYMTAB_SHNDX = 6, 14, 15, 16, 17, 18
SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR, SHF_TLS, SHF_COMPRESSED = 1, 2, 4, 1 << 10, 1 << 11
GRP_COMDAT = 1

SHN_UNDEF, SHN_LORESERVE, SHN_ABS, SHN_COMMON, SHN_XINDEX = 0, 0xFF00, 0xFFF1, 0xFFF2, 0xFFFF
STB_LOCAL, STB_GLOBAL, STB_WEAK, STB_GNU_UNIQUE = 0, 1, 2, 10
STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_SECTION, STT_FILE, STT_COMMON, STT_TLS, STT_GNU_IFUNC = 0, 1, 2, 3, 4, 5, 6, 10
STV_DEFAULT, STV_INTERNAL, STV_HIDDEN, STV_PROTECTED = 0, 1, 2, 3

PT_LOAD, PT_DYNAMIC, PT_TLS = 1, 2, 7
PF_X, PF_W = 1, 2

_ENDS = [(name, "<u2") for name in ("ehsize", "phentsize", "phnum", "shentsize", "shnum", "shstrndx")]
EHDR = {
    bits: np.dtype(
        [
            *[("ident", "V16"), ("type", "<u2"), ("machine", "<u2"), ("version", "<u4")],
            *[("entry", word), ("phoff", word), ("shoff", word), ("flags", "<u4")],
            *_ENDS,
        ]
    )
    for bits, word in ((32, "<u4"), (64, "<u8"))
}
_SECTION_FIELDS = ("flags", "addr", "offset", "size")
SHDR = {
    bits: np.dtype(
        [
            *[("name", "<u4"), ("type", "<u4")],
            *((name, word) for name in _SECTION_FIELDS),
            *[("link", "<u4"), ("info", "<u4"), ("addralign", word), ("entsize", word)],
        ]
    )
    for bits, word in ((32, "<u4"), (64, "<u8"))
}
PHDR = {
    32: np.dtype([(name, "<u4") for name in ("type", "offset", "vaddr", "paddr", "filesz", "memsz", "flags", "align")]),
    64: np.dtype(
        [
            *[("type", "<u4"), ("flags", "<u4")],
            *((name, "<u8") for name in ("offset", "vaddr", "paddr", "filesz", "memsz", "align")),
        ]
    ),
}
SYM = {
    32: np.dtype(
        [("name", "<u4"), ("value", "<u4"), ("size", "<u4"), ("info", "u1"), ("other", "u1"), ("shndx", "<u2")]
    ),
    64: np.dtype(
        [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("shndx", "<u2"), ("value", "<u8"), ("size", "<u8")]
    ),
}
REL = {32: np.dtype([("offset", "<u4"), ("info", "<u4")]), 64: np.dtype([("offset", "<u8"), ("info", "<u8")])}
RELA = {
    32: np.dtype([("offset", "<u4"), ("info", "<u4"), ("addend", "<i4")]),
    64: np.dtype([("offset", "<u8"), ("info", "<u8"), ("addend", "<i8")]),
}
DYN = {32: np.dtype([("tag", "<i4"), ("value", "<u4")]), 64: np.dtype([("tag", "<i8"), ("value", "<u8")])}
