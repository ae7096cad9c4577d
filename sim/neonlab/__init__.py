"""Run, check, count and cost hand-written ARM NEON int8 kernels without an ARM device.

The public names below load on first use, so that a command that needs little starts fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neonlab.assemble.assembler import assemble_file as assemble_file
    from neonlab.assemble.assembler import assemble_text as assemble_text
    from neonlab.assemble.linking import link as link
    from neonlab.assemble.program import Program as Program
    from neonlab.contract.header import Contract as Contract
    from neonlab.emulate.guest.buffer import Buffer as Buffer
    from neonlab.emulate.machine import Machine as Machine
    from neonlab.emulate.run import Fault as Fault
    from neonlab.emulate.run import FaultKind as FaultKind
    from neonlab.emulate.run import Run as Run
    from neonlab.errors import InputError as InputError
    from neonlab.isa.c.prototype import parse_prototype as parse_prototype
    from neonlab.isa.model.isa import Isa as Isa
    from neonlab.lab.compare.comparison import Comparison as Comparison
    from neonlab.lab.function import FaultError as FaultError
    from neonlab.lab.function import Function as Function
    from neonlab.lab.function import load as load
    from neonlab.lab.repository.kernel_name import KernelName as KernelName
    from neonlab.lab.repository.library import Kernel as Kernel
    from neonlab.lab.repository.library import Library as Library
    from neonlab.lab.repository.library import find_root as find_root
    from neonlab.lab.repository.library import open_kernel as open_kernel
    from neonlab.lab.repository.library import open_library as open_library
    from neonlab.lab.run.check import check as check
    from neonlab.lab.run.profile import compare as compare
    from neonlab.lab.run.profile import profile as profile
    from neonlab.lab.run.prove import prove as prove_kernel  # noqa: F401 - a name of its own
    from neonlab.lab.systems import Calls as Calls
    from neonlab.lab.systems import Outcome as Outcome
    from neonlab.lab.systems import System as System
    from neonlab.measure.options import MemoryOptions as MemoryOptions
    from neonlab.measure.profile import Profile as Profile
    from neonlab.measure.shape import Shape as Shape
    from neonlab.optimize.kernel import optimize as optimize_kernel  # noqa: F401 - a name of its own
    from neonlab.optimize.outcome import Optimized as Optimized
    from neonlab.prove.proof import Proof as Proof
    from neonlab.prove.proof import ProofStatus as ProofStatus
    from neonlab.prove.proof import ShapeProof as ShapeProof
    from neonlab.verify.cases.case import Array as Array
    from neonlab.verify.cases.case import Case as Case
    from neonlab.verify.cases.case import DataSource as DataSource
    from neonlab.verify.cases.case import Expected as Expected
    from neonlab.verify.cases.operator import Dispatch as Dispatch
    from neonlab.verify.cases.operator import Operator as Operator
    from neonlab.verify.cases.sizes import Role as Role
    from neonlab.verify.verdict import Failure as Failure
    from neonlab.verify.verdict import Verdict as Verdict

__version__ = "0.1.0"

_HOMES = {
    "neonlab.assemble.assembler": ("assemble_file", "assemble_text"),
    "neonlab.contract.header": ("Contract",),
    "neonlab.measure.shape": ("Shape",),
    "neonlab.assemble.linking": ("link",),
    "neonlab.assemble.program": ("Program",),
    "neonlab.lab.run.check": ("check",),
    "neonlab.lab.compare.comparison": ("Comparison",),
    "neonlab.emulate.guest.buffer": ("Buffer",),
    "neonlab.emulate.machine": ("Machine",),
    "neonlab.emulate.run": ("Fault", "FaultKind", "Run"),
    "neonlab.errors": ("InputError",),
    "neonlab.lab.function": ("FaultError", "Function", "load"),
    "neonlab.isa.model.isa": ("Isa",),
    "neonlab.isa.c.prototype": ("parse_prototype",),
    "neonlab.lab.run.profile": ("compare", "profile"),
    "neonlab.lab.run.prove": ("prove_kernel",),
    "neonlab.lab.repository.kernel_name": ("KernelName",),
    "neonlab.lab.repository.library": ("Kernel", "Library", "find_root", "open_kernel", "open_library"),
    "neonlab.measure.options": ("MemoryOptions",),
    "neonlab.measure.profile": ("Profile",),
    "neonlab.lab.systems": ("Calls", "Outcome", "System"),
    "neonlab.optimize.kernel": ("optimize_kernel",),
    "neonlab.optimize.outcome": ("Optimized",),
    "neonlab.prove.proof": ("Proof", "ProofStatus", "ShapeProof"),
    "neonlab.verify.cases.case": ("Array", "Case", "DataSource", "Expected"),
    "neonlab.verify.cases.operator": ("Dispatch", "Operator"),
    "neonlab.verify.cases.sizes": ("Role",),
    "neonlab.verify.verdict": ("Failure", "Verdict"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}
#: Names that differ at home: `neonlab.prove` and `neonlab.optimize` are packages.
_AT_HOME = {"prove_kernel": "prove", "optimize_kernel": "optimize"}
__all__ = sorted(_HOME)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'neonlab' has no attribute {name!r}")
    display = importlib.import_module("neonlab.host.display")
    display.register_renderers("neonlab.report.notebook")
    return getattr(importlib.import_module(_HOME[name]), _AT_HOME.get(name, name))
