"""A result.json as a board's bench prints it, for tests that change it."""

from __future__ import annotations

from typing import Any

DOCUMENT: dict[str, Any] = {
    "board": 1,
    "neonlab": "0.1.0",
    "isa": "a64",
    "seed": 1,
    "machine": {
        "cpu": 2,
        "midr": "0x410fd034",
        "governor": "performance",
        "frequency_khz": "1400000",
        "most_khz": "1400000",
        "page_bytes": 4096,
        "system": "Linux",
        "release": "6.1.0",
        "architecture": "aarch64",
        "cpuinfo": "processor : 0\n",
    },
    "compiler": "12.2.0",
    "counter": {"kind": "perf_event", "hz": None, "frequency": None},
    "kernels": [
        {
            "kernel": "armv8/conv1x1_s8s32_chw_8x4",
            "digest": "00",
            "compiler": "",
            "opened": {
                "file": "armv8/conv1x1_s8s32_chw_8x4",
                "isa": "",
                "symbol": "",
                "prototype": "",
                "contract": "",
                "settings": [],
                "include": [],
                "define": [],
                "flags": [],
                "compiler": "",
            },
            "compares": "results, memory around them, kept registers",
            "cases": 40,
            "left_out": [{"case": "1x1x1x9 random seed 1", "reason": "too large"}],
            "failures": [],
            "tried": 40,
            "wrong": 0,
            "verdict": "exact",
            "timings": [
                {
                    "shape": "1x9x8x4",
                    "calls": 64,
                    "repetitions": 31,
                    "cycles": 1020.5,
                    "lowest": 1019.0,
                    "empty": 20.0,
                    "ns": 714.0,
                    "empty_ns": 14.0,
                },
                {"shape": "1x12x8x4", "reason": "does not return within 600 seconds"},
            ],
        }
    ],
}
