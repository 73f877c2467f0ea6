"""Operators whose gradient Fluid writes with other operators than `<op>_grad`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from refluid.ir.operator import Operator

_AS_IT_IS = {"scale": 1.0, "bias": 0.0, "bias_after_scale": True}


class Part(NamedTuple):
    """One operator that makes the gradient of `target` from those of `sources` (variables, not their gradients)."""

    type: str
    sources: list[str]
    target: str
    attrs: dict[str, Any]
    kept: dict[str, list[str]] = {}  # forward values that it reads, by slot  # never changed


Rule = Callable[[Operator], list[Part]]


def _scale(op: Operator) -> list[Part]:
    if op.inputs.get("ScaleTensor"):
        return []
    return [Part("scale", op.output("Out"), op.input("X")[0], {**_AS_IT_IS, "scale": op.attrs["scale"]})]


def _attrs(op: Operator, *names: str) -> dict[str, Any]:
    """Those of these attributes that the operator has."""
    return {name: op.attrs[name] for name in names if name in op.attrs}


def _sum(op: Operator) -> list[Part]:
    return [Part("scale", op.output("Out"), x, dict(_AS_IT_IS)) for x in op.input("X")]


def _minus(op: Operator) -> list[Part]:
    return [
        Part("scale", op.output("Out"), op.input(slot)[0], {**_AS_IT_IS, "scale": factor})
        for slot, factor in (("X", 1.0), ("Y", -1.0))
    ]


def _sign(op: Operator) -> list[Part]:
    return [Part("scale", op.output("Out"), op.input("X")[0], {**_AS_IT_IS, "scale": 0.0})]


def _cumsum(op: Operator) -> list[Part]:
    attrs = _attrs(op, "axis", "flatten", "exclusive")
    return [Part("cumsum", op.output("Out"), op.input("X")[0], {**attrs, "reverse": not op.attrs.get("reverse")})]


def _cast(op: Operator) -> list[Part]:
    back = {"in_dtype": op.attrs["out_dtype"], "out_dtype": op.attrs["in_dtype"]}
    return [Part("cast", op.output("Out"), op.input("X")[0], back)]


def _again(op: Operator) -> list[Part]:
    """The operator is its own gradient."""
    attrs = _attrs(op, "axis", "dims")
    return [Part(op.type, op.output("Out"), op.input("X")[0], attrs)]


def _split(op: Operator) -> list[Part]:
    if op.inputs.get("AxisTensor"):
        return []
    return [Part("concat", op.output("Out"), op.input("X")[0], {"axis": op.attrs["axis"]})]


def _unbind(op: Operator) -> list[Part]:
    x = op.block.find_var(op.input("X")[0])
    if x is None or len(x.shape) < 2:
        return []  # the pieces of a vector have shape [1], which `stack` would make a matrix of
    return [Part("stack", op.output("Out"), op.input("X")[0], {"axis": op.attrs["axis"]})]


def _write_to_array(op: Operator) -> list[Part]:
    kept = {"I": op.input("I"), "X_W": op.input("X")}
    return [Part("read_from_array", op.output("Out"), op.input("X")[0], {}, kept)]


def _read_from_array(op: Operator) -> list[Part]:
    return [Part("write_to_array", op.output("Out"), op.input("X")[0], {}, {"I": op.input("I")})]


def _over_trainers(back: str) -> Rule:
    def rule(op: Operator) -> list[Part]:
        attrs = _attrs(op, "ring_id", "use_calc_stream", "nranks")
        return [Part(back, op.output("Out"), op.input("X")[0], attrs)]

    return rule


def _by_rank(back: str) -> Rule:
    def rule(op: Operator) -> list[Part]:
        return [Part(back, op.output("Out"), op.input("X")[0], {}, {"RankTable": op.input("RankTable")})]

    return rule


RULES: dict[str, Rule] = {
    "scale": _scale, "sum": _sum, "minus": _minus, "sign": _sign, "cumsum": _cumsum, "cast": _cast, "assign": _again,
    "reverse": _again, "flip": _again, "split": _split, "unbind": _unbind, "write_to_array": _write_to_array,
    "read_from_array": _read_from_array, "lod_tensor_to_array": _by_rank("array_to_lod_tensor"),
    "array_to_lod_tensor": _by_rank("lod_tensor_to_array"),
    "reorder_lod_tensor_by_rank": _by_rank("reorder_lod_tensor_by_rank_grad"),
    "c_allreduce_sum": _over_trainers("c_allreduce_sum"), "c_allgather": _over_trainers("c_reducescatter"),
}  # fmt: skip


class Whole(NamedTuple):
    """One operator that makes the gradients of all inputs: slots of variables whose gradients it reads and gives."""

    type: str
    kept: dict[str, list[str]]
    sources: dict[str, list[str]]
    targets: dict[str, list[str]]
    attrs: dict[str, Any]


def _select_input(op: Operator) -> Whole:
    return Whole("select_output", {"Mask": op.input("Mask")}, {"X": op.output("Out")}, {"Out": op.input("X")}, {})


def _select_output(op: Operator) -> Whole:
    return Whole("select_input", {"Mask": op.input("Mask")}, {"X": op.output("Out")}, {"Out": op.input("X")}, {})


def _split_selected_rows(op: Operator) -> Whole:
    return Whole("sum", {}, {"X": op.output("Out")}, {"Out": op.input("X")}, {})


def _split_lod_tensor(op: Operator) -> Whole:
    parts = {"InTrue": op.output("OutTrue"), "InFalse": op.output("OutFalse")}
    kept = {"X": op.input("X"), "Mask": op.input("Mask")}
    return Whole("merge_lod_tensor", kept, parts, {"Out": op.input("X")}, {"level": op.attrs["level"]})


def _merge_lod_tensor(op: Operator) -> Whole:
    parts = {"OutTrue": op.input("InTrue"), "OutFalse": op.input("InFalse")}
    kept = {"Mask": op.input("Mask")}
    return Whole("split_lod_tensor", kept, {"X": op.output("Out")}, parts, {"level": op.attrs["level"]})


WHOLE_RULES: dict[str, Callable[[Operator], Whole]] = {
    "select_input": _select_input, "select_output": _select_output, "split_selected_rows": _split_selected_rows,
    "split_lod_tensor": _split_lod_tensor, "merge_lod_tensor": _merge_lod_tensor,
}  # fmt: skip
