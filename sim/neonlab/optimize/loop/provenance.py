"""Find which buffers each access of a program may go to, by the pointers that its base register was made of.

A register that is made of other registers holds an address within what these point to.  Of a value from memory nothing
is known, so an access there may go anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping

from neonlab.assemble.program import Program
from neonlab.contract.model import Contract
from neonlab.isa.c.procedure_call import place_arguments
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction
from neonlab.isa.model.isa import Isa, Register, general

#: Stands for a buffer that is not known.
ANYWHERE = "?"
_ANY = frozenset({ANYWHERE})
_NONE: frozenset[str] = frozenset()
_State = dict[Register, frozenset[str]]


def buffers_of(program: Program, contract: Contract) -> Mapping[int, frozenset[str]]:
    """Return the names of the buffers that the instruction at each address may access; ANYWHERE where none is known."""
    code = program.instructions
    numbers = {instruction.address: at for at, instruction in enumerate(code)}
    start = numbers.get(program.addresses.get(contract.name, -1), 0)
    states: dict[int, _State] = {start: _at_entry(contract)}
    waiting = [start]
    while waiting:
        at = waiting.pop()
        state = _behind(code[at], states[at])
        for address in _next_addresses(code[at]):
            follower = numbers.get(address)
            if follower is not None and _join(states, follower, state):
                waiting.append(follower)
    return {code[at].address: _accessed(code[at], state) for at, state in states.items() if code[at].accesses}


def _at_entry(contract: Contract) -> _State:
    state: _State = {general(31 if contract.isa is Isa.A64 else 13): frozenset({"stack"})}
    places = place_arguments(contract.isa, contract.signature, contract.float_abi)
    for parameter, place in zip(contract.signature.parameters, places, strict=True):
        argument = contract.by_name.get(parameter.name)
        if place.registers and argument in contract.pointers:
            state[general(int(place.registers[0][1:]))] = frozenset({contract.buffer_of(parameter.name)})
    return state


def _next_addresses(instruction: Instruction) -> tuple[int, ...]:
    if instruction.branch is BranchKind.CALL:
        return (instruction.address + instruction.size,)
    return instruction.next_addresses


def _join(states: dict[int, _State], at: int, state: _State) -> bool:
    """Add what holds on one more way to an instruction; return whether that is new."""
    known = states.get(at)
    if known is None:
        states[at] = dict(state)
        return True
    new = False
    for register, names in state.items():
        both = known.get(register, _NONE) | names
        if both != known.get(register, _NONE):
            known[register], new = both, True
    return new


def _behind(instruction: Instruction, state: _State) -> _State:
    """Return the state behind an instruction."""
    written = [register for register in instruction.writes if register.file == "general"]
    if not written and instruction.branch is not BranchKind.CALL:
        return state
    after = dict(state)
    base = instruction.writeback.base if instruction.writeback is not None else None
    loads = any(access.kind is AccessKind.LOAD for access in instruction.accesses)
    sources = frozenset().union(*(state.get(one, _NONE) for one in instruction.reads if one.file == "general"), _NONE)
    for register in written:
        if register != base:
            after[register] = _ANY if loads else sources
    return after


def _accessed(instruction: Instruction, state: _State) -> frozenset[str]:
    names = frozenset[str]()
    for access in instruction.accesses:
        names |= state.get(access.base, _NONE) if access.base is not None else _NONE
    return names or _ANY
