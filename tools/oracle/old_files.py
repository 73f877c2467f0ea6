"""Program files as Fluid 1.5 wrote them, made from files of 1.8.5.

    python tools/oracle/old_files.py FOLDER [model ...]     # ages copies of the models in FOLDER and runs them

Under Fluid 1.8.5 this shows that the aged files are right: it gives the recorded outputs with them.
"""

import os
import shutil
import sys
import tempfile

# The operators of 1.5 that differ from today's in an output that only their gradients read.
SPELLINGS = {
    "reshape2": "reshape", "transpose2": "transpose", "squeeze2": "squeeze", "unsqueeze2": "unsqueeze",
    "flatten2": "flatten",
}  # fmt: skip

# Attributes that came after 1.5; the operators do without them what they did then.
LATER_ATTRS = {
    "op_device", "op_namescope", "op_callstack", "str_value", "padding_algorithm", "data_format", "data_layout",
    "trainable_statistics", "fuse_with_relu", "x_data_format", "y_data_format", "use_quantizer", "mkldnn_data_type",
    "fuse_activation", "fuse_alpha", "fuse_beta", "fuse_brelu", "fuse_brelu_threshold", "decrease_axis", "infer_flags",
    "pad_value", "allow_out_of_range", "exclusive", "adaptive", "head_number", "fused_reshape_Out",
    "fused_transpose_Out",
    "Scale_x", "Scale_y", "Scale_out", "Scale_in", "Scale_weights", "Scale_in_eltwise", "force_cpu", "grad_inplace",
    "remote_prefetch", "entry_config", "entry", "bias_after_scale", "@ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@",
}  # fmt: skip


def age(desc):
    """Make a ProgramDesc message an old one, in place. It may hold texts or bytes for names."""
    desc.ClearField("version")
    desc.ClearField("op_compatible_map")
    trains = any(text(op.type).endswith("_grad") for block in desc.blocks for op in block.ops)
    for block in desc.blocks:
        for op in block.ops:
            # Inputs in place of attributes came with 1.6 and 1.7; who has none says nothing of them.
            keep(op.inputs, lambda slot: slot.arguments)
            keep(op.outputs, lambda slot: slot.arguments)
            if text(op.type) in SPELLINGS and not trains:
                op.type = like(op.type, SPELLINGS[text(op.type)])
                keep(op.outputs, lambda slot: text(slot.parameter) != "XShape")
            keep(op.attrs, lambda attr: text(attr.name) not in LATER_ATTRS or not is_default(attr))


def is_default(attr):
    """Whether the attribute says what the operator did before it had it."""
    name, value = text(attr.name), text(attr.s)
    if name in ("data_format", "data_layout"):
        return value in ("NCHW", "AnyLayout", "")
    if name == "padding_algorithm":
        return value == "EXPLICIT"
    if name in ("exclusive", "bias_after_scale"):
        return attr.b
    if name in ("decrease_axis", "infer_flags"):
        return not attr.ints or set(attr.ints) == {1}
    if name == "str_value":
        return True  # the number is in the attribute value too
    return not attr.b and not (name == "pad_value" and attr.f)


def keep(entries, wanted):
    kept = [entry for entry in entries if wanted(entry)]
    copies = [type(entry).FromString(entry.SerializeToString()) for entry in kept]
    del entries[:]
    entries.extend(copies)


def text(name):
    return name.decode() if isinstance(name, bytes) else name


def like(old, name):
    return name.encode() if isinstance(old, bytes) else name


def aged_copy(source, target, message):
    """Copy a model of one file of parameters, its program aged. `message` is the class of ProgramDesc."""
    os.makedirs(target)
    shutil.copy(os.path.join(source, "params"), target)
    with open(os.path.join(source, "model"), "rb") as file:
        desc = message.FromString(file.read())
    age(desc)
    with open(os.path.join(target, "model"), "wb") as file:
        file.write(desc.SerializeToString())


def main(folder, *names):
    import json

    from models import MODELS
    from record_models import COMBINED, build, difference, run_inference

    import paddle.fluid as fluid
    from paddle.fluid.proto.framework_pb2 import ProgramDesc

    for name in names or MODELS:
        with tempfile.TemporaryDirectory() as place:
            aged = os.path.join(place, name)
            aged_copy(os.path.join(folder, name, "combined"), aged, ProgramDesc)
            _, _, fed, feeds, _, _ = build(name)
            got = run_inference(fluid.Executor(fluid.CPUPlace()), aged, feeds, fed, *COMBINED)
        with open(os.path.join(folder, name, "outputs.json")) as file:
            gap = difference(json.load(file)["outputs"], got)
        print(name, "largest difference %.3g" % gap)
        if not gap < 1e-5:
            sys.exit("%s: the outputs differ" % name)


if __name__ == "__main__":
    main(*sys.argv[1:])
