"""Layer classes of fluid.dygraph: ordinary, unusual and wrong calls."""

from calls.table import Table, floats, given, ints

calls = Table()
W = "param_attr=fluid.initializer.Constant(0.5)"
ROWS, IMAGES, VOLUMES, IDS = floats(2, 4), floats(2, 3, 6, 6), floats(1, 2, 4, 4, 4), ints(2, 3)


MORE = "Refluid computes more than 1.8.5: "
NOTHING = "what it makes has no elements; Refluid refuses it where it is made"
UNDEFINED = "1.8.5 answers with undefined memory"
DIFFERS = {
    "D.Linear(0, 3, W)": NOTHING,
    "D.Linear(4, 3, param_attr=False)": "no call of it works in 1.8.5; Refluid refuses it where it is made",
    "D.Embedding([5, 0], W)(x)": NOTHING,
    "D.Conv2DTranspose(3, 4, 0, W)(x)": NOTHING,
    "D.Conv3DTranspose(2, 4, 0, W)(x)": NOTHING,
    "D.Conv3DTranspose(2, 4, 3, stride=-1, W)(x)": NOTHING,
    "D.Pool2D(0)(x)": "the maximum of nothing, -3.4e38; Refluid refuses a window of no elements",
    "D.Conv2D(3, 4, 3, use_cudnn=3, W)(x)": MORE + "use_cudnn is not looked at",
    "D.Conv3DTranspose(2, 4, 3, use_cudnn=3, W)(x)": MORE + "use_cudnn is not looked at",
    "D.Pool2D(2, use_cudnn=1)(x)": MORE + "use_cudnn is not looked at",
    "D.Pool2D(2.0)(x)": MORE + "a whole number may be a float",
    "D.LayerNorm('4')(x)": MORE + "a number may be a text",
    "D.BilinearTensorProduct('4', 3, 2, W)(x, y)": MORE + "a number may be a text",
    "D.BatchNorm(3, use_global_stats=True)(x)": MORE + "1.8.5 stumbles over an attribute of its own",
    "D.LayerNorm(4, bias_attr=False)(x)": MORE + "it has no shift",
    "D.SpectralNorm([4, 3], power_iters=-1)(x).shape": MORE + "no iteration",
    "D.Embedding([5, 3], is_sparse='yes', W)(x)": MORE + "anything that is true is True",
    "D.GroupNorm(4, 2, data_layout='NHWC')(x)": "Refluid computes more than 1.8.5: channels on the last axis",
    "D.PRelu('all', dtype='float64')(x)": "1.8.5 casts a weight of another dtype here alone",
    "D.NCE(10, 5, W)(x, y).shape": UNDEFINED,
}  # fmt: skip
for _kind in ("Conv2D(3", "Conv3D(2", "Conv2DTranspose(3", "Conv3DTranspose(2"):
    DIFFERS["D.%s, 4, 3, dilation=0, W)(x)" % _kind] = (
        "1.8.5 lays all taps on one cell; Refluid refuses a dilation of 0"
    )
    for _padding in ("'SAME'", "'VALID'", "[1, 1] * %s" % ("2" if "2D" in _kind else "3")):
        DIFFERS["D.%s, 4, 3, padding=%s, W)(x)" % (_kind, _padding)] = MORE + "paddings are those of fluid.layers"
for _kind in ("BatchNorm(3", "LayerNorm(4", "InstanceNorm(3"):
    for _epsilon in ("0.1", "-1.0"):
        DIFFERS["D.%s, epsilon=%s)(x)" % (_kind, _epsilon)] = MORE + "any epsilon"


def imperative(texts, differs=None, **inputs):
    for text in texts.strip().splitlines():
        told = text.strip()
        calls.imperative(
            told.replace("W,", W + ",").replace("W)", W + ")"), differs=differs or DIFFERS.get(told), **inputs
        )


