"""A program as plain data: what its blocks hold, in an order and a form that two engines can be compared in."""

import re

# Where an operator was written, and which kernel is preferred, is no part of what the program says.
DROPPED_ATTRS = {"op_callstack", "op_device"}
# Attributes that an operator carries or not without a difference: they are kept where they say something.
SILENT = {"op_namescope": "/", "op_role_var": []}
# Fluid collects what a block reads and writes in sets: their order changes from process to process.
UNORDERED = {"conditional_block", "while"}


def describe(program):
    """The blocks of a program: [{"parent", "ops", "vars"}], all JSON."""
    return [
        {
            "parent": block.parent_idx,
            "ops": [describe_op(op) for op in block.ops],
            "vars": {var.name: describe_var(var) for var in sorted(block.vars.values(), key=lambda var: var.name)},
        }
        for block in program.blocks
    ]


def describe_op(op):
    arrange = sorted if op.type in UNORDERED else list
    return {
        "type": op.type,
        "inputs": {slot: arrange(op.input(slot)) for slot in sorted(op.input_names)},
        "outputs": {slot: arrange(op.output(slot)) for slot in sorted(op.output_names)},
        "attrs": describe_attrs(op),
    }


def describe_attrs(op):
    attrs = {name: plain(op.attr(name)) for name in sorted(op.attr_names) if name not in DROPPED_ATTRS}
    if "op_namescope" in attrs:
        # Fluid numbers name scopes over the whole life of a process, whatever the program
        attrs["op_namescope"] = re.sub(r"_\d+/", "/", attrs["op_namescope"])
    return {name: value for name, value in attrs.items() if not (name in SILENT and value == SILENT[name])}


def describe_var(var):
    text = {"type": str(var.type), "persistable": bool(var.persistable), "stop_gradient": bool(var.stop_gradient)}
    if text["type"].endswith(("LOD_TENSOR", "SELECTED_ROWS", "LOD_TENSOR_ARRAY")):
        text.update(shape=list(var.shape), dtype=str(var.dtype))
        if not text["type"].endswith("SELECTED_ROWS"):
            text["lod_level"] = var.lod_level
    return {key: value.split(".")[-1] if isinstance(value, str) else value for key, value in text.items()}


def plain(value):
    """An attribute value as JSON; a float to seven digits (Fluid holds 32 bits), a block as its number."""
    if isinstance(value, float):
        return float("%.7g" % value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (bool, int, str)):
        return value
    return value.idx if hasattr(value, "idx") else value.id
