"""Facts about a kernel's file that come from outside it: by options, by `neonlab.load`, in a sidecar.

All values are plain, so that they can be sent to another process.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

from neonlab.isa.model.isa import Isa

#: The names of the instruction sets on a command line.
ARCHITECTURES = {Isa.A32: "armv7", Isa.A64: "armv8"}


@dataclass(frozen=True, slots=True)
class Build:
    """Settings that a source is built with: `-I` folders, `-D` as NAME or NAME=VALUE, C flags and compiler.

    `preprocess` says whether assembly goes through the C preprocessor; None leaves that to the file.  `link` are files
    that define what the source calls or reads, to be linked with it.
    """

    include: tuple[str, ...] = ()
    define: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    compiler: str = ""
    preprocess: bool | None = None
    link: tuple[str, ...] = ()

    def over(self, other: Self) -> Build:
        """Return both combined.  Where only one value can hold, the one given here wins over that of `other`."""
        return Build(
            (*self.include, *other.include),
            (*other.define, *self.define),
            (*other.flags, *self.flags),
            self.compiler or other.compiler,
            other.preprocess if self.preprocess is None else self.preprocess,
            (*self.link, *other.link),
        )

    @property
    def defines(self) -> dict[str, str]:
        """Values of macros by name; 1 where no value is given, as compilers do."""
        return {name: value if equals else "1" for name, equals, value in (d.partition("=") for d in self.define)}


#: Built as it stands.
PLAIN = Build()


@dataclass(frozen=True, slots=True)
class Reference:
    """A C function that computes the expected result: `symbol` in `path`; an empty `path` is the kernel's own file."""

    path: str = ""
    symbol: str = ""
    build: Build = PLAIN
    on_host: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """All that can be given.  `settings` are entries as (`args.a.read`, `4*n`), which override the contract's own."""

    isa: Isa | None = None
    symbol: str = ""
    prototype: str = ""
    contract: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    build: Build = PLAIN
    reference: Reference | None = None

    @property
    def says_nothing(self) -> bool:
        """Tell whether nothing is given, so that the file alone decides."""
        return all(getattr(self, field.name) == field.default for field in fields(self))

    @property
    def options(self) -> tuple[str, ...]:
        """The command-line options that give the same, without the symbol and the instruction set."""
        said: list[str] = []
        for name, value in (("--contract", self.contract), ("--prototype", self.prototype)):
            said += [name, value] if value else []
        for key, value in self.settings:
            said += ["--set", f"{key}={value}"]
        for folder in self.build.include:
            said += ["-I", folder]
        for define in self.build.define:
            said += ["-D", define]
        said += [f"--cflags={' '.join(self.build.flags)}"] if self.build.flags else []
        if self.build.preprocess is not None:
            said += ["--preprocess" if self.build.preprocess else "--no-preprocess"]
        said += ["--compiler", self.build.compiler] if self.build.compiler else []
        if self.reference is not None:
            said += ["--reference", self.reference.path] if self.reference.path else []
            said += ["--reference-symbol", self.reference.symbol] if self.reference.symbol else []
            said += ["--reference-on-host"] if self.reference.on_host else []
        return tuple(said)


#: Nothing but the file.
NOTHING = Given()


def setting_text(value: object) -> str:
    """Return the value of a contract's entry as the command line writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(setting_text(item) for item in value)}]"
    return repr(value) if isinstance(value, (int, float)) else str(value)
