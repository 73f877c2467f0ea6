"""Running programs: feeds, fetches, scopes, operators, backward passes, values, places of one machine, loaders."""

import os

from calls.table import Table, fluid, np

calls = Table()
L = fluid.layers
CPU = fluid.CPUPlace()
CORE = fluid.core


def executor():
    exe = fluid.Executor(CPU)
    exe.run(fluid.default_startup_program())
    return exe


def ones(*shape, **options):
    return np.ones(shape, options.get("dtype", "float32"))


def held(name):
    return np.array(fluid.global_scope().find_var(name).get_tensor())


# -- feeds --------------------------------------------------------------------------------------------------------


def fed(how, declared, shape, dtype, op="scale"):
    x = fluid.data("x", [None] + declared) if how == "fluid.data" else L.data("x", declared)
    y = getattr(L, op)(x)
    return executor().run(feed={"x": ones(*shape, dtype=dtype)}, fetch_list=[y])


for dtype in ("float32", "float64", "int32", "int64"):
    calls.program(fed, how="layers.data", declared=[4], shape=[2, 4], dtype=dtype)
    calls.program(fed, how="fluid.data", declared=[4], shape=[2, 4], dtype=dtype)
calls.program(fed, how="layers.data", declared=[4], shape=[2, 4], dtype="int64", op="mean")
for shape in ([4], [5], [2, 5], [2, 3, 5], [2, 4, 1]):
    calls.program(fed, how="layers.data", declared=[4], shape=shape, dtype="float32")
    calls.program(fed, how="fluid.data", declared=[4], shape=shape, dtype="float32")
for shape in ([7, 4], [7, 3], [7]):
    calls.program(fed, how="fluid.data", declared=[3, 4], shape=shape, dtype="float32")


@calls.program
def a_feed_that_the_program_does_not_know():
    y = L.scale(L.data("x", [1]), 2.0)
    return executor().run(feed={"x": ones(2, 1), "other": ones(3)}, fetch_list=[y])


@calls.program
def a_feed_in_a_list_of_one():
    y = L.scale(L.data("x", [1]), 2.0)
    return executor().run(feed=[{"x": ones(2, 1)}], fetch_list=[y])


@calls.program
def a_persistable_variable_keeps_what_is_fed():
    rate = L.create_global_var([1], 1.0, "float32", persistable=True, name="rate")
    y, exe = L.scale(rate, 2.0), executor()
    exe.run(feed={"rate": np.array([5.0], "float32")}, fetch_list=[y])
    return exe.run(fetch_list=[y]), held("rate")


@calls.program
def embeddings_of_int32_ids():
    x = L.data("x", [1], dtype="int64")
    y = L.one_hot(x, 4)
    return executor().run(feed={"x": ones(2, 1, dtype="int32")}, fetch_list=[y])


# -- fetches and scopes -------------------------------------------------------------------------------------------


def fetched_with_a_lod(return_numpy):
    y = L.scale(L.data("x", [1], lod_level=1), 2.0)
    x = fluid.create_lod_tensor(ones(3, 1), [[1, 2]], CPU)
    (found,) = executor().run(feed={"x": x}, fetch_list=[y], return_numpy=return_numpy)
    return np.array(found), found.lod()


calls.program(fetched_with_a_lod, return_numpy=True)
calls.program(fetched_with_a_lod, return_numpy=False)


@calls.program
def updates_in_a_fetch_list():
    w = L.create_parameter([1], "float32", name="w", default_initializer=fluid.initializer.Constant(3.0))
    loss = L.reduce_sum(w)
    updates, pairs = fluid.optimizer.SGD(1.0).minimize(loss)
    exe = executor()
    return exe.run(fetch_list=[loss] + updates), exe.run(fetch_list=[loss, (updates, pairs)]), held("w")


@calls.program
def what_the_scope_alone_has():
    fluid.global_scope().var("kept").get_tensor().set(ones(2), CPU)
    return fluid.Executor(CPU).run(fluid.Program(), fetch_list=["kept"])


@calls.program
def what_nobody_has():
    return fluid.Executor(CPU).run(fluid.Program(), fetch_list=["nothing"])


@calls.program
def variables_that_a_run_declares():
    block = fluid.default_startup_program().global_block()
    block.create_var(name="state", shape=[2], dtype="float32", persistable=True)
    block.create_var(name="passing", shape=[2], dtype="float32")
    executor()
    scope = fluid.global_scope()
    tensor = scope.find_var("state").get_tensor()
    return scope.find_var("passing") is None, tensor._is_initialized(), tensor.shape()