# -- Linear
imperative(
    """
    D.Linear(4, 3, W)(x)
    D.Linear(4, 3, W, bias_attr=False)(x)
    D.Linear(4, 3, W, act='relu')(x)
    D.Linear(4, 3, W, act='nothing')(x)
    D.Linear(4, 3, W, act=3)(x)
    D.Linear(4, 3, W, dtype='float64')(x)
    D.Linear(5, 3, W)(x)
    D.Linear(4, 0, W)(x)
    D.Linear(4, -1, W)(x)
    D.Linear(0, 3, W)
    D.Linear(4.0, 3, W)
    D.Linear('4', 3, W)
    D.Linear(4, None, W)
    D.Linear(4)
    D.Linear()
    D.Linear(4, 3, W, nothing=1)
    D.Linear(4, 3, param_attr=False)
    D.Linear(4, 3, param_attr='own').weight.name
    D.Linear(4, 3, param_attr=3)
    D.Linear(4, 3, bias_attr='own').bias.name
    D.Linear(4, 3, bias_attr=True).bias.name
    D.Linear(4, 3, dtype='int64')
    D.Linear(4, 3, dtype='nothing')
    D.Linear(4, 3, W)(x, x)
    D.Linear(4, 3, W)()
    D.Linear(4, 3, W)(input=x)
    D.Linear(4, 3, W)(x.numpy())
    D.Linear(4, 3, W)([x])
    D.Linear(4, 3, W)(None)
    D.Linear(4, 3, W)(3)
    D.Linear(np.int64(4), np.int64(3), W)(x)
    """,
    x=ROWS,
)
imperative("D.Linear(4, 3, W)(x)", x=ints(2, 4))
imperative("D.Linear(4, 3, W)(x)", x=floats(2, 4, of="float64"))
imperative("D.Linear(4, 3, W)(x)", x=floats(4))
imperative("D.Linear(4, 3, W)(x)", x=floats(2, 3, 4))
imperative("D.Linear(4, 3, W, bias_attr=False)(x)", x=floats(2, 3, 4))
imperative("D.Linear(4, 3, W)(x)", MORE + "an empty batch", x=floats(0, 4))
calls.imperative("D.Linear(4, 3, %s)(x)" % W, x=ROWS, grads=True)

# -- Conv2D, Conv3D and their transposes
for kind, x, channels in (
    ("Conv2D", IMAGES, 3), ("Conv3D", VOLUMES, 2), ("Conv2DTranspose", IMAGES, 3), ("Conv3DTranspose", VOLUMES, 2),
):  # fmt: skip
    for arguments in (
        "C, 4, 3, W", "C, 4, 3, stride=2, W", "C, 4, 3, padding=1, W", "C, 4, [3] * R, W", "C, 4, (1,) * R, W",
        "C, 4, 3, dilation=2, W", "C, C, 3, groups=C, W", "C, 4, 3, groups=5, W", "C, 4, 3, groups=0, W",
        "C, 4, 3, act='relu', W", "C, 4, 3, bias_attr=False, W", "C, 4, 3, use_cudnn=False, W",
        "C, 4, 3, use_cudnn=3, W", "C, 4, 3, padding='SAME', W", "C, 4, 3, padding='VALID', W",
        "C, 4, 3, padding='nothing', W", "C, 4, 3, padding=[1] * R, W", "C, 4, 3, padding=[1, 1] * R, W",
        "C, 4, 3, stride=0, W", "C, 4, 3, stride=-1, W", "C, 4, 0, W", "C, 4, -1, W", "C, 4, 9, W", "C, 0, 3, W",
        "C + 1, 4, 3, W", "C, 4, '3', W", "C, 4.0, 3, W", "C, 4, 3.0, W", "C, 4, [3], W", "C, 4, None, W", "C, 4", "",
        "C, 4, 3, param_attr=False", "C, 4, 3, dtype='float64', W", "num_channels=C, num_filters=4, filter_size=3, W",
        "C, 4, 3, stride=[1, 2, 1][:R], W", "C, 4, 3, stride='2', W", "C, 4, 3, dilation=0, W", "C, 4, 3, nothing=1, W",
    ):  # fmt: skip
        told = arguments.replace("C", str(channels)).replace("R", "2" if "2D" in kind else "3")
        imperative("D.%s(%s)(x)" % (kind, told), x=x)
    imperative("D.%s(%d, 4, 3, W)(x)" % (kind, channels), x=floats(2, 4))
    imperative("D.%s(%d, 4, 3, W)(x)" % (kind, channels), x=ints(*x.shape))
    imperative("D.%s(%d, 4, 3, W)(x.numpy())" % (kind, channels), x=x)
    calls.imperative("D.%s(%d, 4, 3, %s)(x)" % (kind, channels, W), x=x, grads=True)
