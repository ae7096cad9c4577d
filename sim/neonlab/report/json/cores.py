"""Define the JSON schemas of a core and of the comparison of its model with measured timings."""

from __future__ import annotations

from neonlab.report.json.parts import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    band_of_estimate,
    described,
    list_of,
    nullable,
    object_of,
)

_MODEL_ERROR = object_of(
    against=described(
        {"enum": ["unseen", "left-out", "silicon", "calibration", "llvm-mca"]},
        "what the figures were compared with: functions not used to adjust the model (unseen: the model's error), "
        "functions left out with their family when numbers of the model were chosen, "
        "forms that its table was filled from, functions that it was adjusted with, another model",
    ),
    figures=INTEGER,
    within_5_percent=described(nullable(INTEGER), "null where it was not counted"),
    held_out_within_5_percent=described(
        nullable(INTEGER), "figures within 5 % where each form was removed from the core's table first"
    ),
    median_error=described(NUMBER, "median of the absolute relative error"),
    p90_error=described(nullable(NUMBER), "90th percentile of the absolute relative error; null: not recorded"),
    bias=described(nullable(NUMBER), "median of the signed error; below 0 where the model has too few cycles"),
    low=described(nullable(NUMBER), "10th percentile of modelled / measured; null: not recorded, or too few figures"),
    high=described(nullable(NUMBER), "90th percentile of modelled / measured"),
    families=described(nullable(INTEGER), "families of functions; null: unknown"),
    measured_before_last_change=described(BOOLEAN, "whether the core's tables have changed since"),
    origin=described(STRING, "where the figures are from; empty where not recorded"),
)
_CACHE_SHAPE = object_of(size=INTEGER, ways=INTEGER, line=INTEGER)
CORE = object_of(
    core=STRING,
    title=STRING,
    in_order=BOOLEAN,
    width=described(INTEGER, "instructions or operations issued or dispatched per cycle"),
    window=described(INTEGER, "operations between dispatch and retirement; 0 in order"),
    ports=list_of(STRING),
    peak_macs_per_cycle=described(NUMBER, "int8 multiply-accumulates per cycle, by the model"),
    peak_instruction=STRING,
    caches=object_of(l1i=_CACHE_SHAPE, l1d=_CACHE_SHAPE, l2=_CACHE_SHAPE),
    errors=described(list_of(_MODEL_ERROR), "how far the model was off"),
    band=described(
        nullable(
            object_of(
                share=described({"const": 0.8}, "share of functions that the band holds"),
                low=described(NUMBER, "factor from modelled cycles to the lower end"),
                high=described(NUMBER, "factor from modelled cycles to the upper end"),
                functions=INTEGER,
                of=described(STRING, "the core measured, or `in order`, `out of order`: pooled over such cores"),
            )
        ),
        "range that every estimate of cycles has; null: none is known",
    ),
    sources=described(list_of(STRING), "of the pipeline's figures"),
)
COMPARISON = object_of(
    core=STRING,
    error=_MODEL_ERROR,
    counts=list_of(object_of(kind=STRING, what={"enum": ["latency", "rate"]}, within=INTEGER, figures=INTEGER)),
    outside=described(
        list_of(
            object_of(
                form=STRING,
                kind=STRING,
                what={"enum": ["latency", "rate"]},
                measured=NUMBER,
                modelled=NUMBER,
                reason=STRING,
            )
        ),
        "figures that differ by more than 5 %",
    ),
    left_out=described(list_of(object_of(form=STRING, reason=STRING)), "rows that do not test the model"),
)
FUNCTIONS = described(
    object_of(
        calibration=described(
            nullable(BOOLEAN), "whether the models were adjusted with these functions; null: not stated"
        ),
        summaries=list_of(
            object_of(
                title=described(STRING, "a core, `in order` or `out of order`"),
                figures=described(INTEGER, "those that adjusted no model: all other figures here are of these"),
                used=described(INTEGER, "those that adjusted the models"),
                within_5_percent=INTEGER,
                within_10_percent=INTEGER,
                within_measured_range=described(INTEGER, "those whose measured figure is a range included"),
                median_error=described(nullable(NUMBER), "median of the absolute error; null without figures"),
                p90_error=described(nullable(NUMBER), "its 90th percentile"),
                bias=described(nullable(NUMBER), "median of the signed error"),
                llvm_mca=described(
                    nullable(object_of(loops=INTEGER, median_error=NUMBER, llvm_mca_median_error=NUMBER)),
                    "where llvm-mca has a figure too: the model's median error, and llvm-mca's",
                ),
            )
        ),
        figures=list_of(
            object_of(
                function=STRING,
                file=STRING,
                isa=described(STRING, "empty where it could not be read"),
                core=STRING,
                unit=described(STRING, "unit of work that the cycles are for"),
                used=described({"enum": ["calibration", None]}, "whether the row adjusted the models"),
                measured=described(list_of(NUMBER), "lowest and highest cycles per unit"),
                modelled=nullable(NUMBER),
                band=described(
                    nullable(band_of_estimate(NUMBER)), "range of the modelled figure, in the same unit; null without"
                ),
                error=described(nullable(NUMBER), "relative to the middle of the measured range"),
                llvm_mca=described(nullable(NUMBER), "cycles per unit"),
                unknown_mnemonics=described(list_of(STRING), "mnemonics of forms that the core's table does not have"),
                stale=described(BOOLEAN, "whether other code was measured than is there now: no error counts the row"),
                reason=described(STRING, "why the model has no figure"),
                source=described(STRING, "where the measured figure is from"),
            )
        ),
    ),
    "whole functions measured on silicon: cores --functions",
)
LEFT_OUT = described(
    object_of(
        errors=list_of(object_of(title=described(STRING, "a core, `in order` or `out of order`"), error=_MODEL_ERROR)),
        ratios=described(
            list_of(
                object_of(
                    title=described({"enum": ["in order", "out of order"]}, "the cores"),
                    pairs=INTEGER,
                    median_error=described(NUMBER, "median of the distance from 1 of modelled ratio / measured ratio"),
                    low=described(NUMBER, "10th percentile of modelled ratio / measured ratio"),
                    high=described(NUMBER, "90th percentile"),
                    decided=described(INTEGER, "pairs that differ by `least` or more on silicon"),
                    right=described(INTEGER, "pairs of these whose faster version the model names"),
                    least=NUMBER,
                )
            ),
            "of two versions of a function; a difference inside is none that the model can tell",
        ),
    ),
    "functions left out with their family when numbers of the models were chosen: cores --left-out",
)