def uninitialised(read):
    var = fluid.default_main_program().global_block().create_var(name="v", shape=[2], dtype="float32", persistable=True)
    return fluid.Executor(CPU).run(fetch_list=[L.scale(var, 2.0) if read else var])


calls.program(uninitialised, read=False)
calls.program(uninitialised, read=True)


# -- operators ----------------------------------------------------------------------------------------------------


def appended(attrs, inputs=None, outputs=None):
    x = L.data("x", [4])
    block = fluid.default_main_program().global_block()
    out = block.create_var(name="out", dtype="float32", shape=[-1, 4])
    inputs, outputs = dict(inputs or {}, X=x), dict(outputs or {}, Out=out)
    op = block.append_op(type="scale", inputs=inputs, outputs=outputs, attrs=attrs)
    return op.attr("scale"), op.has_attr("other"), executor().run(feed={"x": ones(1, 4)}, fetch_list=[out])


calls.program(appended, attrs={"scale": 3.0, "other": 4})
calls.program(appended, attrs={"scale": 3})
calls.program(appended, attrs={"scale": "3"})
calls.program(appended, attrs={"scale": 3.0}, inputs={"Other": "x"})
calls.program(appended, attrs={"scale": 3.0}, outputs={"Other": "x"})


@calls.program
def arrays_of_numpy_as_attributes():
    x = L.data("x", [4])
    block = fluid.default_main_program().global_block()
    out, shape = block.create_var(name="out", dtype="float32"), block.create_var(name="shape", dtype="float32")
    attrs = {"shape": np.array([-1, 2])}
    op = block.append_op(type="reshape2", inputs={"X": x}, outputs={"Out": out, "XShape": shape}, attrs=attrs)
    return op.attr("shape"), executor().run(feed={"x": ones(1, 4)}, fetch_list=[out])


@calls.program
def lod_levels_of_appended_operators():
    x = L.data("x", [2], lod_level=1)
    block = fluid.default_main_program().global_block()
    out = block.create_var(name="out")
    block.append_op(type="scale", inputs={"X": x}, outputs={"Out": out}, attrs={"scale": 2.0})
    return out.lod_level, list(out.shape)


@calls.program
def initializers_of_blocks():
    block = fluid.default_main_program().global_block()
    first = fluid.initializer.Constant(3.0)
    w = block.create_parameter(name="w", shape=[2], dtype="float32", initializer=first)
    v = block.create_var(name="v", shape=[1], dtype="float32", persistable=True, initializer=first)
    return [op.type for op in block.ops], executor().run(fetch_list=[w, v])


@calls.program
def the_truth_of_a_variable():
    x = fluid.data("x", [None, 4])
    return bool(x), bool(x == x), (x or 3) is x, np.array(x).dtype.name, list(np.array([x, x]).shape)


INDICES = ("[None]", "[0, 7]", "[[0, 1]]", "[True]", "[:, 1:100]", "[:, 2:2]", "[:, 3:0:-1]", "[0.5]", "[(0, 1)]",
           "[0, 0, 0, 0]", "[:, 1:4:s]", "[:, s:4]", "[s]")  # fmt: skip


def indexed(index):
    x, s = L.data("x", [4, 3]), L.fill_constant([1], "int32", 1)
    y = eval("x" + index, {"x": x, "s": s})
    feed = {"x": np.arange(24).reshape(2, 4, 3).astype("float32")}
    return list(y.shape), executor().run(feed=feed, fetch_list=[y])


for index in INDICES:
    calls.program(indexed, index=index)
calls.program(indexed, index="[..., 0]", differs="1.8.5 takes an Ellipsis at the end alone")


def calculated(text):
    x = L.data("x", [-1, -1, 3], append_batch_size=False)
    y = eval(text, {"x": x, "np": np})
    return executor().run(feed={"x": ones(2, 4, 3) * 2}, fetch_list=[y])


TEXTS = (
    "1 / x",
    "2 ** x",
    "3 - x",
    "x / 0",
    "x + 'a'",
    "x + None",
    "x % 2",
    "x // 2",
    "x * 10**12",
    "x < np.float32(3)",
)
for text in TEXTS:
    calls.program(calculated, text=text)


def branches(taken):
    pred = L.fill_constant([1], "bool", taken)
    out = L.cond(pred, lambda: L.fill_constant([1], "float32", 1.5), lambda: L.fill_constant([1], "int32", 2))
    return str(out.dtype), executor().run(fetch_list=[out])


calls.program(branches, taken=True)
calls.program(branches, taken=False)


# -- backward passes ----------------------------------------------------------------------------------------------


def network():
    x = L.data("x", [4])
    hidden = L.fc(x, 3, name="a")
    return hidden, L.mean(L.fc(hidden, 1, name="b"))


