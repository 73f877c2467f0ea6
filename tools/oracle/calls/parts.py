"""The parts that IfElse, cond and DynamicRNN are made of, called by themselves."""

from calls.table import Table, floats, fluid, given, ints, np
from paddle.fluid.layers import control_flow as parts

calls = Table()

mask = np.array([[True], [False], [True]])
number = np.array([1], "int32")


@calls.program
def split_and_merge():
    x, chosen = fluid.data("x", [None, 2]), fluid.data("chosen", [None, 1], "bool")
    x.stop_gradient = False
    yes, no = parts.split_lod_tensor(x, chosen)
    out = parts.merge_lod_tensor(yes * 2.0, no, x, chosen)
    grad = fluid.gradients(out, x)[0]
    names = [var.name for var in (yes, no, out, grad)]
    feed = {"x": np.arange(6, dtype="float32").reshape(3, 2), "chosen": mask}
    return names, fluid.Executor(fluid.CPUPlace()).run(feed=feed, fetch_list=[yes, no, out, grad])


@calls.program
def split_sequences():
    x, chosen = fluid.data("x", [None, 1], lod_level=1), fluid.data("chosen", [None, 1], "bool")
    yes, no = parts.split_lod_tensor(x, chosen)
    fed = fluid.create_lod_tensor(np.arange(6, dtype="float32").reshape(6, 1), [[3, 1, 2]], fluid.CPUPlace())
    outs = fluid.Executor(fluid.CPUPlace()).run(
        feed={"x": fed, "chosen": mask}, fetch_list=[yes, no], return_numpy=False
    )
    return [(np.array(out), out.recursive_sequence_lengths()) for out in outs]


@calls.program
def select_among_three():
    x, chosen = fluid.data("x", [2]), fluid.data("chosen", [1], "int32")
    outs = [fluid.layers.fill_constant([1], "float32", float(i)) for i in range(3)]
    read = parts.select_input(parts.select_output(x, outs, chosen), chosen)
    feed = {"x": np.ones(2, "float32"), "chosen": number}
    return read.name, read.shape, fluid.Executor(fluid.CPUPlace()).run(feed=feed, fetch_list=[read] + outs)


@calls.program
def a_conditional_block():
    chosen = fluid.data("chosen", [1], "bool")
    out = fluid.layers.fill_constant([1], "float32", 1.0)
    with parts.ConditionalBlock([chosen], is_scalar_condition=True).block():
        fluid.layers.assign(out + 1.0, out)
    exe = fluid.Executor(fluid.CPUPlace())
    kinds = [op.type for block in fluid.default_main_program().blocks for op in block.ops]
    return kinds, [exe.run(feed={"chosen": np.array([v])}, fetch_list=[out]) for v in (True, False)]


calls.static("fluid.layers.control_flow.select_input([x, x], n)", x=floats(2, 3), n=given(number))
calls.static("fluid.layers.control_flow.select_input(x, n)", x=floats(2, 3), n=given(number))
calls.static("fluid.layers.control_flow.select_input([x, x], n)", x=floats(2, 3), n=ints(1))
calls.static("fluid.layers.control_flow.split_lod_tensor(x, m)", x=floats(3, 2), m=given(mask))
calls.static("fluid.layers.control_flow.ConditionalBlock([1])")
