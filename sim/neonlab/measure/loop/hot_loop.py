"""Find the hot loops of a run, each as one iteration in the order of execution.

The executions of every instruction are enough.  The number of times that each edge between basic blocks was taken
follows from the executions before and after it.  Where that leaves a choice (a loop that may be skipped altogether),
loops are assumed to iterate as often as the counts allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from neonlab.assemble.program import Program
from neonlab.isa.model.instruction import BranchKind, Instruction

_LONGEST = 1 << 14  # instructions of one iteration, inner loops included
_BESIDE = 0.1  # of the weight, for a loop beside the hottest
_OUT = -1  # a block's number for everything outside the text


@dataclass(frozen=True, slots=True)
class HotLoop:
    """A hot loop: `body` is one iteration along the path taken most often, from the head to the branch back.

    `iterations` is the number of executions of the head, `entries` the number of those from outside the loop.  `share`
    is the share of the weight that lies in the loop.  `always` says whether every iteration took this path.
    `addresses` are those of all executed instructions of the loop.
    """

    body: tuple[Instruction, ...]
    iterations: int
    entries: int
    share: float
    always: bool
    addresses: frozenset[int]


@dataclass(slots=True)
class _Block:
    first: int
    last: int  # indices of instructions
    executions: int
    successors: tuple[int, ...] = ()


_Edge = tuple[int, int]


def find_hot_loop(program: Program, executions: Sequence[int], weight: Sequence[float] | None = None) -> HotLoop | None:
    """Return the loop with the most weight outside the loops inside it; None where the run has no loop.

    `executions` and `weight` (cycles; by default the executions) have an element for each of `program.instructions`.
    An inner loop that is not hot itself appears in the body as often as it iterates on average.
    """
    return next(iter(find_hot_loops(program, executions, weight)), None)


def find_hot_loops(
    program: Program, executions: Sequence[int], weight: Sequence[float] | None = None
) -> tuple[HotLoop, ...]:
    """Return the hottest loop, then loops apart from it that have at least a tenth of the weight each."""
    code = program.instructions
    heavy = [float(one) for one in (weight if weight is not None else executions)]
    blocks = _blocks(code, executions)
    edges = _edge_counts(blocks, _unknown_entries(program, blocks, code))
    loops = _loops(blocks, edges)
    weights = [sum(heavy[block.first : block.last + 1]) for block in blocks]
    total = sum(heavy)
    own: dict[int, float] = {}
    for head, members in loops.items():
        inner = set().union(*(other for start, other in loops.items() if start != head and other < members))
        own[head] = sum(weights[number] for number in members - inner)
    found: list[HotLoop] = []
    taken: set[int] = set()
    for head in sorted(loops, key=lambda one: (-own[one], blocks[one].first)):
        members = loops[head]
        within = _within(blocks, head, members)
        if own[head] <= 0 or (found and (own[head] < _BESIDE * total or taken & within)):
            continue
        path, always = _path(blocks, edges, head, members)
        if not path and not found:
            break
        if not path:
            continue
        taken |= within
        share = sum(weights[number] for number in members) / total
        again = sum(count for (source, target), count in edges.items() if target == head and source in members)
        times = blocks[head].executions
        found.append(
            HotLoop(
                tuple(code[at] for at in _instructions(blocks, path)), times, max(1, times - again), share, always,
                frozenset(code[at].address for at in _instructions(blocks, members)),
            )
        )  # fmt: skip
    return tuple(found)


def _within(blocks: Sequence[_Block], head: int, members: frozenset[int]) -> set[int]:
    """Return the blocks of a loop, with those on its way round whether or not the counts show that they ran."""
    before: dict[int, list[int]] = {}
    for number, block in enumerate(blocks):
        for follower in block.successors:
            before.setdefault(follower, []).append(number)
    found, waiting = {head}, [number for number in members if head in blocks[number].successors]
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            waiting.extend(before.get(number, ()))
    return found


def _instructions(blocks: Sequence[_Block], numbers: Iterable[int]) -> Iterator[int]:
    return (at for number in numbers for at in range(blocks[number].first, blocks[number].last + 1))


def _blocks(code: Sequence[Instruction], executions: Sequence[int]) -> list[_Block]:
    """Return the executed basic blocks in order of address, with the successors of each."""
    numbers = {instruction.address: at for at, instruction in enumerate(code)}
    leaders = {instruction.target for instruction in code if instruction.target is not None}
    blocks: list[_Block] = []
    for at, instruction in enumerate(code):
        if not executions[at]:
            continue
        before = code[at - 1] if at else None
        follows = before is not None and before.address + before.size == instruction.address
        joined = blocks and blocks[-1].last == at - 1 and follows and before is not None
        if (
            joined
            and instruction.address not in leaders
            and before is not None
            and before.branch is BranchKind.NONE
            and executions[at] == executions[at - 1]
        ):
            blocks[-1].last = at
        else:
            blocks.append(_Block(at, at, int(executions[at])))
    starts = {block.first: number for number, block in enumerate(blocks)}
    for block in blocks:
        end = code[block.last]
        addresses = []
        if end.branch in (BranchKind.NONE, BranchKind.CONDITIONAL, BranchKind.CALL) or end.condition:
            addresses.append(end.address + end.size)
        if end.branch in (BranchKind.JUMP, BranchKind.CONDITIONAL):
            addresses.append(end.target if end.target is not None else -1)
        following = [starts.get(numbers.get(address, -1), _OUT) for address in addresses]
        if end.branch in (BranchKind.RETURN, BranchKind.INDIRECT):
            following.append(_OUT)
        block.successors = tuple(dict.fromkeys(following))
    return blocks


def _unknown_entries(program: Program, blocks: Sequence[_Block], code: Sequence[Instruction]) -> set[int]:
    """Return the blocks that may be entered other than by a branch or from the block before."""
    if any(instruction.branch is BranchKind.INDIRECT for instruction in code):
        return set(range(len(blocks)))
    entered = set(program.symbols.values())
    entered |= {instruction.target or 0 for instruction in code if instruction.branch is BranchKind.CALL}
    return {number for number, block in enumerate(blocks) if code[block.first].address in entered or number == 0}


def _edge_counts(blocks: Sequence[_Block], unknown: set[int]) -> dict[_Edge, int]:
    leaving: dict[int, list[_Edge]] = {number: [] for number in range(len(blocks))}
    entering: dict[int, list[_Edge]] = {number: [] for number in range(len(blocks))}
    for number, block in enumerate(blocks):
        for follower in block.successors:
            edge = number, follower
            leaving[number].append(edge)
            if follower != _OUT:
                entering[follower].append(edge)
    groups = [(edges, blocks[number].executions) for number, edges in leaving.items()]
    groups += [(edges, blocks[number].executions) for number, edges in entering.items() if number not in unknown]
    known: dict[_Edge, int] = {}

    def settle() -> None:
        changed = True
        while changed:
            changed = False
            for edges, total in groups:
                missing = [edge for edge in edges if edge not in known]
                if len(missing) == 1:
                    known[missing[0]] = max(0, total - sum(known[edge] for edge in edges if edge in known))
                    changed = True

    settle()
    open_edges = [edge for edges in leaving.values() for edge in edges]
    for edge in sorted(open_edges, key=lambda one: (one[1] == _OUT, one[1] > one[0])):  # backward ones first
        if edge not in known:
            source, target = edge
            room = blocks[source].executions - sum(known.get(one, 0) for one in leaving[source])
            if target != _OUT:
                room = min(room, blocks[target].executions - sum(known.get(one, 0) for one in entering[target]))
            known[edge] = max(0, room)
            settle()
    return known


def _loops(blocks: Sequence[_Block], edges: dict[_Edge, int]) -> dict[int, frozenset[int]]:
    """Return the blocks of each loop by its head: those that reach a back edge without passing the head."""
    before: dict[int, list[int]] = {number: [] for number in range(len(blocks))}
    for source, target in edges:
        if target != _OUT and edges[source, target]:
            before[target].append(source)
    loops: dict[int, set[int]] = {}
    for latch, head in _edges_back(blocks, edges):
        members = loops.setdefault(head, {head})
        waiting = [latch]
        while waiting:
            number = waiting.pop()
            if number not in members:
                members.add(number)
                waiting.extend(before[number])
    return {head: frozenset(members) for head, members in loops.items()}


def _edges_back(blocks: Sequence[_Block], edges: dict[_Edge, int]) -> list[_Edge]:
    """Return the taken edges to a block that a depth-first search is still in."""
    state = [0] * len(blocks)  # 1 while the search is within, 2 after
    found = []
    for start in range(len(blocks)):
        if state[start]:
            continue
        state[start] = 1
        stack = [(start, iter(blocks[start].successors))]
        while stack:
            number, rest = stack[-1]
            follower = next(rest, None)
            if follower is None:
                state[number] = 2
                stack.pop()
            elif follower == _OUT or not edges[number, follower]:
                continue
            elif state[follower] == 1:
                found.append((number, follower))
            elif state[follower] == 0:
                state[follower] = 1
                stack.append((follower, iter(blocks[follower].successors)))
    return found


def _path(
    blocks: Sequence[_Block], edges: dict[_Edge, int], head: int, members: frozenset[int]
) -> tuple[list[int], bool]:
    """Return the blocks of one iteration, and whether every iteration takes this path.

    Each edge is taken as often as on average, the most frequent first.
    """
    left = {edge: count / blocks[head].executions for edge, count in edges.items()}
    path, length, number = [head], blocks[head].last - blocks[head].first + 1, head
    while True:
        ways = [(number, follower) for follower in blocks[number].successors if follower in members]
        if not ways:
            return [], False
        edge = max(ways, key=lambda way: (left[way], -way[1]))
        left[edge] -= 1
        number = edge[1]
        if number == head:
            break
        path.append(number)
        length += blocks[number].last - blocks[number].first + 1
        if length > _LONGEST:
            return [], False
    ways_taken = zip(path, [*path[1:], head], strict=True)
    always = all(
        other in (follower, _OUT) or other not in members or not edges[number, other]
        for number, follower in ways_taken
        for other in blocks[number].successors
    )
    return path, always
