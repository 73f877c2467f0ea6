"""The worked example of a table of calls: README.md reads it."""

from calls.table import Table, floats, fluid, given, ints, np

calls = Table()

calls.static("L.fc(x, 3)", x=floats(2, 4))
calls.static("L.fc(x, 3, act='relu', name='mine')", x=floats(2, 4, shape=[-1, 4]), grads=True)
calls.static("L.fc(x, 3)", x=ints(2, 4))  # wrong: an integer input
calls.static("L.fc('x', 3)")
calls.static("L.squeeze(x, [1])", x=floats(2, 1, 3))
calls.static("L.sequence_pool(x, 'sum')", x=floats(5, 2, shape=[-1, 2], lengths=[[2, 3]]))
calls.imperative("L.relu(x)", x=floats(3), grads=True)
calls.imperative("D.Linear(4, 3, param_attr=fluid.initializer.Constant(0.5))(x)", x=floats(2, 4))


@calls.program
def sgd_moves_a_parameter_against_its_gradient():
    x = fluid.data("x", [2, 3])
    loss = fluid.layers.mean(fluid.layers.fc(x, 1, param_attr=fluid.initializer.Constant(1.0)))
    fluid.optimizer.SGD(0.5).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    exe.run(feed={"x": np.ones((2, 3), "float32")}, fetch_list=[loss])
    return np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor())


def rounded(how):
    return getattr(np, how)(given([1.5]).value)


for how in ("floor", "ceil"):
    calls.program(rounded, how=how)