def named(pairs):
    return [(var.name, None if grad is None else grad.name) for var, grad in pairs]


def backward(parameter_list):
    hidden, loss = network()
    chosen = [hidden if one == "hidden" else one for one in parameter_list] if parameter_list else parameter_list
    return named(fluid.backward.append_backward(loss, parameter_list=chosen))


for chosen in (None, ["a.w_0"], ["hidden"], ["nothing"], [3], ["a.w_0", "hidden"]):
    calls.program(backward, parameter_list=chosen)


@calls.program
def a_loss_of_unknown_size():
    x = L.data("x", [4])
    weight = fluid.ParamAttr("w", initializer=fluid.initializer.Constant(1.0))
    loss = L.square(L.fc(x, 1, param_attr=weight, bias_attr=False))
    fluid.backward.append_backward(loss)
    return executor().run(feed={"x": np.arange(4).reshape(1, 4).astype("float32")}, fetch_list=["w@GRAD"])


@calls.program
def nothing_to_train():
    return fluid.optimizer.SGD(0.1).minimize(L.mean(L.data("x", [4])))


@calls.program
def nothing_to_apply():
    return fluid.optimizer.SGD(0.1).apply_gradients([])


CLIPS = {
    "value": lambda: fluid.clip.GradientClipByValue(1.0),
    "norm": lambda: fluid.clip.GradientClipByNorm(1.0),
    "global norm": lambda: fluid.clip.GradientClipByGlobalNorm(1.0),
}


def clipped(by, missing):
    pairs = fluid.backward.append_backward(network()[1])
    return named(CLIPS[by]()([(var, None if i < missing else grad) for i, (var, grad) in enumerate(pairs)]))


for by in sorted(CLIPS):
    for missing in (0, 1, 4):
        calls.program(clipped, by=by, missing=missing)


@calls.program
def a_gradient_that_is_not_there():
    x, z = fluid.data("x", [2]), fluid.data("z", [2])
    x.stop_gradient = z.stop_gradient = False
    y = L.mean(x)
    return fluid.gradients(y, z), fluid.gradients(y, [x, z])[1]


# -- values -------------------------------------------------------------------------------------------------------


def tensor(dtype="float32"):
    made = CORE.LoDTensor()
    made.set(np.arange(6).astype(dtype), CPU)
    return made


@calls.program
def elements_of_a_tensor():
    single, double = tensor(), tensor("float64")
    single._set_float_element(2, 9.5)
    double._set_double_element(3, 7.0)
    return single._get_float_element(2), double._get_double_element(3), np.array(single), np.array(double)


@calls.program
def an_element_of_another_dtype():
    return tensor("float64")._get_float_element(0)


@calls.program
def memory_of_a_tensor():
    made = CORE.LoDTensor()
    made._set_dims([2, 3])
    before = made._is_initialized(), made.shape()
    made._alloc_float(CPU)
    return before, made._is_initialized(), made.shape(), str(made._dtype())


def reshaped(dims):
    made = tensor()
    made._set_dims(dims)
    return np.array(made)


for dims in ([2, 3], [2, 2], [2, 5]):
    calls.program(reshaped, dims=dims)


@calls.program
def a_cleared_tensor():
    made = tensor()
    made._clear()
    return made.shape(), made._is_initialized(), list(np.array(made).shape)


def sparse(name, rows=None, values=None):
    var = (
        fluid.default_main_program()
        .global_block()
        .create_var(name=name, shape=[5, 2], dtype="float32", type=CORE.VarDesc.VarType.SELECTED_ROWS, persistable=True)
    )
    if rows is not None:
        held = fluid.global_scope().var(name).get_selected_rows()
        held.set_rows(rows)
        held.set_height(5)
        held.get_tensor().set(np.array(values, "float32"), CPU)
        held.sync_index()
    return var


@calls.program
def merged_rows():
    block = fluid.default_main_program().global_block()
    inputs = {"X": sparse("g", [1, 1], [[3, 3], [3, 3]])}
    block.append_op(type="merge_selected_rows", inputs=inputs, outputs={"Out": sparse("h")})
    fluid.Executor(CPU).run()
    selected = fluid.global_scope().find_var("h").get_selected_rows()
    return list(selected.rows()), np.array(selected.get_tensor()), selected.height()


def looked_up(ids):
    block = fluid.default_main_program().global_block()
    table = sparse("w", [4, 1, 2], np.arange(6).reshape(3, 2))
    out = block.create_var(name="out", dtype="float32", shape=[-1, 2])
    inputs = {"W": table, "Ids": L.data("ids", [1], dtype="int64")}
    block.append_op(type="lookup_table", inputs=inputs, outputs={"Out": out}, attrs={"is_sparse": True})
    return fluid.Executor(CPU).run(feed={"ids": np.array(ids)}, fetch_list=[out])


