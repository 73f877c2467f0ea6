"""Write tests/fixtures/ops/<op>.json from the real Fluid 1.8.5: python tools/oracle/record_ops.py [op ...]"""

import collections
import importlib
import multiprocessing
import os
import sys

import numpy as np
from arrays import array, number, write
from cases.table import CASES, Ragged, draw_for

import paddle.fluid as fluid
from paddle.fluid.framework import get_all_op_protos

TABLES = [
    "activation",
    "detection",
    "loss",
    "metric",
    "norm",
    "optim",
    "priors",
    "recurrent",
    "sequence",
    "shape",
    "tensor",
    "vision",
    "lstmp",
    "search",
    "contrib",
    "quantize",
    "fusion",
    "data_types",
    "pyramid",
    "edges",
]
PROTOS = get_all_op_protos()
TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "fixtures", "ops")


class OneOp:
    """A program that holds one operator, its inputs fed and its outputs ready to be fetched."""

    def __init__(self, case):
        self.case, self.feed = case, {}
        self.main, self.scope = fluid.Program(), fluid.Scope()
        block = self.main.global_block()
        self.inputs = {slot: self.declare(block, slot, value) for slot, value in case.inputs.items()}
        self.outputs = collections.OrderedDict()
        for out in case.outs:
            slot, _, count = out.partition("*")
            if slot in case.alias:
                self.outputs[slot] = self.inputs[case.alias[slot]]
            else:
                names = [slot + "_out" + str(i) for i in range(int(count or 1))]
                self.outputs[slot] = [block.create_var(name=name, dtype="float32") for name in names]
        outputs = dict(self.demanded(block), **self.outputs)
        block.append_op(type=case.type, inputs=self.inputs, outputs=outputs, attrs=dict(case.attrs))

    def demanded(self, block):
        """Outputs that Fluid wants named though the case does not look at them."""
        proto = next(proto for proto in PROTOS if proto.type == self.case.type)
        slots = [out.name for out in proto.outputs if not out.dispensable and out.name not in self.outputs]
        return {slot: [block.create_var(name=slot + "_unread", dtype="float32")] for slot in slots}

    def declare(self, block, slot, value):
        variables = []
        for index, item in enumerate(value if isinstance(value, list) else [value]):
            data, lengths = item if isinstance(item, Ragged) else (item, [])
            var = block.create_var(
                name="%s_in%d" % (slot, index),
                shape=data.shape,
                dtype=data.dtype,
                lod_level=len(lengths),
                is_data=True,
                stop_gradient=slot not in self.case.grad,
            )
            place = fluid.CPUPlace()
            self.feed[var.name] = fluid.create_lod_tensor(data, lengths, place) if lengths else data
            variables.append(var)
        return variables

    def run(self, variables):
        with fluid.scope_guard(self.scope):
            return fluid.Executor(fluid.CPUPlace()).run(self.main, self.feed, variables, return_numpy=False)


def value_of(tensor):
    lengths = tensor.recursive_sequence_lengths()
    return dict(array(np.array(tensor)), lod=lengths or None)


def fetch(one, slots):
    """{slot: value or list of values}, a list where the slot has more than one variable or is marked with `*`."""
    names = [out.partition("*") for out in one.case.outs]
    many = {slot for slot, star, _ in names if star} | {s for s, v in one.case.inputs.items() if isinstance(v, list)}
    flat = iter(one.run([var for variables in slots.values() for var in variables]))
    values = {slot: [value_of(next(flat)) for _ in variables] for slot, variables in slots.items()}
    return {slot: items if slot in many else items[0] for slot, items in values.items()}


def given_gradients(op, outputs):
    """Random gradients of the outputs in `through`, as variables of the program, and as values."""
    random, variables, values = np.random.RandomState(7), [], {}
    with fluid.program_guard(op.main):
        for slot in op.case.through:
            arrays = []
            shapes = outputs[slot] if isinstance(outputs[slot], list) else [outputs[slot]]
            for index, out in enumerate(shapes):
                data = np.round(random.uniform(-1, 1, out["shape"]), 3).astype(out["dtype"])
                name = "%s_given%d" % (slot, index)
                target = op.outputs[slot][index]  # Fluid demands equal declared shapes, unknown sizes included
                variables.append(op.main.global_block().create_var(name=name, shape=target.shape, dtype=data.dtype))
                op.feed[name] = fluid.create_lod_tensor(data, out["lod"], fluid.CPUPlace()) if out["lod"] else data
                arrays.append(dict(array(data), lod=out["lod"]))
            values[slot] = arrays if isinstance(outputs[slot], list) else arrays[0]
    return variables, values


def record(case):
    op = OneOp(case)
    recorded = {"inputs": {}, "attrs": {key: plain(value) for key, value in case.attrs.items()}}
    for slot, value in case.inputs.items():
        recorded["inputs"][slot] = [stored(v) for v in value] if isinstance(value, list) else stored(value)
    recorded["outputs"] = fetch(op, op.outputs)
    if case.grad:
        op = OneOp(case)  # a fresh program: an aliased input was overwritten in the first
        target_grads, recorded["out_grads"] = given_gradients(op, recorded["outputs"])
        targets = [var for slot in case.through for var in op.outputs[slot]]
        inputs = [var for slot in case.grad for var in op.inputs[slot]]
        computed = iter(fluid.gradients(targets, inputs, target_grads))
        grads = {slot: [next(computed) for _ in op.inputs[slot]] for slot in case.grad}
        recorded["grads"] = fetch(op, grads)
    return recorded


def stored(value):
    data, lengths = value if isinstance(value, Ragged) else (value, None)
    return dict(array(data), lod=lengths)


def plain(value):
    return [number(item) for item in value] if isinstance(value, (list, tuple)) else number(value)


def record_type(type, cases):
    """Record all cases of one operator and end the process with the number that failed."""
    recorded, failures = [], 0
    for case in cases:
        try:
            recorded.append(record(case))
        except Exception as error:
            failures += 1
            print("FAILED %s %s: %s" % (type, case.attrs, str(error).strip()[-700:]), flush=True)
    write(os.path.join(TARGET, type + ".json"), recorded)
    sys.exit(failures)


def main():
    os.makedirs(TARGET, exist_ok=True)
    for table in TABLES:
        draw_for(table)
        importlib.import_module("cases." + table)
    types, failures = collections.OrderedDict(), 0
    for case in CASES:
        types.setdefault(case.type, []).append(case)
    chosen = sys.argv[1:] or list(types)
    for type in chosen:
        # A process per operator: a wrong case does not raise in Fluid, it may bring the process down.
        child = multiprocessing.Process(target=record_type, args=(type, types[type]))
        child.start()
        child.join(60)
        if child.is_alive():
            child.terminate()
        if child.exitcode != 0:
            failures += 1
            print("%s ended with %s" % (type, child.exitcode), flush=True)
    print("%d operators, %d cases, %d operators failed" % (len(chosen), len(CASES), failures))
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
