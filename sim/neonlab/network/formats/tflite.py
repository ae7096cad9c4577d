"""Read a .tflite model as a graph, in the arithmetic of one set of LiteRT's kernels.

`reference` is what TFLite's reference kernels compute, also on microcontrollers; `xnnpack` is LiteRT's default on
phones and computers.
"""

from __future__ import annotations

from pathlib import PurePath

import numpy as np

from neonlab.network.formats.draft import Draft, Refusal
from neonlab.network.formats.tflite_file import FileGraph, FileOperator, FileTensor, read_graphs
from neonlab.network.formats.tflite_host import fold, on_host
from neonlab.network.formats.tflite_operators import MAPPINGS, Mapped, Place
from neonlab.network.graph import DTYPES, Array, Graph, Quantization, State
from neonlab.network.reference.frameworks.litert import INSTALL

ARITHMETICS = ("reference", "xnnpack")
_VARIABLES = ("VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "CALL_ONCE")


def read_tflite(path: str, data: bytes, arithmetic: str = "reference") -> Graph:
    """Return the first subgraph of a .tflite model.

    A resource variable is a State of the graph; a subgraph that CALL_ONCE names says what it holds at first.  Raises
    InputError for a file that is damaged or holds no such model, and for nodes that the lab does not have, all of them
    at once.
    """
    graphs = read_graphs(path, data)
    draft = Draft(path, "tflite")
    states, starts, aliases = _variables(draft, graphs)
    names = _names(graphs[0])
    main = graphs[0]
    for number in _used(draft, main, names):
        if number not in aliases:
            _add(draft, names[number], main.tensors[number])
    place = Place(draft, main, [aliases.get(number, name) for number, name in enumerate(names)], arithmetic)
    for number, operator in enumerate(main.operators):
        if operator.name not in _VARIABLES:
            _map(place, number, operator)
    return draft.finish(
        PurePath(path).stem,
        [place.names[number] for number in main.inputs],
        [place.names[number] for number in main.outputs],
        [
            *(State(state.name, place.name_of(state.read), place.name_of(state.written)) for state in states),
            *place.states,
        ],
        {**starts, **place.starts},
    )


def _names(graph: FileGraph) -> list[str]:
    """Return a name for each tensor: that of the file, with its number where another one has it too."""
    found: list[str] = []
    taken: set[str] = set()
    for number, tensor in enumerate(graph.tensors):
        name = tensor.name if tensor.name not in taken else f"{tensor.name} #{number}"
        taken.add(name)
        found.append(name)
    return found


def _used(draft: Draft, graph: FileGraph, names: list[str]) -> list[int]:
    """Return the tensors that operators take or put out; not those of types that the graph does not have.

    Raises InputError for such an input or output of the network.
    """
    ends = {*graph.inputs, *graph.outputs}
    made = {number for operator in graph.operators for number in operator.outputs}
    found = []
    for number in sorted(ends.union(made, *(operator.inputs for operator in graph.operators)) - {-1}):
        tensor = graph.tensors[number]
        if tensor.dtype in DTYPES:
            # A constant without elements, such as no axes, is no tensor of the graph.
            if number in ends or number in made or 0 not in tensor.shape:
                found.append(number)
        elif number in ends:
            raise draft.fail(f"tensor `{names[number]}` is {tensor.dtype}, which the lab does not have")
    return found


def _add(draft: Draft, name: str, tensor: FileTensor) -> None:
    quantization = tensor.quantization
    if tensor.dtype in ("float32", "bool"):
        quantization = None
    if quantization is not None and len(quantization.scales) == 1:
        quantization = Quantization(quantization.scales, quantization.zero_points)
    data = tensor.data
    if data is not None and data.size == 0:
        data = None
    draft.add(name, tensor.shape, tensor.dtype, quantization, data)


def _map(place: Place, number: int, operator: FileOperator) -> None:
    """Add an operator, by the lab's own arithmetic if it has one, else by LiteRT; note why where it cannot be."""
    if fold(place, operator):
        return
    name, before = f"{number} {operator.name}", len(place.draft.nodes)
    mapping = MAPPINGS.get(operator.name)
    why = "" if mapping is None else _refused(mapping, place, name, operator)
    if mapping is not None and not why:
        return
    place.draft.cut(before)
    # What the lab's own arithmetic does not cover, LiteRT may; if not, the first reason is the clearer one.
    host = _refused(on_host, place, name, operator)
    if host:
        told = f"{why}; {INSTALL}" if why and host == INSTALL else why or host
        place.draft.refuse(name, operator.name, told)


def _refused(mapping: Mapped, place: Place, name: str, operator: FileOperator) -> str:
    """Add an operator as `mapping` does; return why it cannot be, or "" if it was."""
    try:
        mapping(place, name, operator)
    except Refusal as error:
        return str(error)
    except (IndexError, KeyError, TypeError, ValueError, ArithmeticError) as error:
        return f"lacks an input, an output or an option ({error})"
    return ""


def _variables(draft: Draft, graphs: tuple[FileGraph, ...]) -> tuple[list[State], dict[str, Array], dict[int, str]]:
    """Return the states, what they hold at first, and other names for tensors that read what was assigned before.

    The names in the states are numbers of tensors as text.
    """
    main = graphs[0]
    handles = _handles(main)
    current: dict[str, str] = {}
    reads: dict[str, int] = {}
    aliases: dict[int, str] = {}
    names = _names(main)
    for operator in main.operators:
        if operator.name == "READ_VARIABLE":
            variable = _handle(draft, handles, operator)
            read = operator.outputs[0]
            if variable in current:
                aliases[read] = aliases.get(int(current[variable]), names[int(current[variable])])
            elif variable in reads:
                aliases[read] = names[reads[variable]]
            else:
                reads[variable] = read
        elif operator.name == "ASSIGN_VARIABLE":
            variable = _handle(draft, handles, operator)
            current[variable] = str(operator.inputs[1])
    starts = _starts(draft, graphs)
    states, first = [], {}
    for variable, read in sorted(reads.items()):
        tensor = main.tensors[read]
        states.append(State(variable, f"#{read}", f"#{current.get(variable, str(read))}"))
        zero = 0 if tensor.quantization is None else tensor.quantization.zero_point
        start = starts.get(variable)
        if start is not None and start.shape != tensor.shape:
            raise draft.fail(f"variable `{variable}` is read as {list(tensor.shape)} and starts as {list(start.shape)}")
        first[variable] = np.full(tensor.shape, zero, tensor.dtype) if start is None else start
    return states, first, aliases


def _handles(graph: FileGraph) -> dict[int, str]:
    return {
        operator.outputs[0]: str(operator.options.get("SharedName") or f"variable {operator.outputs[0]}")
        for operator in graph.operators
        if operator.name == "VAR_HANDLE" and operator.outputs
    }


def _handle(draft: Draft, handles: dict[int, str], operator: FileOperator) -> str:
    if not operator.inputs or operator.inputs[0] not in handles:
        raise draft.fail(f"{operator.name} of something that is no variable")
    wanted = 2 if operator.name == "ASSIGN_VARIABLE" else 1
    if len(operator.inputs) != wanted or min(operator.inputs) < 0 or (wanted == 1 and len(operator.outputs) != 1):
        raise draft.fail(f"{operator.name} of `{handles[operator.inputs[0]]}` has the wrong number of tensors")
    return handles[operator.inputs[0]]


def _starts(draft: Draft, graphs: tuple[FileGraph, ...]) -> dict[str, Array]:
    """Return the constants that subgraphs called once assign to variables."""
    found: dict[str, Array] = {}
    for operator in graphs[0].operators:
        if operator.name != "CALL_ONCE":
            continue
        number = operator.options.get("InitSubgraphIndex", 0)
        if not 0 < number < len(graphs):
            raise draft.fail(f"CALL_ONCE of subgraph {number} of {len(graphs)}")
        handles = _handles(graphs[number])
        for inner in graphs[number].operators:
            if inner.name == "ASSIGN_VARIABLE":
                variable = _handle(draft, handles, inner)
                value = graphs[number].tensors[inner.inputs[1]].data
                if value is None:
                    raise draft.fail(f"variable `{variable}` starts as something that is no constant")
                found[variable] = value
            elif inner.name != "VAR_HANDLE":
                draft.refuse("subgraph of CALL_ONCE", inner.name, "may only assign constants to variables")
    return found