imperative(
    """
    D.Conv2DTranspose(3, 4, 3, output_size=[8, 8], W)(x)
    D.Conv2DTranspose(3, 4, 3, output_size=8, W)(x)
    D.Conv2DTranspose(3, 4, 3, stride=2, output_size=[14, 14], W)(x)
    D.Conv2DTranspose(3, 4, 3, output_size=[20, 20], W)(x)
    D.Conv2DTranspose(3, 4, 3, output_size='8', W)(x)
    """,
    x=IMAGES,
)

# -- Pool2D
for arguments in (
    "2", "2, 'max', 2", "2, 'avg', 2", "2, 'sum', 2", "[2, 3], 'max', [1, 2]", "2, pool_padding=1, pool_stride=2",
    "3, 'avg', 2, 1, exclusive=False", "3, 'avg', 2, 1", "2, global_pooling=True", "global_pooling=True",
    "pool_type='avg', global_pooling=True", "", "-1", "0", "'2'", "2, ceil_mode=True, pool_stride=4", "2, ceil_mode=1",
    "2, use_cudnn=1", "2, exclusive=1", "7", "2, pool_stride=0", "2, pool_padding=2", "2.0", "None", "2, nothing=1",
    "pool_size=2, pool_stride=2", "[2]", "2, pool_padding='SAME'",
):  # fmt: skip
    imperative("D.Pool2D(%s)(x)" % arguments, x=IMAGES)
imperative("D.Pool2D(2)(x)", x=ROWS)
imperative("D.Pool2D(2)(x)", x=ints(1, 1, 4, 4))
imperative("D.Pool2D(2)(x.numpy())", x=IMAGES)

# -- normalisation
for arguments in (
    "3", "3, act='relu'", "3, is_test=True", "3, momentum=0.5", "3, epsilon=0.1", "3, epsilon=-1.0",
    "3, W", "3, param_attr=False", "3, bias_attr=False", "3, param_attr=False, bias_attr=False", "3, dtype='float64'",
    "3, data_layout='NHWC'", "3, data_layout='nothing'", "3, use_global_stats=True", "3, trainable_statistics=True",
    "3, moving_mean_name='m', moving_variance_name='v'", "3, do_model_average_for_mean_and_var=False", "4", "0", "-1",
    "'3'", "3.0", "None", "", "3, in_place=True", "num_channels=3", "3, nothing=1",
):  # fmt: skip
    imperative("D.BatchNorm(%s)(x)" % arguments, x=IMAGES)
imperative("D.BatchNorm(4)(x)", x=ROWS)
imperative("D.BatchNorm(4)(x)", x=floats(2, 4, 3))
imperative("D.BatchNorm(4)(x)", x=floats(4))
imperative("D.BatchNorm(4)(x)", x=ints(2, 4))
imperative("D.BatchNorm(4)(x)", x=floats(2, 4, of="float64"))
imperative("D.BatchNorm(4)(x.numpy())", x=ROWS)
calls.imperative("D.BatchNorm(4)(x)", x=ROWS, grads=True)
for arguments in (
    "4", "[4]", "(4,)", "[2, 4]", "3", "4, scale=False", "4, shift=False", "4, scale=False, shift=False",
    "4, epsilon=0.1", "4, epsilon=-1.0", "4, act='relu'", "4, W", "4, param_attr=False", "4, bias_attr=False", "'4'",
    "4.0", "None", "", "[]", "0", "4, dtype='float64'", "4, nothing=1", "normalized_shape=4",
):  # fmt: skip
    imperative("D.LayerNorm(%s)(x)" % arguments, x=ROWS)
