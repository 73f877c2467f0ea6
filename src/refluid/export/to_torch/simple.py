"""Operators that are one expression of torch's."""

from __future__ import annotations

from refluid.export.mapping import Value, need_test_mode
from refluid.export.to_torch import helpers
from refluid.export.to_torch.writer import Writer, call, given, literal, maps, templates

templates(
    {
        name: f"torch.{name}({{X}})"
        for name in (
            "relu sigmoid tanh log log1p sqrt rsqrt square abs reciprocal ceil floor sign sin cos tan sinh cosh "
            "asin acos atan erf logical_not"
        ).split()
    }
)
templates(
    {
        "softsign": "F.softsign({X})",
        "softplus": "F.softplus({X})",
        "logsigmoid": "F.logsigmoid({X})",
        "tanh_shrink": "F.tanhshrink({X})",
        "relu6": "F.hardtanh({X}, 0.0, {threshold})",
        "brelu": "F.hardtanh({X}, {t_min}, {t_max})",
        "elu": "F.elu({X}, {alpha})",
        "selu": "F.elu({X}, {alpha}) * {scale}",
        "thresholded_relu": "F.threshold({X}, {threshold}, 0.0)",
        "hard_sigmoid": "torch.clamp({X} * {slope} + {offset}, 0.0, 1.0)",
        "stanh": "torch.tanh({X} * {scale_a}) * {scale_b}",
        "softshrink": "F.softshrink({X}, {lambda})",
        "hard_shrink": "F.hardshrink({X}, {threshold})",
        "soft_relu": "torch.log1p(torch.exp({X}.clamp(-{threshold}, {threshold})))",
        "softmax": "torch.softmax({X}, {axis})",
        "log_softmax": "torch.log_softmax({X}, {axis})",
        "assign": "{X}",
        "bmm": "torch.bmm({X}, {Y})",
        "dot": "({X} * {Y}).sum(-1, keepdim=True, dtype={X}.dtype)",
        "addmm": "torch.addmm({Input}, {X}, {Y}, beta={Beta}, alpha={Alpha})",
        "minus": "{X} - {Y}",
        "where": "torch.where({Condition}, {X}, {Y})",
        "where_index": "{Condition}.nonzero()",
        "mean": "{X}.mean().reshape(1)",
        "l1_norm": "{X}.abs().sum().reshape(1)",
        "squared_l2_norm": "{X}.square().sum().reshape(1)",
        "index_select": "{X}.index_select({dim}, {Index})",
        "index_sample": "{X}.gather(1, {Index}.long())",
        "fill_zeros_like": "torch.zeros_like({X})",
        "fill_zeros_like2": "torch.zeros_like({X})",
        "transpose": "{X}.permute({axis})",
        "transpose2": "{X}.permute({axis})",
        "reverse": "{X}.flip({axis})",
        "flip": "{X}.flip({dims})",
        "roll": "{X}.roll({shifts}, {dims})",
        "pixel_shuffle": "F.pixel_shuffle({X}, {upscale_factor})",
        "shuffle_channel": "F.channel_shuffle({X}, {group})",
        "grid_sampler": "F.grid_sample({X}, {Grid}, align_corners=True)",
        "size": "torch.tensor([{Input}.numel()], device={Input}.device)",
        "shape": "torch.tensor({Input}.shape, dtype=torch.int32, device={Input}.device)",
    }
)


@maps("leaky_relu")
def leaky_relu(w: Writer, X: Value, *, alpha: float) -> str:
    if 0 <= alpha <= 1:
        return f"F.leaky_relu({X}, {literal(alpha)})"
    return f"torch.maximum({X}, {X} * {literal(alpha)})"


@maps("round")
def round(w: Writer, X: Value) -> str:
    return call(w.use(helpers.round_half_away), X)


@maps("swish")
def swish(w: Writer, X: Value, *, beta: float) -> str:
    return f"F.silu({X})" if beta == 1 else f"{X} * torch.sigmoid({X} * {literal(beta)})"


@maps("hard_swish")
def hard_swish(w: Writer, X: Value, *, threshold: float, scale: float, offset: float) -> str:
    if (threshold, scale, offset) == (6.0, 6.0, 3.0):
        return f"F.hardswish({X})"
    return f"{X} * torch.clamp({X} + {literal(offset)}, 0.0, {literal(threshold)}) / {literal(scale)}"


@maps("mish")
def mish(w: Writer, X: Value, *, threshold: float) -> str:
    return f"F.mish({X})" if threshold == 20 else call(w.use(helpers.mish), X, literal(threshold))


@maps("gelu")
def gelu(w: Writer, X: Value, *, approximate: bool) -> str:
    return call("F.gelu", X, approximate='"tanh"' if approximate else None)


