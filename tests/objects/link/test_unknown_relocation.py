"""Relocations whose number means nothing to the lab, put into a sound object."""

from __future__ import annotations

import pytest
from tests.objects.build import A32, A64, TARGETS, compiled

from neonlab.errors import InputError
from neonlab.objects.image.reach import program_of
from neonlab.objects.link.relocation_names import relocation_name, rule_of
from neonlab.objects.linker import link_modules
from neonlab.objects.load import elf_module

NUMBERS = {"a64": (300, 999, 1032, 0xFFFFFFFF), "a32": (9, 35, 120, 255), "thumb": (16, 70, 131, 200)}


@pytest.mark.parametrize("name", TARGETS)
def test_an_unknown_relocation_is_refused_by_name(name: str) -> None:
    target = TARGETS[name]
    for number in NUMBERS[name]:
        module = elf_module(compiled("kernel.c", target).read_bytes(), "kernel.o")
        module.relocations["kind"][0] = number
        section = module.sections[int(module.relocations["section"][0])]
        others = [elf_module(compiled(s, target).read_bytes(), s) for s in ("library.c", "override.c")]
        image = link_modules([module, *others])
        with pytest.raises(InputError) as caught:
            program_of(image)
        assert str(caught.value).startswith(f"kernel.o: {section.name}+0x")
        assert relocation_name(target.isa, number) in str(caught.value)
        assert rule_of(target.isa, number) is None


def test_names_are_those_of_the_standards() -> None:
    assert relocation_name(A64.isa, 283) == "R_AARCH64_CALL26"
    assert relocation_name(A64.isa, 299) == "R_AARCH64_LDST128_ABS_LO12_NC"
    assert relocation_name(A64.isa, 1027) == "R_AARCH64_RELATIVE"
    assert relocation_name(A32.isa, 10) == "R_ARM_THM_CALL"
    assert relocation_name(A32.isa, 160) == "R_ARM_IRELATIVE"
