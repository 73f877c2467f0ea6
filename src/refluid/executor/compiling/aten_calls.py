"""ATen calls as C++: each function here writes the loops of some of them, or raises Unsupported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refluid.executor.compiling.loops import Memory, broadcast, nest, number
from refluid.executor.compiling.record import DTYPES, Call, Operand, Unsupported

MOST_PRODUCTS = 1 << 16  # multiplications of one matrix product; larger ones are the kernel library's
_FLOATS = ("float", "double")

# {0} and so on are the operands, as numbers of the result's type.
_ELEMENTWISE = {
    "neg": "-{0}", "exp": "std::exp({0})", "log": "std::log({0})", "sqrt": "std::sqrt({0})",
    "reciprocal": "1 / {0}", "rsqrt": "1 / std::sqrt({0})", "abs": "std::abs({0})", "tanh": "std::tanh({0})",
    "sin": "std::sin({0})", "cos": "std::cos({0})", "floor": "std::floor({0})", "ceil": "std::ceil({0})",
    "sigmoid": "1 / (1 + std::exp(-{0}))", "relu": "{0} <= 0 ? 0 : {0}", "square": "{0} * {0}",
    "clone": "{0}", "copy": "{1}", "_to_copy": "{0}", "mul": "{0} * {1}", "div": "{0} / {1}",
    "maximum": "{0} != {0} || {0} > {1} ? {0} : {1}", "minimum": "{0} != {0} || {0} < {1} ? {0} : {1}",
    "threshold_backward": "{1} <= {2} ? 0 : {0}", "sigmoid_backward": "{0} * (1 - {1}) * {1}",
    "tanh_backward": "{0} * (1 - {1} * {1})", "add": "{0} + {2} * {1}", "sub": "{0} - {2} * {1}",
    "addcmul": "{0} + {3} * {1} * {2}", "addcdiv": "{0} + {3} * ({1} / {2})",
}  # fmt: skip
_EXACT_INTEGERS = {"neg", "mul", "add", "sub", "clone", "copy", "_to_copy"}  # the same on integers
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_FILLS = {
    "zeros": 0.0, "ones": 1.0, "zeros_like": 0.0, "ones_like": 1.0, "new_zeros": 0.0, "new_ones": 1.0, "zero_": 0.0,
}  # fmt: skip
_EMPTY = {"empty", "empty_like", "empty_strided", "new_empty"}


def cpp(call: Call, memory: Memory) -> str:
    """The text that does what a call has done."""
    _, name, overload = call.name.split(".")
    plain = name.rstrip("_") if name.endswith("_") and not name.startswith("__") else name
    if name in _EMPTY:
        return ""
    if not call.mutates and _is_view(call):
        return ""
    if name in _FILLS:
        return _fill(call, memory, _FILLS[name])
    if name in ("full", "full_like", "new_full") or plain == "fill":
        if name == "full_like" or plain == "fill" or name == "full":
            return _fill(call, memory, call.args[1])
        return _fill(call, memory, call.args[2])
    if name in _SPECIAL:
        return _SPECIAL[name](call, memory)
    if plain in _COMPARISONS:
        return _compare(call, memory, _COMPARISONS[plain])
    if plain in _ELEMENTWISE and overload not in ("out", "Tensor_mode"):
        return _elementwise(call, memory, plain)
    raise Unsupported(call.name)


def _is_view(call: Call) -> bool:
    sources = {arg.storage for arg in call.args if isinstance(arg, Operand)}
    return bool(call.results) and all(result.storage in sources for result in call.results)


def _result(call: Call) -> Operand:
    if len(call.results) != 1:
        raise Unsupported(f"{len(call.results)} results")
    return call.results[0]


def _fill(call: Call, memory: Memory, value: float) -> str:
    result = _result(call)
    if isinstance(value, Operand):
        raise Unsupported("a filling tensor")
    ctype = DTYPES[result.dtype]
    pointer = memory.pointer(result)
    return nest(result.shape, [result.stride], lambda at: f"{pointer}[{at}] = {number(value, ctype)};")


def _pointwise(result: Operand, terms: list[Any], memory: Memory, formula: str, inner: str | None = None) -> str:
    """One loop that sets every element of the result by a formula of the terms at its index."""
    ctype = inner or DTYPES[result.dtype]
    operands = [term for term in terms if isinstance(term, Operand)]
    strides = [result.stride, *(broadcast(operand, result.shape) for operand in operands)]

    def body(offset: str, *indices: str) -> str:
        left = iter(indices)
        texts = [
            f"({ctype}){memory.pointer(term)}[{next(left)}]" if isinstance(term, Operand) else number(term, ctype)
            for term in terms
        ]
        lines = [f"const {ctype} t{i} = {text};" for i, text in enumerate(texts)]
        value = formula.format(*(f"t{i}" for i in range(len(terms))))
        return " ".join(lines) + f" {memory.pointer(result)}[{offset}] = {value};"

    return nest(result.shape, strides, body)


def _elementwise(call: Call, memory: Memory, name: str) -> str:
    result = _result(call)
    terms = list(call.args)
    if name in ("add", "sub"):
        terms = [*terms[:2], call.kwargs.get("alpha", terms[2] if len(terms) > 2 else 1)]
    elif name in ("addcmul", "addcdiv"):
        terms = [*terms[:3], call.kwargs.get("value", 1)]
    elif name in ("clone", "_to_copy"):
        terms = terms[:1]
    elif name == "copy":
        terms = terms[:2]
    elif call.kwargs:
        raise Unsupported(f"{call.name} with {', '.join(call.kwargs)}")
    formula = _ELEMENTWISE[name]
    if any(not isinstance(term, Operand | float | int) for term in terms) or formula.count("{") < len(terms):
        raise Unsupported(f"{call.name} of {len(terms)} arguments")
    whole = DTYPES[result.dtype] not in _FLOATS
    if whole and (name not in _EXACT_INTEGERS or DTYPES[result.dtype] == "bool"):
        raise Unsupported(f"{call.name} of integers")
    return _pointwise(result, terms, memory, formula)


def _compare(call: Call, memory: Memory, sign: str) -> str:
    result = _result(call)
    operands = [arg for arg in call.args if isinstance(arg, Operand)]
    kinds = {operand.dtype for operand in operands}
    if len(kinds) != 1 or call.mutates:
        raise Unsupported(f"{call.name} of several dtypes")
    return _pointwise(result, list(call.args), memory, f"{{0}} {sign} {{1}}", DTYPES[kinds.pop()])


def _where(call: Call, memory: Memory) -> str:
    result = _result(call)
    if any(not isinstance(arg, Operand) for arg in call.args):
        raise Unsupported("where of numbers")
    return _pointwise(result, list(call.args), memory, "{0} != 0 ? {1} : {2}")


def _power(call: Call, memory: Memory) -> str:
    result, exponent = _result(call), call.args[1]
    formulas = {2: "{0} * {0}", 3: "{0} * {0} * {0}", 0.5: "std::sqrt({0})", 1: "{0}"}
    if isinstance(exponent, Operand) or DTYPES[result.dtype] not in _FLOATS or exponent not in formulas:
        raise Unsupported("pow")
    return _pointwise(result, [call.args[0]], memory, formulas[exponent])


def _clamp(call: Call, memory: Memory) -> str:
    result = _result(call)
    low, high = (*call.args[1:3], None, None)[:2]
    if DTYPES[result.dtype] not in _FLOATS or isinstance(low, Operand) or isinstance(high, Operand):
        raise Unsupported("clamp")
    terms, formula = [call.args[0]], "{0}"
    if low is not None:
        terms.append(low)
        formula = f"{{0}} < {{{len(terms) - 1}}} ? {{{len(terms) - 1}}} : ({formula})"
    if high is not None:
        terms.append(high)
        formula = f"{{0}} > {{{len(terms) - 1}}} ? {{{len(terms) - 1}}} : ({formula})"
    return _pointwise(result, terms, memory, formula)


def _reduce(call: Call, memory: Memory) -> str:
    """sum and mean, of all elements or along axes, summed as double."""
    source, result = call.args[0], _result(call)
    if call.kwargs.get("dtype") not in (None, result.dtype) or source.dtype is not result.dtype:
        raise Unsupported("a sum in another dtype")
    if DTYPES[result.dtype] not in _FLOATS or not source.numel:
        raise Unsupported("a sum of integers, or of nothing")
    axes = call.args[1] if len(call.args) > 1 and call.args[1] else range(len(source.shape))
    gone = {axis % max(len(source.shape), 1) for axis in axes} if source.shape else set()
    keep = [axis for axis in range(len(source.shape)) if axis not in gone]
    inner_shape = [source.shape[axis] for axis in sorted(gone)]
    shape = [source.shape[axis] for axis in keep]
    strides = [
        stride for axis, stride in enumerate(result.stride) if len(result.shape) == len(keep) or axis not in gone
    ]
    count = 1
    for size in inner_shape:
        count *= size
    scale = f" / {count}" if ".mean." in call.name else ""
    inner = tuple(source.stride[axis] for axis in sorted(gone))
    outer = tuple(source.stride[axis] for axis in keep)

    def body(at: str, base: str) -> str:
        loop = nest(inner_shape, [inner], lambda i: f"total += {memory.pointer(source)}[{base} + {i}];", "r")
        return f"double total = 0; {loop} {memory.pointer(result)}[{at}] = total{scale};"

    return nest(shape, [tuple(strides), outer], body)


def _product(call: Call, memory: Memory) -> str:
    """mm and addmm: rows of the result grow by a multiple of a row of the second factor at a time."""
    result = _result(call)
    bias = None
    if "addmm" in call.name:
        bias, a, b = call.args[:3]
        if call.kwargs.get("beta", 1) != 1 or call.kwargs.get("alpha", 1) != 1 or call.mutates:
            raise Unsupported("addmm with factors")
    else:
        a, b = call.args[:2]
    (rows, depth), columns = a.shape, b.shape[1]
    if rows * depth * columns > MOST_PRODUCTS or DTYPES[result.dtype] not in _FLOATS:
        raise Unsupported("a large product")
    ctype = DTYPES[result.dtype]
    pa, pb, pc = (memory.pointer(one) for one in (a, b, result))
    start = f"({ctype})0"
    if bias is not None:
        step = broadcast(bias, result.shape)
        start = f"{memory.pointer(bias)}[i * {step[0]} + j * {step[1]}]"
    return (
        f"for (int64_t i = 0; i < {rows}; ++i) {{ {ctype} row[{max(columns, 1)}]; "
        f"for (int64_t j = 0; j < {columns}; ++j) row[j] = {start}; "
        f"for (int64_t k = 0; k < {depth}; ++k) {{ const {ctype} x = {pa}[i * {a.stride[0]} + k * {a.stride[1]}]; "
        f"for (int64_t j = 0; j < {columns}; ++j) row[j] += x * {pb}[k * {b.stride[0]} + j * {b.stride[1]}]; }} "
        f"for (int64_t j = 0; j < {columns}; ++j) {pc}[i * {result.stride[0]} + j * {result.stride[1]}] = row[j]; }}"
    )


def _squared_error(call: Call, memory: Memory) -> str:
    result = _result(call)
    x, y = call.args[:2]
    if x.shape != y.shape or result.shape != x.shape:
        raise Unsupported("mse_loss with a reduction")
    return _pointwise(result, [x, y], memory, "({0} - {1}) * ({0} - {1})")


def _squared_error_grad(call: Call, memory: Memory) -> str:
    grad, x, y, reduction = call.args
    result = _result(call)
    if x.shape != y.shape or reduction not in (0, 1) or not x.numel:
        raise Unsupported("mse_loss_backward")
    factor = 2.0 / x.numel if reduction == 1 else 2.0
    return _pointwise(result, [x, y, grad, factor], memory, "{3} * ({0} - {1}) * {2}")


def _softmax(call: Call, memory: Memory) -> str:
    source, result, axis = call.args[0], _result(call), call.args[1]
    ctype, log = DTYPES[result.dtype], "log" in call.name
    if ctype not in _FLOATS or source.dtype is not result.dtype or not source.shape or not source.numel:
        raise Unsupported("softmax")
    axis %= len(source.shape)
    count, a, b = source.shape[axis], source.stride[axis], result.stride[axis]
    shape = source.shape[:axis] + source.shape[axis + 1 :]
    strides = [one.stride[:axis] + one.stride[axis + 1 :] for one in (source, result)]
    x, y = memory.pointer(source), memory.pointer(result)

    def body(i: str, o: str) -> str:
        each = f"for (int64_t k = 0; k < {count}; ++k)"
        item, to = f"{x}[{i} + k * {a}]", f"{y}[{o} + k * {b}]"
        value = f"{item} - top - norm" if log else f"std::exp({item} - top) / total"
        return (
            f"{ctype} top = {x}[{i}]; {each} top = {item} > top || {item} != {item} ? {item} : top; double total = 0; "
            f"{each} total += std::exp({item} - top); const {ctype} norm = std::log(total); (void)norm; "
            f"{each} {to} = {value};"
        )

    return nest(shape, strides, body)


def _softmax_grad(call: Call, memory: Memory) -> str:
    grad, out, axis = call.args[:3]
    result = _result(call)
    ctype, log = DTYPES[result.dtype], "log" in call.name
    if ctype not in _FLOATS or grad.shape != out.shape or not out.shape or not out.numel:
        raise Unsupported("the gradient of softmax")
    axis %= len(out.shape)
    count = out.shape[axis]
    shape = out.shape[:axis] + out.shape[axis + 1 :]
    three = (grad, out, result)
    strides = [one.stride[:axis] + one.stride[axis + 1 :] for one in three]

    def body(*indices: str) -> str:
        g, y, to = (
            f"{memory.pointer(one)}[{index} + k * {one.stride[axis]}]"
            for one, index in zip(three, indices, strict=True)
        )
        each = f"for (int64_t k = 0; k < {count}; ++k)"
        term, value = (g, f"{g} - std::exp({y}) * total") if log else (f"{g} * {y}", f"({g} - total) * {y}")
        return f"{ctype} total = 0; {each} total += {term}; {each} {to} = {value};"

    return nest(shape, strides, body)


_SPECIAL: dict[str, Callable[[Call, Memory], str]] = {
    "mm": _product, "addmm": _product, "sum": _reduce, "mean": _reduce, "mse_loss": _squared_error,
    "mse_loss_backward": _squared_error_grad, "where": _where, "pow": _power, "clamp": _clamp, "clamp_": _clamp,
    "_softmax": _softmax, "_log_softmax": _softmax, "_softmax_backward_data": _softmax_grad,
    "_log_softmax_backward_data": _softmax_grad,
}  # fmt: skip
