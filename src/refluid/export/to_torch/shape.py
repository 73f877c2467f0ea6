"""Tensors in another shape: reshaped, sliced, concatenated, padded; and new ones."""

from __future__ import annotations

import torch

from refluid.core.dtypes import VarType, torch_dtype
from refluid.export.mapping import Ragged, Unsupported, Value, known_sizes
from refluid.export.to_torch import helpers
from refluid.export.to_torch.writer import Writer, call, dtype_text, given, literal, maps
from refluid.ops.shape.fill_constant import number
from refluid.ops.shape.pad import for_torch
from refluid.ops.shape.unsqueeze import with_axes

MAX_LITERAL = 32  # longer constants are kept with the weights
MODES = {"constant": "constant", "reflect": "reflect", "edge": "replicate"}


@maps("reshape", "reshape2")
def reshape(w: Writer, X: Value, Shape: Value | None, ShapeTensor: list[Value], *, shape: list[int]) -> str:
    if ShapeTensor or Shape is not None:
        return f"{X}.reshape({given(shape, Shape, ShapeTensor)})"
    shape = known_sizes(shape, X.shape)
    return f"{X}.reshape({', '.join(f'{X}.shape[{i}]' if n == 0 else str(n) for i, n in enumerate(shape))})"


@maps("flatten", "flatten2")
def flatten(w: Writer, X: Value, *, axis: int) -> str:
    if axis == 0:
        return f"{X}.reshape(1, -1)"
    if axis == X.rank:
        return f"{X}.reshape(-1, 1)"
    rows = X.name if axis == 1 else f"{X}.flatten(0, {axis - 1})"
    return rows if axis == X.rank - 1 else f"{rows}.flatten(1)"


@maps("squeeze", "squeeze2")
def squeeze(w: Writer, X: Value, *, axes: list[int]) -> str:
    gone = sorted({axis % X.rank for axis in axes} or {i for i, n in enumerate(X.shape) if n == 1})
    if len(gone) == X.rank:
        return f"{X}.reshape(1)"  # there are no tensors without axes
    return f"{X}.squeeze({tuple(gone) if len(gone) > 1 else gone[0]})" if axes else f"{X}.squeeze()"


@maps("unsqueeze", "unsqueeze2")
def unsqueeze(w: Writer, X: Value, AxesTensor: Value | None, AxesTensorList: list[Value], *, axes: list[int]) -> str:
    if AxesTensor is not None or AxesTensorList:
        raise Unsupported("its axes are tensors; the module must know them when it is written")
    # Fluid puts the axes in one after the other: see where they end up. Real axes are marked as 2.
    places = [i for i, n in enumerate(with_axes([2] * X.rank, axes)) if n == 1]
    return X.name + "".join(f".unsqueeze({place})" for place in places)


@maps("concat")
def concat(w: Writer, X: list[Value], AxisTensor: Value | None, *, axis: int) -> str | Ragged:
    out = f"torch.cat([{', '.join(map(str, X))}], {axis if AxisTensor is None else f'int({AxisTensor})'})"
    if AxisTensor is not None or axis % X[0].rank or not all(x.lod for x in X):
        return out
    joined = [f"torch.cat([{', '.join(levels)}])" for levels in zip(*(x.lod for x in X))]
    return Ragged(out, tuple(w.temporary("lengths", one) for one in joined))


@maps("split")
def split(
    w: Writer, X: Value, AxisTensor: Value | None, SectionsTensorList: list[Value], *, sections: list[int], num: int,
    axis: int,
) -> tuple:  # fmt: skip
    along = str(axis) if AxisTensor is None else f"int({AxisTensor})"
    if num > 0:
        return w.several(f"{X}.chunk({num}, {along})", "Out")
    if SectionsTensorList or -1 not in sections:
        return w.several(f"{X}.split({given(sections, None, SectionsTensorList)}, {along})", "Out")
    rest = f"{X}.shape[{along}] - {sum(n for n in sections if n != -1)}"
    parts = ", ".join(rest if n == -1 else str(n) for n in sections)
    return w.several(f"{X}.split([{parts}], {along})", "Out")


@maps("stack")
def stack(w: Writer, X: list[Value], *, axis: int) -> str:
    return f"torch.stack([{', '.join(map(str, X))}], {axis})"


@maps("unstack")
def unstack(w: Writer, X: Value, *, axis: int) -> tuple:
    return w.several(_apart(X, axis), "Y")


@maps("unbind")
def unbind(w: Writer, X: Value, *, axis: int) -> tuple:
    return w.several(_apart(X, axis), "Out")


