"""neonlab: run, check, count and cost hand-written ARM NEON int8 kernels without an ARM device.

The public names below load on first use, so that a command that needs little starts fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neonlab.assemble.assembler import assemble_file as assemble_file
    from neonlab.assemble.assembler import assemble_text as assemble_text
    from neonlab.assemble.contract import Contract as Contract
    from neonlab.assemble.link import link as link
    from neonlab.assemble.program import Program as Program
    from neonlab.checking import check as check
    from neonlab.comparison import Comparison as Comparison
    from neonlab.emulate.buffer import Buffer as Buffer
    from neonlab.emulate.machine import Machine as Machine
    from neonlab.emulate.run import Fault as Fault
    from neonlab.emulate.run import FaultKind as FaultKind
    from neonlab.emulate.run import Run as Run
    from neonlab.errors import InputError as InputError
    from neonlab.function import FaultError as FaultError
    from neonlab.function import Function as Function
    from neonlab.function import load as load
    from neonlab.isa.isa import Isa as Isa
    from neonlab.isa.prototype import parse_prototype as parse_prototype
    from neonlab.library import Kernel as Kernel
    from neonlab.library import Library as Library
    from neonlab.library import open_kernel as open_kernel
    from neonlab.library import open_library as open_library
    from neonlab.measure.options import MemoryOptions as MemoryOptions
    from neonlab.measure.profile import Profile as Profile
    from neonlab.profiling import compare as compare
    from neonlab.profiling import profile as profile
    from neonlab.systems import Calls as Calls
    from neonlab.systems import Outcome as Outcome
    from neonlab.systems import System as System
    from neonlab.verify.case import Array as Array
    from neonlab.verify.case import Case as Case
    from neonlab.verify.case import DataSource as DataSource
    from neonlab.verify.case import Expected as Expected
    from neonlab.verify.case import Shape as Shape
    from neonlab.verify.operator import Dispatch as Dispatch
    from neonlab.verify.operator import Operator as Operator
    from neonlab.verify.verdict import Failure as Failure
    from neonlab.verify.verdict import Verdict as Verdict

__version__ = "0.1.0"

_HOMES = {
    "neonlab.assemble.assembler": ("assemble_file", "assemble_text"),
    "neonlab.assemble.contract": ("Contract",),
    "neonlab.assemble.link": ("link",),
    "neonlab.assemble.program": ("Program",),
    "neonlab.checking": ("check",),
    "neonlab.comparison": ("Comparison",),
    "neonlab.emulate.buffer": ("Buffer",),
    "neonlab.emulate.machine": ("Machine",),
    "neonlab.emulate.run": ("Fault", "FaultKind", "Run"),
    "neonlab.errors": ("InputError",),
    "neonlab.function": ("FaultError", "Function", "load"),
    "neonlab.isa.isa": ("Isa",),
    "neonlab.isa.prototype": ("parse_prototype",),
    "neonlab.profiling": ("compare", "profile"),
    "neonlab.library": ("Kernel", "Library", "open_kernel", "open_library"),
    "neonlab.measure.options": ("MemoryOptions",),
    "neonlab.measure.profile": ("Profile",),
    "neonlab.systems": ("Calls", "Outcome", "System"),
    "neonlab.verify.case": ("Array", "Case", "DataSource", "Expected", "Shape"),
    "neonlab.verify.operator": ("Dispatch", "Operator"),
    "neonlab.verify.verdict": ("Failure", "Verdict"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'neonlab' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)
