"""Groups: neighbouring nodes that one C++ function computes, and the Python function that calls it.

Note [When a group may run]
    The text of a group holds the sizes and strides of the run that was recorded. Feeds of other shapes have a plan of
    their own, but parameters can be replaced, and some operators give results of other sizes for the same feeds. So the
    caller compares shape, strides and dtype of every tensor that comes in, and gives None where one differs; the plan
    then calls the kernels, whose lines stand below the call. A parameter that is the tensor of the last run is not
    compared again.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import torch

from refluid.executor.codegen import EMITTERS
from refluid.executor.compiling.aten_calls import cpp
from refluid.executor.compiling.loops import Memory, number
from refluid.executor.compiling.record import DTYPES, NodeCalls, Operand, Recording, Unsupported
from refluid.executor.compiling.update_calls import is_written, update
from refluid.executor.graph.node import Node
from refluid.executor.graph.reads import outside_reads
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value
from refluid.ops.optim.common import count_writes

MOST_CALLS = 300  # of one function: the time of the compiler grows faster than the text
LARGEST_CONSTANT = 64


class Group:
    """Nodes, what they read from outside (tensors, and shapes alone) and which of their values are read later."""

    def __init__(self, graph: Graph, nodes: list[Node], calls: list[NodeCalls], recording: Recording):
        self.nodes = nodes
        self.calls = calls
        self.recording = recording
        self.operands: dict[Value, Operand] = {}
        self.inputs, self.shapes = outside_reads(nodes)
        self.sizes: dict[Value, torch.Size] = {}
        written: set[Value] = set()
        for node, told in zip(nodes, calls, strict=True):
            self._learn(node.inputs, told.inputs)
            for slot, sizes in told.shapes.items():
                self.sizes.update((v, n) for v, n in zip(node.inputs[slot], sizes, strict=True) if v and n is not None)
            self._learn(node.outputs, told.outputs)
            for value in node.writes():
                if value.base is not None and value not in self.operands and value.base in self.operands:
                    self.operands[value] = self.operands[value.base]
            written.update(node.writes())
        inside = set(nodes)
        self.results = [value for value in written if self._is_read_later(graph, value, inside)]
        self.results.sort(key=lambda value: value.name)
        self.internal = [value for value in written if value not in self.results and value.storage in written]
        self.caller: Callable | None = None

    def _learn(self, values: list[list[Value | None]], operands: list[list[Operand | None]]) -> None:
        for some, told in zip(values, operands, strict=False):
            for value, operand in zip(some, told, strict=False):
                if value is not None and operand is not None:
                    self.operands.setdefault(value, operand)

    def _is_read_later(self, graph: Graph, value: Value, inside: set[Node]) -> bool:
        if value.base is not None and value.storage.maker not in inside:
            return False  # the memory is somebody else's, and so is the local
        return value in graph.fetches or any(reader not in inside for reader in value.readers)

    # -- the text -------------------------------------------------------------------------------------------------

    def text(self, name: str) -> str:
        """The C++ function; Unsupported if a call has none. Sets what `bind` needs."""
        self._places: dict[int, str] = {}
        self._inputs_of: dict[int, tuple[int, Operand]] = {}  # storage -> the input that lies in it
        self._made: dict[int, Operand] = {}  # storage -> the result that it was made for
        self._written: set[int] = set()
        constants: dict[int, str] = {}
        arena = 0
        needed = [v for v in (*self.inputs, *self.results) if v not in self.operands]
        needed += [v for v in self.shapes if v not in self.sizes]
        if needed:
            raise Unsupported(f"{needed[0].name} is no tensor")
        for i, value in enumerate(self.inputs):
            operand = self.operands[value]
            self._inputs_of.setdefault(operand.storage, (i, operand))
        for told in self.calls:
            for call in told.calls:
                # What a view, or a change in place, gives was made before: by a call, or by Python as a constant.
                before = {*self._inputs_of, *(arg.storage for arg in call.args if isinstance(arg, Operand))}
                for result in call.results:
                    if result.storage not in before:
                        self._made.setdefault(result.storage, result)
                if call.mutates:
                    changed = {one.storage for one in call.args[:1] if isinstance(one, Operand)}
                    if not changed <= {*self._inputs_of, *self._made}:
                        raise Unsupported("a constant that is changed")
                    self._written |= changed
        for i, (_, operand) in self._inputs_of.items():
            offset = f" - {operand.offset}" if operand.offset else ""
            self._places[i] = f"(({DTYPES[operand.dtype]}*)a{self._inputs_of[i][0]}{offset})"
        leaving = {self.operands[value].storage for value in self.results}
        if not leaving <= {*self._inputs_of, *self._made}:
            raise Unsupported("a constant of a kernel is read later")
        self._allocated = [storage for storage in self._made if storage in leaving]
        for n, storage in enumerate(self._allocated):
            self._places[storage] = f"o{n}"
        for storage, operand in self._made.items():
            if storage not in leaving:
                self._places[storage] = f"(arena + {arena})"
                arena += -(-_bytes(operand) // 64) * 64

        def place(storage: int) -> str:
            if storage not in self._places:
                constants[storage] = self._constant(storage)
                self._places[storage] = f"c{storage}"
            return self._places[storage]

        memory = Memory(place)
        lines = [
            line for node, told in zip(self.nodes, self.calls, strict=True) for line in self._node(node, told, memory)
        ]
        params = [f"char* a{i}" for i in range(len(self.inputs))] + [f"char* o{n}" for n in range(len(self._allocated))]
        head = [f"alignas(64) static thread_local char arena[{arena}];"] if arena else []
        body = "\n  ".join([*constants.values(), *head, *filter(None, lines)])
        return f'extern "C" __attribute__((visibility("default"))) void {name}({", ".join(params)}) {{\n  {body}\n}}\n'

    def _node(self, node: Node, told: NodeCalls, memory: Memory) -> list[str]:
        if not node.grouped or not is_written(node.op):
            return [cpp(call, memory) for call in told.calls]
        texts = []
        for i in range(len(node.inputs[node.op.input_index["Param"]])):
            slots = {}
            for slot, operands in zip(node.op.inputs, told.inputs, strict=True):
                if operands:
                    operand = operands[i]
                    assert operand is not None
                    slots[slot.name] = operand
            texts.append(update(node.op, slots, node.attrs, memory))
            self._written.update(slots[node.op.inputs[source].name].storage for source in node.op.inplace.values())
        return texts

    def _constant(self, storage: int) -> str:
        """A tensor that a kernel keeps for itself."""
        t = self.recording.tensors[storage]
        if t.untyped_storage().nbytes() > LARGEST_CONSTANT * t.element_size() or not t.is_contiguous():
            raise Unsupported("a large constant")
        ctype = DTYPES[t.dtype]
        values = ", ".join(number(one, ctype) for one in t.flatten().tolist())
        return f"static const {ctype} c{storage}[] = {{{values}}};"

    # -- the call -------------------------------------------------------------------------------------------------

    def bind(self, library: ctypes.CDLL, name: str) -> None:
        """Make the function that plans call: results for tensors that fit, None for others."""
        function = getattr(library, name)
        function.argtypes = [ctypes.c_void_p] * (len(self.inputs) + len(self._allocated))
        function.restype = None
        known: list[Any] = [None] * len(self.inputs)
        names: dict[str, Any] = {
            "function": function, "known": known, "empty": torch.empty, "empty_strided": torch.empty_strided,
            "count_writes": count_writes, "Tensor": torch.Tensor,
        }  # fmt: skip
        tests = []
        for i, value in enumerate(self.inputs):
            operand = self.operands[value]
            names.update(
                {f"shape{i}": torch.Size(operand.shape), f"stride{i}": operand.stride, f"dtype{i}": operand.dtype}
            )
            test = f"type(a{i}) is Tensor and a{i}.dtype is dtype{i} and a{i}.shape == shape{i}"
            test += f" and a{i}.stride() == stride{i}"
            tests.append(f"(a{i} is known[{i}] or {test})" if value.persistable else test)
            first, lead = self._inputs_of[operand.storage]
            if first != i:  # it was reached through another input
                distance = (operand.offset - lead.offset) * operand.dtype.itemsize
                tests.append(f"a{i}.data_ptr() - a{first}.data_ptr() == {distance}")
        for i, value in enumerate(self.shapes):
            names[f"size{i}"] = self.sizes[value]
            tests.append(f"s{i} == size{i}")
        params = [f"a{i}" for i in range(len(self.inputs))] + [f"s{i}" for i in range(len(self.shapes))]
        lines = [f"def call({', '.join(params)}):", f"    if not ({' and '.join(tests) or 'True'}): return None"]
        lines += [f"    known[{i}] = a{i}" for i, value in enumerate(self.inputs) if value.persistable]
        for n, storage in enumerate(self._allocated):
            operand = self._made[storage]
            names.update({f"oshape{n}": operand.shape, f"ostride{n}": operand.stride, f"odtype{n}": operand.dtype})
            if operand.shape and operand.stride == torch.empty(operand.shape, device="meta").stride():
                sizes = ", ".join(map(str, operand.shape))  # takes half the time of a call with strides
                lines.append(f"    o{n} = empty({sizes}, dtype=odtype{n})")
            else:
                lines.append(f"    o{n} = empty_strided(oshape{n}, ostride{n}, dtype=odtype{n})")
        pointers = [f"a{i}.data_ptr()" for i in range(len(self.inputs))]
        pointers += [f"o{n}.data_ptr()" for n in range(len(self._allocated))]
        lines.append(f"    function({', '.join(pointers)})")
        changed = [f"a{self._inputs_of[s][0]}" for s in sorted(self._written) if s in self._inputs_of]
        if changed:
            lines.append(f"    count_writes([{', '.join(changed)}])")
        results = [self._result(n, value, names) for n, value in enumerate(self.results)]
        lines.append(f"    return ({''.join(one + ', ' for one in results)})")
        exec("\n".join(lines), names)
        self.caller = names["call"]

    def _result(self, n: int, value: Value, names: dict[str, Any]) -> str:
        """The text of a result: memory of its own, or a view of that or of what came in."""
        operand = self.operands[value]
        if operand.storage in self._allocated:
            whole, source = self._made[operand.storage], f"o{self._allocated.index(operand.storage)}"
        else:
            i, whole = self._inputs_of[operand.storage]
            source = f"a{i}"
        if operand == whole:
            return source
        names.update({f"vshape{n}": operand.shape, f"vstride{n}": operand.stride})
        return f"{source}.as_strided(vshape{n}, vstride{n}, {operand.offset})"


def _bytes(operand: Operand) -> int:
    """What a new tensor takes."""
    if not operand.numel:
        return 64
    last = sum((size - 1) * stride for size, stride in zip(operand.shape, operand.stride, strict=True))
    return (operand.offset + last + 1) * operand.dtype.itemsize


def groups_of(graph: Graph, recording: Recording) -> list[tuple[Group, str]]:
    """The groups of a plan with their texts."""
    told = dict(zip(graph.nodes, recording.nodes, strict=True))
    _constants_first(graph)
    groups: list[tuple[Group, str]] = []
    run: list[Node] = []
    for node in [*graph.nodes, None]:
        calls = told.get(node) if node is not None else None
        count = sum(max(1, len(calls_of.calls)) for calls_of in map(told.__getitem__, run) if calls_of)
        if node is not None and calls is not None and _can_be_compiled(graph, node, calls, recording):
            if count < MOST_CALLS:
                run.append(node)
                continue
        if len(run) > 1:
            group = Group(graph, run, [told[one] for one in run], recording)  # type: ignore[misc]
            try:
                groups.append((group, group.text(f"group_{len(groups)}")))
            except Unsupported:
                pass
        run = []
    return groups


def _constants_first(graph: Graph) -> None:
    first = [node for node in graph.nodes if node.op.type == "constant"]
    if first:
        graph.set([*first, *(node for node in graph.nodes if node.op.type != "constant")])


def _can_be_compiled(graph: Graph, node: Node, calls: NodeCalls, recording: Recording) -> bool:
    if (
        node.body is not None
        or node.op.type in EMITTERS
        or any(v.persistable and v.base is None for v in node.writes())
    ):
        return False
    if node.grouped and is_written(node.op):
        if not calls.inputs:
            return False
        calls.refusal, calls.calls = None, []
    if calls.refusal is not None or not calls.inputs:
        return False
    try:
        Group(graph, [node], [calls], recording).text("alone")
    except Unsupported:
        return False
    return True
