"""What a cross gcc defines before it reads an assembly file (`gcc -dM -E -x assembler-with-cpp`)."""

from __future__ import annotations

from neonlab.isa.isa import Isa

# gcc 12, aarch64-linux-gnu and arm-linux-gnueabihf with -mfpu=neon.  Limits and types that assembly never asks for are
# left out.
_BOTH = {
    "__ASSEMBLER__": "1",
    "__ARM_ARCH_PROFILE": "65",
    "__ARM_FEATURE_CLZ": "1",
    "__ARM_FEATURE_UNALIGNED": "1",
    "__ARM_NEON": "1",
    "__ARM_SIZEOF_MINIMAL_ENUM": "4",
    "__ARM_SIZEOF_WCHAR_T": "4",
    "__BYTE_ORDER__": "__ORDER_LITTLE_ENDIAN__",
    "__CHAR_BIT__": "8",
    "__CHAR_UNSIGNED__": "1",
    "__ELF__": "1",
    "__FLOAT_WORD_ORDER__": "__ORDER_LITTLE_ENDIAN__",
    "__GNUC__": "12",
    "__GNUC_MINOR__": "2",
    "__GNUC_PATCHLEVEL__": "0",
    "__ORDER_BIG_ENDIAN__": "4321",
    "__ORDER_LITTLE_ENDIAN__": "1234",
    "__ORDER_PDP_ENDIAN__": "3412",
    "__PIC__": "2",
    "__PIE__": "2",
    "__REGISTER_PREFIX__": "",
    "__STDC__": "1",
    "__STDC_HOSTED__": "1",
    "__USER_LABEL_PREFIX__": "",
    "__VERSION__": '"12.2.0"',
    "__gnu_linux__": "1",
    "__linux": "1",
    "__linux__": "1",
    "__pic__": "2",
    "__pie__": "2",
    "__unix": "1",
    "__unix__": "1",
    "linux": "1",
    "unix": "1",
}
_A64 = {
    "_LP64": "1",
    "__LP64__": "1",
    "__AARCH64EL__": "1",
    "__AARCH64_CMODEL_SMALL__": "1",
    "__ARM_64BIT_STATE": "1",
    "__ARM_ALIGN_MAX_PWR": "28",
    "__ARM_ALIGN_MAX_STACK_PWR": "16",
    "__ARM_ARCH": "8",
    "__ARM_ARCH_8A": "1",
    "__ARM_ARCH_ISA_A64": "1",
    "__ARM_FEATURE_FMA": "1",
    "__ARM_FEATURE_IDIV": "1",
    "__ARM_FEATURE_NUMERIC_MAXMIN": "1",
    "__ARM_FP": "14",
    "__ARM_FP16_ARGS": "1",
    "__ARM_FP16_FORMAT_IEEE": "1",
    "__ARM_PCS_AAPCS64": "1",
    "__BIGGEST_ALIGNMENT__": "16",
    "__aarch64__": "1",
}
_A32 = {
    "__APCS_32__": "1",
    "__ARMEL__": "1",
    "__ARM_32BIT_STATE": "1",
    "__ARM_ARCH": "7",
    "__ARM_ARCH_7A__": "1",
    "__ARM_ARCH_ISA_ARM": "1",
    "__ARM_ARCH_ISA_THUMB": "2",
    "__ARM_ASM_SYNTAX_UNIFIED__": "1",
    "__ARM_EABI__": "1",
    "__ARM_FEATURE_COPROC": "15",
    "__ARM_FEATURE_DSP": "1",
    "__ARM_FEATURE_LDREX": "15",
    "__ARM_FEATURE_QBIT": "1",
    "__ARM_FEATURE_SAT": "1",
    "__ARM_FEATURE_SIMD32": "1",
    "__ARM_FP": "12",
    "__ARM_NEON__": "1",
    "__ARM_NEON_FP": "4",
    "__ARM_PCS_VFP": "1",
    "__BIGGEST_ALIGNMENT__": "8",
    "__THUMB_INTERWORK__": "1",
    "__VFP_FP__": "1",
    "__arm__": "1",
}


def predefined_macros(isa: Isa) -> dict[str, str]:
    """Name to replacement text."""
    return {**_BOTH, **(_A64 if isa is Isa.A64 else _A32)}
