"""cond, case, switch_case: functions that build (or run) one of several branches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from refluid.core import dtypes, unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.mode import per_mode
from refluid.core.naming import NO_LAYER, LayerName
from refluid.core.warn import warn_once
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.ir.variable import Variable
from refluid.layers.control_flow.block import run_if
from refluid.layers.control_flow.nest import Structure, flatten, outline, pack
from refluid.layers.creation import fill_constant
from refluid.layers.tensor import assign, cast
from refluid.ops.array.select import select_input
from refluid.ops.math import compare, logical

Branch = Callable[[], Structure]


def cond(
    pred: BaseVariable, true_fn: Branch | None = None, false_fn: Branch | None = None, name: str | None = None
) -> Structure:
    """The result of `true_fn()` if pred holds, else that of `false_fn()`.

    In the static mode both branches are built and one runs; in the imperative mode only the chosen one is called.

    Args:
        pred: a bool variable of one element.
        true_fn: a function without arguments; None for one that does nothing.
        false_fn: likewise; both return None, a variable, or the same structure (list, tuple, dict) of variables.

    Returns:
        The structure of the branches, or None.
    """
    for what, branch in (("true_fn", true_fn), ("false_fn", false_fn)):
        if branch is not None and not callable(branch):
            raise ArgumentError(f"cond: {what} must be a function or None, got {type(branch).__name__}")
    check_condition("cond", "pred", pred)
    return _cond(pred, true_fn, false_fn)


@per_mode
def _cond(pred: BaseVariable, true_fn: Branch | None, false_fn: Branch | None) -> Structure:
    if true_fn is None and false_fn is None:
        return None
    taken = _branch(pred, true_fn)
    otherwise = logical.logical_not(pred)
    refused = _branch(otherwise, false_fn)
    return _select(pred, taken, refused)


@_cond.imperative
def _choose(pred: VarBase, true_fn: Branch | None, false_fn: Branch | None) -> Structure:
    chosen = true_fn if bool(pred.numpy().item()) else false_fn
    return chosen() if chosen is not None else None


def check_condition(function: str, argument: str, pred: object) -> None:
    if not isinstance(pred, BaseVariable):
        raise ArgumentError(f"{function}: {argument} must be a Variable, got {type(pred).__name__}")
    if pred.dtype != VarType.BOOL:
        raise DtypeError(f"{function}: {argument} must be bool, got {dtypes.dtype_name(pred.dtype)}")
    size = 1
    for n in pred.shape:
        size *= n
    if size not in (1, -1):
        raise ArgumentError(f"{function}: {argument} must have one element, got the shape {list(pred.shape)}")


def _branch(condition: BaseVariable, branch: Branch | None) -> Structure:
    """Build a branch into a block; its results are copied to the outer block."""
    if branch is None:
        return None
    outer = programs.default_main_program().current_block()
    with run_if(condition):
        result = branch()
        if result is None:
            return None
        return pack(result, [_bring_out(leaf, outer) for leaf in flatten(result)])


def _bring_out(leaf: BaseVariable, outer: Block) -> Variable:
    if not isinstance(leaf, Variable):
        raise ArgumentError(
            f"cond: a branch must give variables (or lists, tuples, dictionaries of them), got {type(leaf).__name__}; "
            "make a number a variable with fluid.layers.fill_constant"
        )
    kind = leaf.type if leaf.type == VarType.LOD_TENSOR_ARRAY else VarType.LOD_TENSOR
    out = outer.create_var(
        name=unique_name.generate("_generated_var"), type=kind, shape=leaf.shape, dtype=leaf._dtype,
        lod_level=leaf.lod_level,
    )  # fmt: skip
    assign(leaf, out)
    return out


def _without_kinds(structure: Structure) -> str:
    """The outline without the difference between lists and tuples."""
    return outline(structure).translate(str.maketrans("()", "[]"))


def _select(pred: BaseVariable, taken: Structure, refused: Structure) -> Structure:
    if _without_kinds(taken) != _without_kinds(refused):
        raise ArgumentError(
            f"cond: both branches must give the same structure, but true_fn gives {outline(taken)} and false_fn "
            f"{outline(refused)}"
        )
    if taken is None:
        return None
    mask = cast(pred, "int32")
    merged = []
    for yes, no in zip(flatten(taken), flatten(refused), strict=True):
        if yes.dtype != no.dtype:
            warn_once(
                f"cond: the branches give different dtypes: {yes.name} of true_fn is "
                f"{dtypes.dtype_name(yes.dtype)} and {no.name} of false_fn {dtypes.dtype_name(no.dtype)}"
            )
        out = select_input([no, yes], mask, name=NO_LAYER)
        out.type, out.dtype = yes.type, no.dtype
        if len(yes.shape) == len(no.shape):
            out.shape = tuple(a if a == b else -1 for a, b in zip(yes.shape, no.shape, strict=True))
        merged.append(out)
    return pack(taken, merged)


def case(
    pred_fn_pairs: Sequence[tuple[BaseVariable, Branch]], default: Branch | None = None, name: str | None = None
) -> Structure:
    """The result of the function of the first pair whose condition holds.

    Args:
        pred_fn_pairs: a list of (bool variable of one element, function without arguments).
        default: the function if no condition holds; None for that of the last pair.

    Returns:
        What the chosen function returns: None, a variable, or a structure of variables.
    """
    if not isinstance(pred_fn_pairs, list | tuple) or not pred_fn_pairs:
        raise ArgumentError(
            f"case: pred_fn_pairs must be a list of (condition, function) that is not empty, got {pred_fn_pairs!r:.60}"
        )
    for pair in pred_fn_pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ArgumentError(f"case: each of pred_fn_pairs must be a tuple (condition, function), got {pair!r:.60}")
        check_condition("case", "the condition of a pair", pair[0])
        if not callable(pair[1]):
            raise ArgumentError(f"case: the second of a pair must be a function, got {type(pair[1]).__name__}")
    if default is not None and not callable(default):
        raise ArgumentError(f"case: default must be a function or None, got {type(default).__name__}")
    pairs = list(pred_fn_pairs)
    if default is None:
        default = pairs.pop()[1]
    result = default
    for pred, branch in reversed(pairs):
        result = _either(pred, branch, result)
    return result()


def _either(pred: BaseVariable, branch: Branch, otherwise: Branch) -> Branch:
    return lambda: cond(pred, branch, otherwise)


def switch_case(
    branch_index: BaseVariable,
    branch_fns: Mapping[int, Branch] | Sequence[Branch | tuple[int, Branch]],
    default: Branch | None = None,
    name: str | None = None,
) -> Structure:
    """The result of the function with the number `branch_index`.

    Args:
        branch_index: an int32, int64 or uint8 variable of one element.
        branch_fns: {number: function without arguments}, or a list of functions or of (number, function).
        default: the function for other numbers; None for that of the largest number.

    Returns:
        What the chosen function returns: None, a variable, or a structure of variables.
    """
    if not isinstance(branch_index, Variable) and not getattr(branch_index, "is_imperative", False):
        raise ArgumentError(f"switch_case: branch_index must be a Variable, got {type(branch_index).__name__}")
    if branch_index.dtype not in (VarType.INT32, VarType.INT64, VarType.UINT8):
        raise DtypeError(
            f"switch_case: branch_index must be int32, int64 or uint8, got {dtypes.dtype_name(branch_index.dtype)}"
        )
    numbered = _numbered(branch_fns)
    if default is not None and not callable(default):
        raise ArgumentError(f"switch_case: default must be a function or None, got {type(default).__name__}")
    return _switch(branch_index, numbered, default)


@per_mode
def _switch(branch_index: BaseVariable, numbered: dict[int, Branch], default: Branch | None) -> Structure:
    if default is None:
        default = numbered[max(numbered)]
        if len(numbered) > 1:
            numbered.pop(max(numbered))
    if branch_index.dtype != VarType.INT64:
        branch_index = cast(branch_index, "int64")
    pairs = []
    for number in sorted(numbered):
        wanted = fill_constant([1], "int64", number)
        pairs.append((compare.equal(branch_index, wanted, name=LayerName("equal")), numbered[number]))
    result = default
    for pred, branch in pairs:
        result = _either(pred, branch, result)
    return result()


@_switch.imperative
def _choose_numbered(branch_index: VarBase, numbered: dict[int, Branch], default: Branch | None) -> Structure:
    last = numbered[max(numbered)] if default is None else default
    return numbered.get(int(branch_index.numpy().item()), last)()


def _numbered(branch_fns: object) -> dict[int, Branch]:
    if isinstance(branch_fns, dict):
        pairs = list(branch_fns.items())
    elif isinstance(branch_fns, list | tuple) and branch_fns:
        pairs = [branch if isinstance(branch, tuple) else (i, branch) for i, branch in enumerate(branch_fns)]
    else:
        pairs = []
    numbered: dict[int, Branch] = {}
    for pair in pairs:
        if len(pair) != 2 or not isinstance(pair[0], int) or not callable(pair[1]):
            raise ArgumentError(f"switch_case: branch_fns must hold (int, function), got {pair!r:.60}")
        if pair[0] in numbered:
            raise ArgumentError(f"switch_case: branch_fns has the number {pair[0]} twice")
        numbered[pair[0]] = pair[1]
    if not numbered:
        raise ArgumentError(
            f"switch_case: branch_fns must be a dict or a list of functions that is not empty, got {branch_fns!r:.60}"
        )
    return numbered