imperative("D.LayerNorm([3, 6, 6])(x)\nD.LayerNorm(6)(x)", x=IMAGES)
imperative("D.LayerNorm(4)(x)", x=floats(4))
imperative("D.LayerNorm(4)(x.numpy())", x=ROWS)
imperative("D.LayerNorm(4)(x)", x=ints(2, 4))
calls.imperative("D.LayerNorm(4)(x)", x=ROWS, grads=True)
for arguments in (
    "3", "3, epsilon=0.1", "3, W", "3, param_attr=False", "3, bias_attr=False", "3, param_attr=False, bias_attr=False",
    "4", "0", "'3'", "", "3, dtype='float64'", "3, nothing=1",
):  # fmt: skip
    imperative("D.InstanceNorm(%s)(x)" % arguments, x=IMAGES)
imperative("D.InstanceNorm(4)(x)", "a mean of one element is rounded: up to 1e-5 here, 0 there", x=ROWS)
imperative("D.InstanceNorm(4)(x)", x=floats(2, 4, 3))
imperative("D.InstanceNorm(3)(x.numpy())", x=IMAGES)
for arguments in (
    "4, 2", "4, 1", "4, 4", "4, 3", "4, 0", "4, 2, epsilon=0.1", "4, 2, act='relu'", "4, 2, W",
    "4, 2, param_attr=False", "4, 2, bias_attr=False", "4, 2, data_layout='NHWC'", "4, 2, data_layout='nothing'",
    "5, 2", "", "'4', 2", "4, '2'", "4, 2, nothing=1", "channels=4, groups=2", "4, -1", "4, 8",
):  # fmt: skip
    imperative("D.GroupNorm(%s)(x)" % arguments, x=floats(2, 4, 3, 3))
imperative("D.GroupNorm(4, 2)(x)", "1.8.5 reads a third axis that is not there", x=ROWS)
for arguments in (
    "[4, 3]", "[4, 3], dim=1", "[4, 3], power_iters=2", "[4, 3], eps=0.1", "[4, 3], dim=2", "[4, 3], dim=-1", "(4, 3)",
    "[4]", "4", "[3, 4]", "[4, 3], power_iters=0", "[4, 3], power_iters=-1", "", "[4, 3], dtype='float64'",
):  # fmt: skip
    imperative("D.SpectralNorm(%s)(x).shape" % arguments, x=floats(4, 3))

# -- Embedding
for arguments in (
    "[5, 3], W", "(5, 3), W", "[5, 3], is_sparse=True, W", "[5, 3], padding_idx=1, W", "[5, 3], padding_idx=-1, W",
    "[5, 3], padding_idx=5, W", "[5, 3], padding_idx=-6, W", "[5, 3], is_distributed=True, W", "[2, 3], W", "[5], W",
    "[5, 3, 2], W", "5, W", "[5.0, 3], W", "[5, 0], W", "[0, 3], W", "'5', W", "None, W", "", "size=[5, 3], W",
    "[5, 3], dtype='float64', W", "[5, 3], dtype='int64', W", "[5, 3], param_attr=False", "[5, 3], nothing=1",
    "[5, 3], padding_idx='1', W", "[5, 3], is_sparse='yes', W",
):  # fmt: skip
    imperative("D.Embedding(%s)(x)" % arguments, x=IDS)
