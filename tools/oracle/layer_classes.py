"""Layer classes of fluid.dygraph: how each is made and called, for 1.8.5 and for the tests."""

import numpy as np

import paddle.fluid as fluid

D = fluid.dygraph


def fixed(shape, seed):
    """Numbers between 0.1 and 0.9 that any machine computes alike."""
    size = int(np.prod(shape))
    return (0.5 + 0.4 * np.sin(np.arange(size) * 1.7 + seed)).reshape(shape).astype("float32")


def ints(*values):
    return np.array(values, dtype="int64")


GIVEN = (
    fluid.ParamAttr
)  # 1.8.5: without it GroupNorm and NCE have no such parameter; Conv3DTranspose does not add its bias

# name: (how the layer is made, shapes or arrays of its inputs)
CLASSES = {
    "conv2d": (lambda: D.Conv2D(2, 3, 3, padding=1, act="relu"), [(1, 2, 4, 4)]),
    "conv2d_groups": (lambda: D.Conv2D(4, 4, 3, stride=2, groups=2, bias_attr=False), [(1, 4, 5, 5)]),
    "conv3d": (lambda: D.Conv3D(2, 2, 2, stride=[1, 2, 1], padding=1), [(1, 2, 3, 3, 3)]),
    "conv2d_transpose": (lambda: D.Conv2DTranspose(2, 3, 3, stride=2), [(1, 2, 3, 3)]),
    "conv2d_transpose_size": (lambda: D.Conv2DTranspose(2, 3, 3, output_size=8, stride=2, act="tanh"), [(1, 2, 3, 3)]),
    "conv2d_transpose_depthwise": (
        lambda: D.Conv2DTranspose(2, 2, 3, groups=2, padding=1, use_cudnn=False),
        [(1, 2, 3, 3)],
    ),
    "conv3d_transpose": (lambda: D.Conv3DTranspose(2, 2, 2, padding=1, stride=2, bias_attr=GIVEN()), [(1, 2, 2, 3, 2)]),
    "pool2d": (lambda: D.Pool2D(2, "avg", 2, 1, exclusive=False), [(1, 2, 4, 4)]),
    "linear": (lambda: D.Linear(4, 3, act="sigmoid"), [(2, 3, 4)]),
    "batch_norm": (lambda: D.BatchNorm(3), [(2, 3, 2, 2)]),
    "layer_norm": (lambda: D.LayerNorm([3, 4]), [(2, 3, 4)]),
    "instance_norm": (lambda: D.InstanceNorm(3), [(2, 3, 2, 2)]),
    "group_norm": (lambda: D.GroupNorm(4, 2), [(2, 4, 3, 2)]),
    "group_norm_affine": (lambda: D.GroupNorm(4, 2, param_attr=GIVEN(), bias_attr=GIVEN()), [(2, 4, 3, 2)]),
    "spectral_norm": (lambda: D.SpectralNorm([3, 2, 2], dim=1, power_iters=2), [(3, 2, 2)]),
    "prelu_all": (lambda: D.PRelu("all"), [(2, 3, 2, 2)]),
    "prelu_channel": (lambda: D.PRelu("channel", channel=3), [(2, 3, 2, 2)]),
    "prelu_element": (lambda: D.PRelu("element", input_shape=[2, 3, 2, 2]), [(2, 3, 2, 2)]),
    "gru_unit": (lambda: D.GRUUnit(9, activation="relu"), [(2, 9), (2, 3)]),
    "gru_unit_without_bias": (lambda: D.GRUUnit(6, bias_attr=False), [(3, 6), (3, 2)]),
    "bilinear_tensor_product": (lambda: D.BilinearTensorProduct(3, 2, 4, act="tanh"), [(2, 3), (2, 2)]),
    # All nodes are in their tree: 1.8.5 leaves the rows of others as it finds them in memory.
    "tree_conv": (
        lambda: D.TreeConv(2, 3, 2, max_depth=3),
        [(2, 4, 2), np.array([[[1, 2], [1, 3], [3, 4]], [[1, 2], [1, 3], [1, 4]]], dtype="int32")],
    ),
    "tree_conv_chain": (lambda: D.TreeConv(2, 2), [(1, 3, 2), np.array([[[1, 2], [2, 3]]], dtype="int32")]),
    "embedding": (lambda: D.Embedding([5, 3], padding_idx=-1), [ints([1, 4], [0, 1])]),
    "l1_loss": (lambda: D.L1Loss(), [(3, 4), (3, 4)]),
    "mse_loss": (lambda: D.MSELoss("sum"), [(3, 4), (3, 4)]),
    "bce_loss": (lambda: D.BCELoss(reduction="none"), [(3, 4), (3, 4)]),
    "nll_loss": (lambda: D.NLLLoss(), [(2, 3), ints(1, 2)]),
    "nll_loss_of_pixels": (lambda: D.NLLLoss(reduction="none"), [(1, 3, 2, 2), ints([[1, 2], [0, 1]])]),
    "nll_loss_of_volumes": (lambda: D.NLLLoss(), [(1, 3, 1, 2, 2), ints([[[1, 2], [0, 1]]])]),
}

# Their output is random, so that names alone are compared.
RANDOM = {
    "nce": lambda: D.NCE(10, 4, num_neg_samples=3),
    "nce_bias": lambda: D.NCE(10, 4, bias_attr=GIVEN()),
    "nce_custom": lambda: D.NCE(4, 3, sampler="custom_dist", custom_dist=[0.1, 0.2, 0.3, 0.4]),
    "dropout": lambda: D.Dropout(0.5),
}


def state(layer):
    """What the layer keeps: key, name, shape, stop_gradient of each entry."""
    return [[key, v.name, list(v.shape), v.stop_gradient] for key, v in layer.state_dict().items()]


def run(name):
    """The names, results and gradients of one layer whose parameters are fixed."""
    with D.guard(), fluid.unique_name.guard():
        if name in RANDOM:
            layer = RANDOM[name]()
            return {"full_name": layer.full_name(), "state": state(layer)}
        make, inputs = CLASSES[name]
        layer = make()
        for i, value in enumerate(layer.state_dict().values()):
            value.set_value(fixed(value.shape, i))
        variables = []
        for i, sizes in enumerate(inputs):
            var = D.to_variable(fixed(sizes, 10 + i) if isinstance(sizes, tuple) else sizes)
            var.stop_gradient = not isinstance(sizes, tuple)
            variables.append(var)
        if name.endswith("_loss"):
            variables[-1].stop_gradient = True
        outs = layer(*variables)
        out = outs[0] if isinstance(outs, (list, tuple)) else outs
        loss = fluid.layers.reduce_sum(out * D.to_variable(fixed(out.shape, 20)))
        loss.backward()
        grads = {"input_%d" % i: v.gradient() for i, v in enumerate(variables) if not v.stop_gradient}
        grads.update({key: v.gradient() for key, v in layer.state_dict().items() if not v.stop_gradient})
        return {"full_name": layer.full_name(), "state": state(layer), "out": out.numpy(), "grads": grads}
