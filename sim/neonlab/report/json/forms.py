"""Define the JSON schema of the figures of instruction forms."""

from __future__ import annotations

from neonlab.report.json.parts import BOOLEAN, NUMBER, STRING, described, list_of, nullable, object_of

FORM = object_of(
    form=described(STRING, "as `add-core` names it: mnemonic, sizes, kinds of operands"),
    instruction=described(nullable(STRING), "one of the form, where the pattern was one or is of A32"),
    cores=list_of(
        object_of(
            core=STRING,
            executes=described(BOOLEAN, "whether the core has such an instruction; else all figures are those of kin"),
            refusal=described(nullable(STRING), "why it does not"),
            latency=described(
                nullable(NUMBER), "cycles to a dependent instruction of the same kind; null: there is no result"
            ),
            latency_to_address=described(
                nullable(NUMBER), "cycles to one that needs the result at once, such as an address; null: the same"
            ),
            latency_to_accumulator=described(
                nullable(NUMBER), "cycles to one of the family that accumulates into the result; null: the same"
            ),
            rate=described(NUMBER, "instructions a cycle if nothing waits for a result"),
            ports=described(STRING, "`A/B` is either, `A B` is both, `A×2` is for 2 cycles"),
            evidence=described(
                {"enum": ["measured", "alike measured", "by its sources", "estimate"]},
                "measured on this core; a form of the mnemonic with the same timing was; the core's sources were not "
                "compared form by form; estimate",
            ),
            measured_alike=described(nullable(STRING), "the form that was measured, for `alike measured`"),
            figures_of_form=described(
                STRING, "this form, another that stands for it, or a default, which begins with @"
            ),
            figures_of_core=described(STRING, "the core whose table states them"),
            measured_there=described(BOOLEAN, "whether the figures of another form or core were measured on that core"),
            differs=described(
                {"type": "object", "additionalProperties": NUMBER},
                "what was measured on this core (latency, accumulator, rate), where the model is more than 5 % off",
            ),
            source=STRING,
        )
    ),
)