def _apart(X: Value, axis: int) -> str:
    # There are no tensors without axes: the pieces of a vector have shape [1].
    return f"{X}.unbind({axis})" if X.rank > 1 else f"{X}.split(1)"


@maps("slice")
def slice(
    w: Writer,
    Input: Value,
    StartsTensor: Value | None,
    EndsTensor: Value | None,
    StartsTensorList: list[Value],
    EndsTensorList: list[Value],
    *,
    axes: list[int],
    starts: list[int],
    ends: list[int],
    decrease_axis: list[int],
) -> str:
    index = [":"] * Input.rank
    for i, axis in enumerate(axes):
        start = _place(i, starts, StartsTensor, StartsTensorList)
        end = _place(i, ends, EndsTensor, EndsTensorList)
        far = end.lstrip("-").isdigit() and int(end) >= 2**31 - 1
        index[axis] = start if axis in decrease_axis else f"{'' if start == '0' else start}:{'' if far else end}"
    while len(index) > 1 and index[-1] == ":":
        index.pop()
    out = f"{Input}[{', '.join(index)}]"
    return f"{out}.reshape(1)" if len(decrease_axis) == Input.rank else out


def _place(i: int, attr: list[int], tensor: Value | None, tensors: list[Value]) -> str:
    if tensors:
        return f"int({tensors[i]})"
    return str(attr[i]) if tensor is None else f"int({tensor}[{i}])"


@maps("strided_slice")
def strided_slice(
    w: Writer,
    Input: Value,
    StartsTensor: Value | None,
    EndsTensor: Value | None,
    StridesTensor: Value | None,
    StartsTensorList: list[Value],
    EndsTensorList: list[Value],
    StridesTensorList: list[Value],
    *,
    axes: list[int],
    starts: list[int],
    ends: list[int],
    strides: list[int],
    decrease_axis: list[int],
) -> str:
    first, end = given(starts, StartsTensor, StartsTensorList), given(ends, EndsTensor, EndsTensorList)
    steps = given(strides, StridesTensor, StridesTensorList)
    out = call(w.use(helpers.strided_slice), Input, axes, first, end, steps)
    if len(decrease_axis) == Input.rank:
        return f"{out}.reshape(1)"  # there are no tensors without axes
    return f"{out}.squeeze({tuple(decrease_axis)})" if decrease_axis else out


@maps("pad")
def pad(w: Writer, X: Value, *, paddings: list[int], pad_value: float) -> str:
    return call("F.pad", X, for_torch(paddings), value=literal(pad_value) if pad_value else None)


@maps("pad2d")
def pad2d(
    w: Writer, X: Value, Paddings: Value | None, *, paddings: list[int], pad_value: float, mode: str, data_format: str
) -> str:  # fmt: skip
    if Paddings is not None:
        sides = w.temporary("sides", f"{Paddings}.tolist()")
        pads = f"[{sides}[2], {sides}[3], {sides}[0], {sides}[1]]"
    else:
        pads = str([paddings[2], paddings[3], paddings[0], paddings[1]])
    x = X.name if data_format == "NCHW" else f"{X}.permute(0, 3, 1, 2)"
    value = literal(pad_value) if mode == "constant" and pad_value else None
    out = call("F.pad", x, pads, mode=literal(MODES[mode]) if mode != "constant" else None, value=value)
    return out if data_format == "NCHW" else f"{out}.permute(0, 2, 3, 1)"


@maps("pad_constant_like")
def pad_constant_like(w: Writer, X: Value, Y: Value, *, pad_value: float) -> str:
    behind = f"[n for m, k in zip({X}.shape[::-1], {Y}.shape[::-1]) for n in (0, m - k)]"
    return call("F.pad", Y, behind, value=literal(pad_value))


@maps("crop")
def crop(w: Writer, X: Value, Y: Value | None, Offsets: Value | None, *, offsets: list[int], shape: list[int]) -> str:
    size = literal(shape) if Y is None else f"list({Y}.shape)"
    return call(w.use(helpers.box), X, given(offsets, Offsets), size)


@maps("crop_tensor")
def crop_tensor(
    w: Writer, X: Value, Shape: Value | None, Offsets: Value | None, ShapeTensor: list[Value],
    OffsetsTensor: list[Value], *, offsets: list[int], shape: list[int],
) -> str:  # fmt: skip
    return call(w.use(helpers.box), X, given(offsets, Offsets, OffsetsTensor), given(shape, Shape, ShapeTensor))


@maps("lookup_table", "lookup_table_v2")
def lookup_table(w: Writer, W: Value, Ids: Value, *, padding_idx: int, op) -> str:
    ids = f"{Ids}.squeeze(-1)" if op.type == "lookup_table" else Ids.name
    out = f"F.embedding({ids}, {W})"
    return out if padding_idx == -1 else f"{out}.masked_fill(({ids} == {padding_idx}).unsqueeze(-1), 0.0)"