calls.program(looked_up, ids=[[1], [4]])
calls.program(looked_up, ids=[[0], [4]])


# -- places of one machine ----------------------------------------------------------------------------------------

BATCH = {"x": np.arange(16).reshape(4, 4).astype("float32") / 16, "y": np.arange(4).reshape(4, 1).astype("float32")}


def train_on_places(build, feed=None, loss_name=None):
    x, y = L.data("x", [4]), L.data("y", [1])
    weight = fluid.ParamAttr("w", initializer=fluid.initializer.Constant(0.1))
    loss = L.mean(L.square_error_cost(L.fc(x, 1, param_attr=weight, bias_attr=False), y))
    BUILDS[build](loss)
    program = fluid.CompiledProgram(fluid.default_main_program())
    program.with_data_parallel(loss_name or loss.name, places=fluid.cpu_places(2))
    losses = executor().run(program, feed=dict(BATCH, **FEEDS[feed]), fetch_list=[loss])
    return losses, held("w")


def by_itself(change):
    def build(loss):
        pairs = [(var, change(grad)) for var, grad in fluid.backward.append_backward(loss)]
        fluid.optimizer.SGD(0.1).apply_gradients(pairs)

    return build


def by_gradients(loss):
    weight = fluid.default_main_program().global_block().var("w")
    (gradient,) = fluid.gradients(loss, weight)
    fluid.optimizer.SGD(0.1).apply_gradients([(weight, gradient)])


def by_a_fed_rate(loss):
    fluid.optimizer.SGD(L.data("rate", [1], append_batch_size=False)).minimize(loss)


def by_a_persistable_rate(loss):
    rate = L.create_global_var([1], 0.2, "float32", persistable=True, name="rate")
    fluid.optimizer.SGD(rate).minimize(loss)


def by_a_clip_of_the_program(loss):
    fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(0.01))
    fluid.optimizer.SGD(0.1).minimize(loss)


BUILDS = {
    "plain": lambda loss: fluid.optimizer.SGD(0.1).minimize(loss),
    "clip": by_a_clip_of_the_program,
    "squared": by_itself(L.square),
    "gradients": by_gradients,
    "fed rate": by_a_fed_rate,
    "persistable rate": by_a_persistable_rate,
}
FEEDS = {
    None: {},
    "one rate": {"rate": np.array([0.1], "float32")},
    "two rates": {"rate": np.array([0.1, 0.1], "float32")},
}
for build in ("plain", "clip", "squared", "gradients"):
    calls.program(train_on_places, build=build)
calls.program(train_on_places, build="fed rate", feed="one rate")
calls.program(train_on_places, build="fed rate", feed="two rates")
calls.program(train_on_places, build="persistable rate", feed="one rate")
calls.program(train_on_places, build="plain", loss_name="other")


def test_on_places(rows, places, as_list=False):
    y = L.scale(L.data("x", [2]), 2.0)
    program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(places=fluid.cpu_places(places))
    feed = [{"x": ones(1, 2)}] * rows if as_list else {"x": ones(rows, 2)}
    return executor().run(program, feed=feed, fetch_list=[y])


for rows, places in ((1, 2), (3, 4), (4, 2)):
    calls.program(test_on_places, rows=rows, places=places)
calls.program(test_on_places, rows=1, places=2, as_list=True)
calls.program(test_on_places, rows=3, places=2, as_list=True)


@calls.program
def places_without_cpu_num():
    os.environ.pop("CPU_NUM", None)
    return len(fluid.cpu_places()), os.environ["CPU_NUM"]


# -- loaders ------------------------------------------------------------------------------------------------------


def loader(count):
    made = fluid.io.DataLoader.from_generator(feed_list=[L.data("x", [2])], capacity=2)
    made.set_batch_generator(lambda: iter([ones(1, 2)] * count), places=CPU)
    return made


@calls.program
def a_loader_that_is_called():
    made = loader(2)
    return made() is made, len(list(made()())), len(list(made))


@calls.program
def a_reader_that_gives_nothing():
    return len(list(loader(0)()))


@calls.program
def a_batch_without_samples():
    found = fluid.DataFeeder([L.data("x", [2])], CPU).feed([])["x"]
    return found.shape(), found.lod()


@calls.program
def texts_of_variables():
    x = fluid.data("x", [None, 4], lod_level=1)
    return str(x), x.to_string(True, True), str(L.create_parameter([2, 3], "float32", name="w"))
