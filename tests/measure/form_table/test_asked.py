"""Forms are found by mnemonic, pattern, name and instruction."""

from __future__ import annotations

import pytest

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.measure.form_table.asked import forms_asked, known_forms
from neonlab.measure.forms.form import form_of
from neonlab.measure.silicon.encoded import encoded


def names(pattern: str, isa: Isa | None = None) -> list[str]:
    return [one.form for one in forms_asked(pattern, isa)]


def test_a_mnemonic_means_all_its_forms_and_no_other_mnemonic() -> None:
    assert names("smlal") == ["smlal.2s", "smlal.2s[]", "smlal.4h", "smlal.4h[]", "smlal.8b"]
    assert set(names("smlal*")) > {"smlal.8b", "smlal2.16b"}


@pytest.mark.parametrize("form", ["add shift", "sdot.16b[]", "cmeq.16b #", "umov.b", "ldr.q ,", "ldr.q"])
def test_a_form_is_found_by_its_name(form: str) -> None:
    if form in known_forms():
        assert form in names(form)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("vmlal.s8 q, d, d", "vmlal.s8 q0, d2, d4"),
        ("smlal v.8h, v.8b, v.8b", "smlal v0.8h, v2.8b, v4.8b"),
        ("ldr q, [x], #", "ldr q0, [x2], #1"),
        ("SDOT  v.4s, v.16b, v.4b[1]", "sdot v0.4s, v2.16b, v4.4b[1]"),
        ("add x, x, x, lsl #", "add x0, x2, x4, lsl #1"),
    ],
)
def test_an_instruction_with_open_operands_is_one_with_registers(pattern: str, text: str) -> None:
    isa = Isa.A32 if pattern.startswith("vm") else Isa.A64
    (one,) = forms_asked(pattern)
    assert one.text == text
    assert one.form == form_of(encoded(isa, [text])[0])


def test_mnemonics_of_a32_come_with_an_instruction_of_each_form() -> None:
    found = {one.text.partition(" ")[0]: one.form for one in forms_asked("vmlal*")}
    assert found["vmlal.s8"] == "smlal.8b" and found["vmlal.u32"].startswith("umlal.2s")
    for one in forms_asked("vmlal*"):
        assert one.form == form_of(encoded(Isa.A32, [one.text])[0])


@pytest.mark.slow
def test_an_instruction_set_chooses_between_names_that_both_have() -> None:
    assert names("smlal", Isa.A32) == ["mlal32"]
    assert "smlal.8b" in names("smlal", Isa.A64)


@pytest.mark.parametrize("pattern", ["xyz", "vmlal.s8 q, q, q", "smlal v0.8h", "*x*x*", ""])
def test_what_fits_no_form_is_refused_with_examples(pattern: str) -> None:
    with pytest.raises(InputError, match="no form fits"):
        forms_asked(pattern)


@pytest.mark.parametrize(
    ("pattern", "isa", "meant"),
    [
        ("smlalx", None, "smlal"), ("sqxtnn.8b", Isa.A64, "sqxtn"), ("vmlall.s8 q, d, d", None, "vmlal"),
        ("vmlall.s8 q, d, d", Isa.A64, "umlal"), ("smlal v0.8h", None, ""), ("xyz", None, ""),
    ],
)  # fmt: skip
def test_a_mistyped_mnemonic_is_told_the_nearest_one(pattern: str, isa: Isa | None, meant: str) -> None:
    with pytest.raises(InputError, match="no form fits") as refused:
        forms_asked(pattern, isa)
    assert str(refused.value).endswith(f"; did you mean `{meant}`?" if meant else "(vmlal.s8 q, d, d)")