@maps("one_hot", "one_hot_v2")
def one_hot(w: Writer, X: Value, depth_tensor: Value | None, *, depth: int, dtype: int, op) -> str:
    places = X.name if op.type == "one_hot" else f"{X}.unsqueeze(-1)"
    classes = depth if depth_tensor is None else f"int({depth_tensor})"
    return f"({places} == torch.arange({classes}, device={X}.device)).to({dtype_text(torch_dtype(dtype))})"


# -- new tensors ----------------------------------------------------------------------------------------------------


@maps("cast")
def cast(w: Writer, X: Value, *, out_dtype: int) -> str:
    return f"{X}.to({dtype_text(torch_dtype(out_dtype))})"


@maps("fill_constant")
def fill_constant(
    w: Writer, ValueTensor: Value | None, ShapeTensor: Value | None, ShapeTensorList: list[Value], *, dtype: int,
    shape: list[int], value: float, str_value: str,
) -> str:  # fmt: skip
    wanted, size = torch_dtype(dtype), given(shape or [1], ShapeTensor, ShapeTensorList)
    filled = literal(number(value, str_value, wanted)) if ValueTensor is None else f"{ValueTensor}.item()"
    return f"torch.full({size}, {filled}, dtype={dtype_text(wanted)}, device={w.device})"


@maps("fill_constant_batch_size_like")
def fill_constant_batch_size_like(
    w: Writer, Input: Value, *, shape: list[int], input_dim_idx: int, output_dim_idx: int, dtype: int, value: float,
    str_value: str,
) -> str:  # fmt: skip
    # Fluid: the batch size of a LoD tensor is its number of sequences.
    batch = f"{Input.lod[-1]}.shape[0]" if Input.lod and input_dim_idx == 0 else f"{Input}.shape[{input_dim_idx}]"
    size = ", ".join(batch if i == output_dim_idx else str(n) for i, n in enumerate(shape))
    wanted = torch_dtype(dtype)
    filled = literal(number(value, str_value, wanted))
    return f"torch.full([{size}], {filled}, dtype={dtype_text(wanted)}, device={Input}.device)"


@maps("fill_any_like")
def fill_any_like(w: Writer, X: Value, *, value: float, dtype: int) -> str:
    wanted = X.dtype if dtype < 0 else torch_dtype(dtype)
    return f"torch.full_like({X}, {literal(number(value, '', wanted))}, dtype={dtype_text(wanted)})"


@maps("assign_value")
def assign_value(
    w: Writer, *, shape: list[int], dtype: int, bool_values: list[int], fp32_values: list[float],
    int32_values: list[int], int64_values: list[int], op,
) -> str:  # fmt: skip
    lists: dict = {VarType.BOOL: bool_values, VarType.FP32: fp32_values, VarType.INT32: int32_values}
    wanted = torch_dtype(dtype)
    values = torch.tensor(lists.get(VarType(dtype), int64_values), dtype=wanted).reshape(shape)
    if values.numel() > MAX_LITERAL:
        return w.weight(op.output("Out")[0], values)
    return f"torch.tensor({literal(values.tolist())}, dtype={dtype_text(wanted)}, device={w.device})"


@maps("range")
def range(w: Writer, Start: Value, End: Value, Step: Value) -> str:
    bounds = ", ".join(f"{one}.item()" for one in (Start, End, Step))
    return f"torch.arange({bounds}, dtype={dtype_text(Start.dtype)}, device={Start}.device)"


@maps("linspace")
def linspace(w: Writer, Start: Value, Stop: Value, Num: Value) -> str:
    bounds = f"{Start}.item(), {Stop}.item(), int({Num})"
    return f"torch.linspace({bounds}, dtype={dtype_text(Start.dtype)}, device={Start}.device)"


@maps("eye")
def eye(w: Writer, *, num_rows: int, num_columns: int, dtype: int) -> str:
    columns = num_rows if num_columns == -1 else num_columns
    return f"torch.eye({num_rows}, {columns}, dtype={dtype_text(torch_dtype(dtype))}, device={w.device})"


@maps("label_smooth")
def label_smooth(w: Writer, X: Value, PriorDist: Value | None, *, epsilon: float) -> str:
    towards = f"{literal(epsilon)} / {X}.shape[-1]" if PriorDist is None else f"{literal(epsilon)} * {PriorDist}"
    return f"{X} * (1.0 - {literal(epsilon)}) + {towards}{'' if PriorDist is None else '.reshape(-1)'}"
