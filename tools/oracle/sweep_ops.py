"""The rows of tests/ops and variants of them at the edges, Refluid beside Fluid 1.8.5, forward and gradients.

    python tools/oracle/sweep_ops.py write FILE [op ...]    under Refluid, in the top folder: calls and what they give
    python tools/oracle/sweep_ops.py check FILE [op ...]    under 1.8.5: where it gives something else

A variant changes the inputs of a row: float32, zeros, ties (multiples of a half), large numbers, a first axis of one
row, an empty sequence before the others, int32 and int64 in place of floats. What 1.8.5 refuses, or what brings its
process down, is not compared.
"""

import collections
import os
import pickle
import signal
import sys

import numpy as np

ROWS_PER_OP = 4
LONGEST = 10  # seconds that a call may take under 1.8.5
Case = collections.namedtuple("Case", "type inputs attrs outs grad through alias")
Ragged = collections.namedtuple("Ragged", "array lengths")


# -- variants of an input array -------------------------------------------------------------------------------------


def to_floats(dtype, change=lambda array: array):
    def variant(array, lengths):
        return (change(array).astype(dtype), lengths) if array.dtype.kind == "f" else (array, lengths)

    return variant


def one_row(array, lengths):
    return (array[:1], lengths) if not lengths else (array[: lengths[-1][0]], [level[:1] for level in lengths])


def empty_first(array, lengths):
    return array.astype("float32") if array.dtype.kind == "f" else array, lengths[:-1] + [[0] + lengths[-1]]


VARIANTS = {
    "float32": to_floats("float32"),
    "float64": to_floats("float64"),
    "zeros": to_floats("float32", np.zeros_like),
    "ties": to_floats("float32", lambda array: np.round(array * 2) / 2),
    "large": to_floats("float32", lambda array: array * 60),
    "int64": to_floats("int64", lambda array: np.round(array * 3)),
    "int32": to_floats("int32", lambda array: np.round(array * 3)),
}


def varied(inputs, name):
    """{slot: [(array, lengths)]} in this variant; None where it does not apply."""
    flat = [part for parts in inputs.values() for part in parts]
    if name == "one row":
        same = len({part[0].shape[:1] for part in flat}) == 1 and not any(lengths for _, lengths in flat)
        change = one_row if same else None
    elif name == "empty sequence":
        change = empty_first if all(len(lengths) == 1 for _, lengths in flat) else None
    else:
        change = VARIANTS[name]
    return change and {slot: [change(*part) for part in parts] for slot, parts in inputs.items()}


# -- under Refluid --------------------------------------------------------------------------------------------------


def write(path, chosen):
    sys.path.insert(0, os.getcwd())
    from tests.ops import test_every_op as every

    count, calls = collections.Counter(), []
    for row in every.ROWS:
        count[row.op] += 1
        if (chosen and row.op not in chosen) or count[row.op] > ROWS_PER_OP:
            continue
        for name in [*VARIANTS, "one row", "empty sequence"]:
            outcome = run_here(row, name)
            if outcome is not None:
                calls.append(outcome)
    with open(path, "wb") as file:
        Pickler(file, protocol=4).dump(calls)
    print(len(calls), "calls of", len({call["case"].type for call in calls}), "operators")


class Pickler(pickle.Pickler):
    """Arrays as bytes: NumPy's own pickles differ between its releases."""

    def reducer_override(self, value):
        if not isinstance(value, np.ndarray):
            return NotImplemented
        return restored, (value.tobytes(), value.dtype.str, value.shape)


def restored(data, dtype, shape):
    return np.frombuffer(data, dtype).reshape(shape).copy()