imperative("D.Embedding([5, 3], W)(x)", x=ints(2, 1))
imperative("D.Embedding([5, 3], W)(x)", x=ints(4))
imperative("D.Embedding([5, 3], W)(x)", MORE + "ids of int32", x=ints(2, 3, of="int32"))
imperative("D.Embedding([5, 3], W)(x)", x=floats(2, 3))
imperative("D.Embedding([5, 3], W)(x.numpy())", x=IDS)
imperative("D.Embedding([5, 3], W)(x)", x=given([[-1]], dtype="int64"))
imperative("D.Embedding([5, 3], W)(x)", x=ints(0, 3))

# -- PRelu, Dropout, BilinearTensorProduct
for arguments in (
    "'all'", "'channel', channel=3", "'element', input_shape=[2, 3, 6, 6]", "'element', input_shape=[1, 3, 6, 6]",
    "'channel'", "'element'", "'nothing'", "3", "", "'channel', channel=4", "'element', input_shape=[3, 6, 6]",
    "'all', W", "mode='all', W", "'channel', channel='3'", "'all', nothing=1", "'all', dtype='float64'",
):  # fmt: skip
    imperative("D.PRelu(%s)(x)" % arguments, x=IMAGES)
imperative("D.PRelu('all', W)(x)\nD.PRelu('channel', channel=4, W)(x)", x=ROWS)
for arguments in (
    "0.0", "1.0", "p=0.0", "0.0, is_test=True", "1.5", "-0.5", "'0.5'", "0", "1", "0.0, seed=3",
    "0.0, dropout_implementation='upscale_in_train'", "0.0, dropout_implementation='nothing'", "0.0, nothing=1", "None",
):  # fmt: skip
    imperative("D.Dropout(%s)(x)" % arguments, x=ROWS)
imperative("D.Dropout()(x).shape\nD.Dropout(0.5, is_test=True)(x).shape\nD.Dropout(0.0)(x.numpy())", x=ROWS)
imperative("D.Dropout(0.0)(x)", x=ints(2, 4))
for arguments in (
    "4, 3, 2, W", "4, 3, 2, act='relu', W", "4, 3, 2, bias_attr=False, W", "4, 3, 2, name='own', W", "3, 4, 2, W",
    "4, 3, 0, W", "4, 3, -1, W", "'4', 3, 2, W", "4, 3", "", "input1_dim=4, input2_dim=3, output_dim=2, W",
    "4, 3, 2, dtype='float64', W", "4, 3, 2, nothing=1", "4, 3, 2.0, W",
):  # fmt: skip
    imperative("D.BilinearTensorProduct(%s)(x, y)" % arguments, x=ROWS, y=floats(2, 3, seed=1))
imperative("D.BilinearTensorProduct(4, 3, 2, W)(x, y)", x=ROWS, y=floats(3, 3))
imperative("D.BilinearTensorProduct(4, 3, 2, W)(x)", x=ROWS)
imperative("D.BilinearTensorProduct(4, 3, 2, W)(x.numpy(), y)", x=ROWS, y=floats(2, 3))
imperative("D.BilinearTensorProduct(4, 3, 2, W)(x, y)", x=floats(2, 1, 4), y=floats(2, 3))

# -- GRUUnit
for arguments in (
    "12, W", "12, activation='relu', W", "12, gate_activation='tanh', W", "12, activation='nothing', W",
    "12, origin_mode=True, W", "12, bias_attr=False, W", "10, W", "0, W", "'12', W", "", "12, dtype='float64', W",
    "size=12, W", "12, nothing=1", "9, W",
):  # fmt: skip
    imperative("D.GRUUnit(%s)(x, y)" % arguments, x=floats(2, 12), y=floats(2, 4, seed=1))
imperative("D.GRUUnit(12, W)(x)", x=floats(2, 12))
imperative("D.GRUUnit(12, W)(x, y)", UNDEFINED, x=floats(2, 12), y=floats(3, 4))
imperative("D.GRUUnit(12, W)(x, y)", x=floats(2, 10), y=floats(2, 4))