@maps("prelu")
def prelu(w: Writer, X: Value, Alpha: Value, *, mode: str) -> str:
    if mode == "all":
        slope = f"{Alpha}.reshape(1)"
    elif mode == "channel":
        slope = f"{Alpha}.reshape({', '.join(['-1'] + ['1'] * (X.rank - 2))})"
    else:
        slope = f"{Alpha}.reshape({X}.shape[1:])"
    return f"torch.where({X} > 0, {X}, {X} * {slope})"


@maps("maxout")
def maxout(w: Writer, X: Value, *, groups: int, axis: int) -> str:
    axis %= X.rank
    return f"{X}.unflatten({axis}, (-1, {groups})).amax({axis + 1})"


@maps("dropout")
def dropout(w: Writer, X: Value, *, is_test: bool, dropout_prob: float, dropout_implementation: str) -> str:
    need_test_mode(is_test)
    if dropout_implementation == "upscale_in_train":
        return X.name  # dropout is the identity here
    return f"{X} * (1.0 - {literal(dropout_prob)})"


@maps("gather")
def gather(w: Writer, X: Value, Index: Value) -> str:
    return f"{X}.index_select(0, {Index}{'' if Index.rank == 1 else '.reshape(-1)'})"


@maps("multiplex")
def multiplex(w: Writer, Ids: Value, X: list[Value]) -> str:
    rows = f"torch.arange({Ids}.shape[0], device={Ids}.device)"
    return f"torch.stack([{', '.join(map(str, X))}])[{Ids}.reshape(-1).long(), {rows}]"


@maps("gather_nd")
def gather_nd(w: Writer, X: Value, Index: Value) -> str:
    return call(w.use(helpers.gather_nd), X, Index)


@maps("scatter")
def scatter(w: Writer, X: Value, Ids: Value, Updates: Value, *, overwrite: bool) -> str:
    return call(w.use(helpers.scatter_rows), X, Ids, Updates, overwrite)


@maps("scatter_nd_add")
def scatter_nd_add(w: Writer, X: Value, Index: Value, Updates: Value) -> str:
    if Index.shape[-1] == 0:
        return f"{X} + {Updates}.reshape(-1, *{X}.shape).sum(0)"
    return f"{X}.index_put({Index}.long().unbind(-1), {Updates}, accumulate=True)"


@maps("tril_triu")
def tril_triu(w: Writer, X: Value, *, diagonal: int, lower: bool) -> str:
    return f"{X}.{'tril' if lower else 'triu'}({diagonal})"


@maps("clip")
def clip(w: Writer, X: Value, Min: Value | None, Max: Value | None, *, min: float, max: float) -> str:
    if Min is None and Max is None:
        return f"{X}.clamp({literal(min)}, {literal(max)})"
    low = literal(min) if Min is None else f"float({Min})"
    return f"{X}.clamp({low}, {literal(max) if Max is None else f'float({Max})'})"


@maps("cumsum")
def cumsum(w: Writer, X: Value, *, axis: int, exclusive: bool, reverse: bool) -> str:
    return call(w.use(helpers.cumulative_sum), X, axis, exclusive, reverse)


@maps("cos_sim")
def cos_sim(w: Writer, X: Value, Y: Value) -> str:
    return call(w.use(helpers.cosine), X, Y)


@maps("top_k")
def top_k(w: Writer, X: Value, K: Value | None, *, k: int) -> tuple:
    return w.several(f"{X}.topk({k if K is None else f'int({K})'}, -1)", "Out", "Indices")


@maps("argsort")
def argsort(w: Writer, X: Value, *, axis: int, descending: bool) -> tuple:
    options = ", descending=True" if descending else ""
    return w.several(f"{X}.sort(dim={axis}, stable=True{options})", "Out", "Indices")


@maps("unfold")
def unfold(
    w: Writer, X: Value, *, kernel_sizes: list[int], strides: list[int], paddings: list[int], dilations: list[int]
) -> str:  # fmt: skip
    up, left, down, right = paddings
    x = f"F.pad({X}, {[left, right, up, down]})" if any(paddings) else X.name
    return f"F.unfold({x}, {kernel_sizes}, stride={strides}, dilation={dilations})"


@maps("expand")
def expand(
    w: Writer, X: Value, ExpandTimes: Value | None, expand_times_tensor: list[Value], *, expand_times: list[int]
) -> str:  # fmt: skip
    return f"{X}.repeat({given(expand_times, ExpandTimes, expand_times_tensor)})"


@maps("expand_as")
def expand_as(w: Writer, X: Value, target_tensor: Value) -> str:
    return f"{X}.repeat([n // m for n, m in zip({target_tensor}.shape, {X}.shape)])"
