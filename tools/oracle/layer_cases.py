"""Functions of fluid.layers that are made of several operators, in plain Fluid code: values and gradients."""

import numpy as np

import paddle.fluid as fluid
from paddle.fluid import layers

LAYERS = {}


def layer(name, build, **inputs):
    """Register a function of variables; float inputs get gradients of the sum of the result."""
    LAYERS[name] = (build, inputs)


def rand(seed, *shape, low=0.1, high=0.9):
    return np.round(np.random.RandomState(seed).uniform(low, high, shape), 3).astype("float32")


labels = np.array([[1], [0], [2]], "int64")
layer("dice_loss", lambda x, label: layers.dice_loss(x, label), x=rand(0, 3, 3), label=labels)
layer(
    "npair_loss",
    lambda anchor, positive, label: layers.npair_loss(anchor, positive, label, l2_reg=0.01),
    anchor=rand(1, 3, 4),
    positive=rand(2, 3, 4),
    label=np.array([1.0, 0.0, 1.0], "float32"),
)
layer("mse_loss", lambda x, y: layers.mse_loss(x, y), x=rand(3, 3, 2), y=rand(4, 3, 2))
layer("square_error_cost", lambda x, y: layers.square_error_cost(x, y), x=rand(3, 3, 2), y=rand(4, 3, 2))
layer("l2_normalize", lambda x: layers.l2_normalize(x, axis=1, epsilon=1e-6), x=rand(5, 2, 3))
layer("glu", lambda x: fluid.nets.glu(x, dim=1), x=rand(6, 2, 4))
layer(
    "scaled_dot_product_attention",
    lambda q, k, v: fluid.nets.scaled_dot_product_attention(q, k, v, num_heads=1),
    q=rand(7, 2, 3, 4),
    k=rand(8, 2, 3, 4),
    v=rand(9, 2, 3, 4),
)
layer("smooth_l1", lambda x, y: layers.smooth_l1(x, y, sigma=0.5), x=rand(10, 3, 2), y=rand(11, 3, 2))
layer("kldiv", lambda x, y: layers.kldiv_loss(x, y, "mean"), x=rand(12, 3, 2), y=rand(13, 3, 2))
layer("clip_by_norm", lambda x: layers.clip_by_norm(x, 0.5), x=rand(14, 3, 2))
layer("image_resize", lambda x: layers.image_resize(x, scale=2), x=rand(15, 1, 1, 2, 2))
layer("resize_nearest", lambda x: layers.resize_nearest(x, out_shape=[3, 3]), x=rand(16, 1, 1, 2, 2))
layer("image_resize_short", lambda x: layers.image_resize_short(x, 4), x=rand(17, 1, 1, 2, 3))
layer("fsp_matrix", lambda x, y: layers.fsp_matrix(x, y), x=rand(18, 1, 2, 2, 2), y=rand(19, 1, 3, 2, 2))
layer("pow_of_variable", lambda x: layers.pow(x, factor=2.5), x=rand(20, 2, 3))
layer("reduce_many", lambda x: layers.reduce_sum(layers.reduce_prod(x, dim=[0], keep_dim=True)), x=rand(21, 2, 3))
# 1.8.5 loses the gradient of y in sums([x, y, x]): no fixture for that
layer("sums", lambda x, y: layers.sums([x, y]), x=rand(22, 2, 3), y=rand(23, 2, 3))
layer("expand_as", lambda x, y: layers.expand_as(x, y) * y, x=rand(24, 1, 3), y=rand(25, 2, 3))
layer("diag", lambda x: layers.diag(x), x=rand(28, 3))
layer("linspace", lambda x: x * layers.linspace(0, 1, 3, "float32"), x=rand(29, 3))
layer("log_loss", lambda x, y: layers.log_loss(x, y), x=rand(30, 3, 1), y=np.array([[1], [0], [1]], "float32"))


def run(name):
    """{"out": array, "grads": {input: array}, "ops": the types of the operators that the function appended}."""
    build, inputs = LAYERS[name]
    main, startup = fluid.Program(), fluid.Program()
    with fluid.unique_name.guard(), fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        variables = {key: layers.data(key, value.shape, False, str(value.dtype)) for key, value in inputs.items()}
        floating = [key for key, value in inputs.items() if value.dtype == np.float32]
        for key in floating:
            variables[key].stop_gradient = False
        out = build(**variables)
        ops = [op.type for op in main.global_block().ops]
        grads = dict(zip(floating, fluid.gradients([out], [variables[key] for key in floating])))
        grads = {key: grad for key, grad in grads.items() if grad is not None}
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        fetched = executor.run(main, inputs, [out] + list(grads.values()))
        return {"out": fetched[0], "grads": dict(zip(grads, fetched[1:])), "ops": ops}