# -- losses
for name in ("L1Loss", "MSELoss"):
    for arguments in ("", "'mean'", "'sum'", "'none'", "'nothing'", "None", "3", "reduction='sum'", "nothing=1"):
        imperative("D.%s(%s)(x, y)" % (name, arguments), x=floats(2, 3), y=floats(2, 3, seed=1))
    imperative("D.%s()(x, y)" % name, x=floats(2, 3), y=floats(3))
    imperative("D.%s()(x, y)" % name, x=floats(2, 3), y=floats(2))
    imperative("D.%s()(x, y)" % name, x=ints(2, 3), y=ints(2, 3))
    imperative("D.%s()(x)" % name, x=floats(2, 3))
    imperative("D.%s()(x.numpy(), y)" % name, x=floats(2, 3), y=floats(2, 3))
P = given([[0.2, 0.7], [0.9, 0.4]], dtype="float32")
P.value = P.value.astype("float32")
Y = given([[0, 1], [1, 0]], dtype="float32")
Y.value = Y.value.astype("float32")
for arguments in (
    "", "reduction='sum'", "reduction='none'", "reduction='nothing'", "weight=w", "weight=w, reduction='none'", "3",
):  # fmt: skip
    imperative("D.BCELoss(%s)(x, y)" % arguments, x=P, y=Y, w=given([[2, 1], [1, 3]], dtype="float32"))
imperative("D.BCELoss(weight=w)(x, y)", x=P, y=Y, w=floats(2))
imperative("D.BCELoss(weight=w.numpy())(x, y)", x=P, y=Y, w=floats(2, 2))
imperative("D.BCELoss()(x, y)", x=P, y=floats(2))
imperative("D.BCELoss()(x, y)", x=floats(2, 2), y=Y)
imperative("D.BCELoss()(x, y)", x=P, y=ints(2, 2, below=2))
imperative("D.BCELoss()(x.numpy(), y)", x=P, y=Y)
for arguments in (
    "", "reduction='sum'", "reduction='none'", "reduction='nothing'", "weight=w", "weight=w, reduction='sum'",
    "ignore_index=1", "ignore_index=1, reduction='none'", "3",
):  # fmt: skip
    imperative("D.NLLLoss(%s)(x, y)" % arguments, x=floats(3, 4), y=ints(3, below=4), w=floats(4, seed=2))
imperative("D.NLLLoss()(x, y)", x=floats(3, 4), y=ints(3, 1, below=4))
imperative("D.NLLLoss()(x, y)", x=floats(3, 4, 2, 2), y=ints(3, 2, 2, below=4))
imperative("D.NLLLoss()(x, y)", x=floats(3, 4), y=given([0, 9, 1], dtype="int64"))
imperative("D.NLLLoss()(x, y)", x=floats(3, 4), y=floats(3))
imperative("D.NLLLoss()(x, y)", x=floats(4), y=ints(4))
imperative("D.NLLLoss(weight=w)(x, y)", x=floats(3, 4), y=ints(3), w=floats(3))

# -- NCE, TreeConv
for arguments in (
    "10, 4, num_neg_samples=2, seed=1, W", "10, 4, sampler='nothing', W", "10, 4, custom_dist=[0.1] * 10, W", "10, W",
    "10, 5, W", "", "10, 4, sampler='log_uniform', seed=1, W", "10, 4, sampler='custom_dist', W",
    "10, 4, num_neg_samples=0, W", "10, 4, num_neg_samples='2', W",
):  # fmt: skip
    imperative("D.NCE(%s)(x, y).shape" % arguments, x=ROWS, y=ints(2, 1))
EDGES = given([[[1, 2], [1, 3], [0, 0]]], dtype="int32")
EDGES.value = EDGES.value.astype("int32")
for arguments in (
    "4, 3, 1, 2, W", "4, 3, 2, 2, act=None, W", "4, 3, 1, 2, act='relu', W", "5, 3, 1, 2, W", "4, 0, 1, 2, W", "4",
    "4, 3, 1, 2, name='own', W", "",
):  # fmt: skip
    imperative("D.TreeConv(%s)(x, y)" % arguments, x=floats(1, 3, 4), y=EDGES)
