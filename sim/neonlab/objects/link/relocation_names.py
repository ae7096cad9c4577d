"""Map numbers of relocations to the names in the ELF supplements, and to the linker's rules."""

from __future__ import annotations

import functools

from neonlab.isa.model.isa import Isa
from neonlab.objects.link.relocation_rule import Rule

# Those that pyelftools does not list (AAELF64, table 5.7.5 on; AAELF32, table of relocation codes).
_MORE = {
    Isa.A64: {
        "R_AARCH64_NONE": 0, "R_AARCH64_LDST128_ABS_LO12_NC": 299, "R_AARCH64_LD64_GOTPAGE_LO15": 313,
        "R_AARCH64_PLT32": 314, "R_AARCH64_GOTPCREL32": 315, "R_AARCH64_IRELATIVE": 1032,
        "R_AARCH64_TLSDESC_LD_PREL19": 560, "R_AARCH64_TLSDESC_ADR_PREL21": 561, "R_AARCH64_TLSDESC_ADR_PAGE21": 562,
        "R_AARCH64_TLSDESC_LD64_LO12": 563, "R_AARCH64_TLSDESC_ADD_LO12": 564, "R_AARCH64_TLSDESC_OFF_G1": 565,
        "R_AARCH64_TLSDESC_OFF_G0_NC": 566, "R_AARCH64_TLSDESC_LDR": 567, "R_AARCH64_TLSDESC_ADD": 568,
        "R_AARCH64_TLSDESC_CALL": 569, "R_AARCH64_TLSLE_LDST128_TPREL_LO12": 570,
        "R_AARCH64_TLSLE_LDST128_TPREL_LO12_NC": 571, "R_AARCH64_TLS_DTPMOD": 1028, "R_AARCH64_TLS_DTPREL": 1029,
        "R_AARCH64_TLS_TPREL": 1030, "R_AARCH64_TLSDESC": 1031,
    },
    Isa.A32: {
        "R_ARM_TLS_DESC": 13, "R_ARM_TLS_GOTDESC": 90, "R_ARM_TLS_CALL": 91, "R_ARM_TLS_DESCSEQ": 92,
        "R_ARM_THM_TLS_CALL": 93, "R_ARM_THM_ALU_ABS_G0_NC": 132, "R_ARM_THM_ALU_ABS_G1_NC": 133,
        "R_ARM_THM_ALU_ABS_G2_NC": 134, "R_ARM_THM_ALU_ABS_G3_NC": 135, "R_ARM_IRELATIVE": 160,
    },
}  # fmt: skip


@functools.cache
def _names(isa: Isa) -> dict[int, str]:
    from elftools.elf.enums import ENUM_RELOC_TYPE_AARCH64, ENUM_RELOC_TYPE_ARM

    listed = ENUM_RELOC_TYPE_AARCH64 if isa is Isa.A64 else ENUM_RELOC_TYPE_ARM
    keep = {number: name for name, number in listed.items() if isinstance(number, int)}
    return keep | {number: name for name, number in _MORE[isa].items()}


def relocation_name(isa: Isa, number: int) -> str:
    """Return a name such as `R_AARCH64_CALL26`, or the number where it has no name."""
    return _names(isa).get(number, f"number {number}")


def relocation_number(isa: Isa, name: str) -> int | None:
    """Return the number of a relocation such as `R_AARCH64_CALL26`; None where there is none of that name."""
    return next((number for number, known in _names(isa).items() if known == name), None)


def is_thread_local(isa: Isa, number: int) -> bool:
    """Return whether the relocation is for thread-local storage."""
    return "TLS" in relocation_name(isa, number)


@functools.cache
def rule_of(isa: Isa, number: int) -> Rule | None:
    """Return the rule of the relocation; None where the lab does not apply it."""
    from neonlab.objects.link import relocations_a32, relocations_a64

    rules = relocations_a64.RULES if isa is Isa.A64 else relocations_a32.RULES
    return rules.get(relocation_name(isa, number))
