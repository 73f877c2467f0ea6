"""A model as an ONNX file."""

from __future__ import annotations

import onnx
from onnx import helper

import refluid
from refluid.core.errors import EnforceNotMet
from refluid.export.mapping import Value, refuse, value_of, walk
from refluid.export.model import Model
from refluid.export.to_onnx import (  # each registers its mappers
    activation as activation,
    conv as conv,
    create as create,
    elementwise as elementwise,
    index as index,
    norm as norm,
    pool as pool,
    product as product,
    recurrent as recurrent,
    reduce as reduce,
    resize as resize,
    score as score,
    sequence as sequence,
    shape as shape,
)
from refluid.export.to_onnx.graph import ELEMENTS, OPSET, Graph, maps
from refluid.ir.variable import Variable
from refluid.saving.files import replacing

LARGEST = 2**31 - 2**20  # what a protobuf message can hold, with room for the graph


def write(model: Model, path: str) -> list[str]:
    """Write the model to `path`; returns [path]. Nothing is written if an operator cannot be exported."""
    data = to_proto(model).SerializeToString()
    with replacing(path) as file:
        file.write(data)
    return [path]


def to_proto(model: Model) -> onnx.ModelProto:
    """The model as ONNX, checked."""
    size = sum(value.nbytes for value in model.weights.values())
    if size > LARGEST:
        raise EnforceNotMet(
            f"{model.path}: the parameters take {size:,} bytes, but one ONNX file holds at most 2 GB; "
            "export --to torch has no such limit"
        )
    graph, inputs, env = Graph(), [], {}
    problems: list[str] = []
    for name, value in model.weights.items():
        env[name] = Value(graph.weight(name, value), tuple(value.shape), value.dtype)
    for var in model.feeds:
        lod = lengths_of(var.name, var.lod_level)
        env[var.name] = value_of(var, var.name, lod)
        inputs.append(_info(env[var.name], "batch" if not lod else f"{var.name}.rows"))
        inputs += [_lengths_info(name) for name in lod]
    walk(graph, maps, model.operators, env, problems)
    refuse(model, "ONNX", env, problems)
    outputs = [info for var in model.fetches for info in _fetch(graph, var, env[var.name])]
    graph_proto = helper.make_graph(graph.nodes, "refluid", inputs, outputs, _used(graph))
    proto = helper.make_model(
        graph_proto, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="refluid",
        producer_version=refluid.__version__, ir_version=9,
    )  # fmt: skip
    try:
        onnx.checker.check_model(proto, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        raise EnforceNotMet(f"{model.path}: the ONNX model that was made is not valid: {error}") from None
    return proto


def lengths_of(name: str, levels: int) -> tuple[str, ...]:
    """The names of the lengths that come with a variable; see Note [LoD outside Fluid]."""
    if levels == 1:
        return (f"{name}.lengths",)
    return tuple(f"{name}.lengths.{i}" for i in range(levels))


def _fetch(graph: Graph, var: Variable, value: Value) -> list[onnx.ValueInfoProto]:
    """An output under its Fluid name, and the lengths of its sequences if it has a LoD."""
    graph.nodes.append(helper.make_node("Identity", [value.name], [var.name], name=f"{var.name}/output"))
    infos = [_info(value_of(var, var.name), None)]
    for source, name in zip(value.lod, lengths_of(var.name, len(value.lod))):
        graph.nodes.append(helper.make_node("Identity", [source], [name], name=f"{name}/output"))
        infos.append(_lengths_info(name))
    return infos


def _info(value: Value, first: str | None) -> onnx.ValueInfoProto:
    """What is known of an input or output; sizes that vary have names."""
    sizes = [n if n >= 0 else (first if i == 0 else f"{value.name}.{i}") for i, n in enumerate(value.shape)]
    return helper.make_tensor_value_info(value.name, ELEMENTS[value.dtype], sizes)


def _lengths_info(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx.TensorProto.INT64, [f"{name}.count"])


def _used(graph: Graph) -> list[onnx.TensorProto]:
    """The weights and constants that a node reads; Fluid keeps some that only training needs."""
    read = {name for node in graph.nodes for name in node.input}
    return [one for one in graph.initializers if one.name in read]