def run_here(row, variant):
    """{"case", "where", "variant", "outs", "lods", "grads"}, or with "error"; None where nothing can be compared."""
    from tests.ops.cases import Ragged as RaggedRow, Sparse

    from refluid.ops import registry

    op = registry.get(row.op)
    arguments = {slot.name: row.given[slot.name] for slot in op.inputs if row.given.get(slot.name) is not None}
    lists = {slot: value if isinstance(value, list) else [value] for slot, value in arguments.items()}
    if (
        op.random
        or op.side_effect
        or not arguments
        or any(isinstance(v, Sparse) for part in lists.values() for v in part)
    ):
        return None
    inputs = varied(
        {
            slot: [(v.data, v.lengths) if isinstance(v, RaggedRow) else (np.asarray(v), []) for v in part]
            for slot, part in lists.items()
        },
        variant,
    )
    if inputs is None:
        return None
    attrs = {name: value for name, value in row.given.items() if name not in op.input_index}
    stored = {slot: [Ragged(*part) if part[1] else part[0] for part in parts] for slot, parts in inputs.items()}
    stored = {slot: parts if isinstance(arguments[slot], list) else parts[0] for slot, parts in stored.items()}
    alias = {op.outputs[out].name: op.inputs[source].name for out, source in op.inplace.items()}
    outcome = {"where": row.where, "variant": variant}
    try:
        outcome.update(answers(row, {**attrs, **as_row(inputs, arguments)}))
    except Exception as error:
        outcome["error"] = "%s: %s" % (type(error).__name__, str(error)[:300])
        outcome.setdefault("names", [out.name for i, out in enumerate(op.outputs) if i not in op.hidden])
        outcome.setdefault("through", [])
        outcome.setdefault("wanted", [])
    outcome["case"] = Case(
        row.op, stored, attrs, outcome.pop("names"), outcome.pop("wanted"), outcome.pop("through"), alias
    )
    return outcome


def as_row(inputs, given):
    from tests.ops.cases import Ragged as RaggedRow

    parts = {slot: [RaggedRow(a, n) if n else a for a, n in part] for slot, part in inputs.items()}
    return {slot: part if isinstance(given[slot], list) else part[0] for slot, part in parts.items()}


def answers(row, arguments):
    import dataclasses

    import torch
    from tests.ops.calls import Call, each, numpy_of
    from tests.ops.test_every_op import has_gradient

    call = Call(dataclasses.replace(row, given=arguments, recorded={}))
    op, outs, lods = call.op, call.forward(), call.out_lods()
    # Intermediate outputs are for the gradient, or memory to work in.
    shown = [i for i, slot in enumerate(op.outputs) if not slot.intermediate and outs[i] is not None]
    many = {i: isinstance(outs[i], (list, tuple)) for i in shown}
    outcome = {
        "names": [op.outputs[i].name + ("*%d" % len(outs[i]) if many[i] else "") for i in shown],
        "outs": {op.outputs[i].name: each(numpy_of, outs[i]) for i in shown},
        "lods": {op.outputs[i].name: each(lambda lod: lod.lengths() if lod else [], lods[i] or []) for i in shown},
        "wanted": [],
        "through": [],
    }
    through = [i for i in shown if i not in op.nograd_outputs and _floats(outs[i])]
    if not has_gradient(row) or not through or not call.grad_names():
        return outcome
    random, grads = np.random.RandomState(7), [each(torch.zeros_like, out) for out in outs]
    for i in through:
        grads[i] = each(lambda out: torch.from_numpy(given_gradient(random, numpy_of(out))), outs[i])
    gradient = op.gradient
    back = call.backward(gradient, outs, grads, [True] * len(gradient.outputs))
    wanted = [name for name in call.grad_names() if back.get(name) is not None]
    outcome.update(
        wanted=wanted,
        through=[op.outputs[i].name for i in through],
        grads={name: each(numpy_of, back[name]) for name in wanted},
    )
    return outcome


def _floats(out):
    flat = out if isinstance(out, (list, tuple)) else [out]
    return bool(flat) and all(hasattr(one, "is_floating_point") and one.is_floating_point() for one in flat)


def given_gradient(random, out):
    """As record_ops.py draws them."""
    return np.round(random.uniform(-1, 1, out.shape), 3).astype(out.dtype)


# -- under 1.8.5 ----------------------------------------------------------------------------------------------------


def check(path, chosen):
    import record_ops  # once, for all the processes that follow

    assert record_ops.PROTOS
    with open(path, "rb") as file:
        calls = pickle.load(file)
    count = collections.Counter()
    wanted = [call for call in calls if not chosen or call["case"].type in chosen]
    while wanted:
        # A process for as many as it survives.
        for told in in_a_process(wanted):
            call = wanted.pop(0)
            count[told.split(":")[0]] += 1
            if told.startswith(("differs", "refused here")):
                print("%s %s [%s] %s" % (call["case"].type, call["where"], call["variant"], told), flush=True)
    print(dict(count))


def in_a_process(calls):
    """What compare says of each; "crash" for the last, where Fluid ends or does not."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        for call in calls:
            signal.alarm(LONGEST)
            os.write(write, compare(call).replace("\n", " ").encode()[:2000] + b"\n")
        os._exit(0)
    os.close(write)
    told = 0
    with os.fdopen(read) as answers:
        for answer in answers:
            told += 1
            yield answer.rstrip("\n")
    os.waitpid(child, 0)
    if told < len(calls):
        yield "crash"


def compare(call):
    import record_ops
    from cases.table import Ragged as TableRagged

    def table(value):
        return TableRagged(*value) if isinstance(value, Ragged) else value

    case = call["case"]
    inputs = {
        s: [table(v) for v in value] if isinstance(value, list) else table(value) for s, value in case.inputs.items()
    }
    proto = next((proto for proto in record_ops.PROTOS if proto.type == case.type), None)
    if proto is None:
        return "absent"
    slots = {out.name for out in proto.outputs}
    names = [name for name in case.outs if name.partition("*")[0] in slots]
    case = case._replace(inputs=inputs, outs=names)
    reply = recorded(case) or recorded(case._replace(grad=[], through=[]))
    if reply is None:
        return "refused there"
    if "error" in call:
        return "refused here: " + call["error"]
    told = differences(call["outs"], reply["outputs"], call["lods"])
    if told:
        return "differs: " + told
    told = differences(call.get("grads", {}), reply.get("grads", {}), {})
    return (
        "differs: gradient of " + told
        if told
        else "gradient refused there"
        if case.grad and "grads" not in reply
        else "same"
    )


def recorded(case):
    import record_ops

    try:
        return record_ops.record(case)
    except Exception:
        return None


def differences(ours, theirs, lods):
    for slot, value in theirs.items():
        mine = ours.get(slot)
        if mine is None:
            continue
        pairs = zip(mine, value) if isinstance(value, list) else [(mine, value)]
        for actual, other in pairs:
            wanted = np.array(other["data"], other["dtype"]).reshape(other["shape"])
            if actual is None:
                return "%s is absent" % slot
            if actual.shape != wanted.shape and (actual.size or wanted.size):
                return "%s has the shape %s, there %s" % (slot, actual.shape, wanted.shape)
            if actual.dtype != wanted.dtype and wanted.size:
                return "%s is %s, there %s" % (slot, actual.dtype, wanted.dtype)
            if wanted.size and not np.allclose(actual, wanted, 2e-4, 2e-5, equal_nan=True):
                return "%s is %s, there %s" % (slot, short(actual, wanted), short(wanted, actual))
        if not isinstance(value, list) and slot in lods and (value["lod"] or []) != lods[slot]:
            return "%s has the LoD %s, there %s" % (slot, lods[slot], value["lod"])
    return ""


def short(array, other):
    """Some of the numbers that differ."""
    wrong = ~np.isclose(array, other, 2e-4, 2e-5, equal_nan=True)
    return "%s of %s" % (np.round(array[wrong][:4].astype("float64"), 5).tolist(), list(array.shape))


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](sys.argv[2], set(sys.argv[3:]))
