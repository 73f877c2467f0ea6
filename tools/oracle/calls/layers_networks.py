"""Functions of fluid.layers for networks and of one variable, and calls with wrong arguments."""

from call_variants import B, F, I, J, Plain, Variants

from calls.table import Table

calls = Table()
call = Variants(calls, "layers_networks")
L1 = [[2, 1]]  # two sequences
R4 = [[0, 0, 2, 2], [1, 1, 3, 3]]  # regions of an image

call("L.log1p", F(2, 3))
call("L.logsumexp", F(2, 3))
call("L.logsumexp", F(2, 3), dim=-1, keepdim=True)
call("L.clamp", F(2, 3), 0.3, 0.6)
call("L.clamp", F(2, 3), max=0.5)
call("L.addmm", F(2, 3), F(2, 4), F(4, 3), 0.5, 2.0)
call("L.addcmul", F(2, 3), F(2, 3), F(2, 3), 0.5)
call("L.bmm", F(2, 3, 4), F(2, 4, 2))
call("L.nonzero", B(2, 3))
call("L.nonzero", F(2, 3), True)
call("L.index_select", F(4, 3), I(2), 0)
call("L.dist", F(2, 3), F(2, 3), 2)
call("L.dot", F(2, 3), F(2, 3))
call("L.t", F(2, 3))
call("L.cross", F(2, 3), F(2, 3), dim=1)
call("L.interpolate", F(1, 2, 3, 3), out_shape=[4, 4])
call("L.interpolate", F(1, 2, 3, 3), scale=2, resample="NEAREST")
call("L.diag_embed", F(2, 3))
call("L.meshgrid", [F(2, known=True), F(3, known=True)])
call("L.fc", F(2, 3), 4)
call("L.fc", [F(2, 3), F(2, 5)], size=2, act="relu")
call("L.fc", F(2, 3, 4), 2, num_flatten_dims=2)
call("L.embedding", I(3, 1), [5, 4])
call("L.embedding", I(3, 1, lod=[[2, 1]]), size=[5, 4], padding_idx=0)
call("L.embedding", I(2, 3), (5, 4), is_sparse=True)
call("L.linear_chain_crf", F(3, 4, lod=L1), I(3, 1, lod=L1), Plain("P('crfw')"))
call("L.linear_chain_crf", F(2, 3, 4), I(2, 3), Plain("P('crfw')"), I(2, 1, data=[3, 2]))
call("L.cos_sim", F(2, 3), F(2, 3))
call("L.cos_sim", F(2, 3), F(1, 3, known=True))
call("L.chunk_eval", I(3, 1, lod=L1), I(3, 1, lod=L1), "IOB", 2)
call("L.chunk_eval", I(2, 3), I(2, 3), "IOB", 2, seq_length=I(2, data=[3, 2]))
call("L.chunk_eval", I(3, lod=L1), I(3, 1, lod=L1), "IOB", 2)
call("L.conv2d", F(2, 3, 5, 5), 4, 3)
call("L.conv2d", F(2, 4, 5, 5), 4, 3, stride=2, padding=1, groups=2, act="relu")
call("L.conv2d", F(2, 4, 5, 5), 4, 3, padding="SAME")
call("L.conv2d", F(2, 5, 5, 3), 4, 3, data_format="NHWC")
call("L.conv3d", F(2, 3, 4, 4, 4), 4, 2)
call("L.softmax", F(2, 3))
call("L.softmax", F(2, 3, 4), axis=1)
call("L.pool2d", F(2, 3, 4, 4), 2, "max", 2)
call("L.pool2d", F(2, 3, 4, 4), pool_type="avg", global_pooling=True)
call("L.pool2d", F(2, 3, 5, 5), 2, "avg", 2, 1, ceil_mode=True)
call("L.pool3d", F(2, 3, 4, 4, 4), 2, "max", 2)
call("L.adaptive_pool2d", F(2, 3, 4, 4), 2, "avg")
call("L.adaptive_pool2d", F(2, 3, 4, 4), [2, 2], "max", require_index=True)
call("L.adaptive_pool3d", F(2, 3, 4, 4, 4), 2, "avg")
call("L.batch_norm", F(2, 3, 4, 4))
call("L.batch_norm", F(2, 3), act="relu", is_test=True)
call("L.inplace_abn", F(2, 3, 4, 4), act="leaky_relu")
call("L.instance_norm", F(2, 3, 4, 4))
call("L.data_norm", F(2, 3))
call("L.conv2d_transpose", F(2, 3, 4, 4), 2, filter_size=3)
call("L.conv2d_transpose", F(2, 3, 4, 4), 2, output_size=[8, 8], stride=2, padding=1)
call("L.conv3d_transpose", F(2, 3, 3, 3, 3), 2, filter_size=2)
for n in ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"):
    call("L." + n, F(2, 3))
    call("L." + n, F(2, 3, 4), dim=[1, -1], keep_dim=True)
    call("L." + n, F(2, 3), 1)
for n in ("reduce_all", "reduce_any"):
    call("L." + n, B(2, 3))
    call("L." + n, B(2, 3), dim=-1, keep_dim=True)
call("L.dropout", F(2, 3), 0.0)
call("L.dropout", F(2, 3), 0.5, is_test=True)
call("L.dropout", F(2, 3), 0.5, True, dropout_implementation="upscale_in_train")
call("L.split", F(4, 6), 2)
call("L.split", F(4, 6), [2, 4], dim=1)
call("L.split", F(4, 6), [1, -1], -1)
call("L.split", F(4, 6, known=True), 4, dim=0)
call("L.ctc_greedy_decoder", F(3, 4, lod=L1), 0)
call("L.ctc_greedy_decoder", F(2, 3, 4), 0, input_length=I(2, 1, data=[3, 2]))
call("L.l2_normalize", F(2, 3), 1)
call("L.l2_normalize", F(2, 3), -1, 1e-6)
call("L.matmul", F(2, 3), F(3, 4))
call("L.matmul", F(2, 3, 4), F(2, 4, 5), alpha=2.0)
call("L.matmul", F(2, 3, 4), F(4, 5, known=True))
call("L.matmul", F(3, known=True), F(3, known=True))
call("L.matmul", F(2, 3), F(4, 3), transpose_y=True)
call("L.topk", F(2, 3), 2)
call("L.topk", F(2, 3, lod=[[1, 1]]), k=1)
call("L.transpose", F(2, 3, 4), [1, 0, 2])
call("L.im2sequence", F(1, 1, 4, 4), 2, 1)
call("L.im2sequence", F(2, 1, 4, 4), [2, 2], [2, 2], [1, 1])
call("L.row_conv", F(3, 4, lod=L1), 1)
call("L.row_conv", F(2, 3, 4), 1)
call("L.multiplex", [F(2, 3), F(2, 3)], J(2, 1, top=2))
call("L.layer_norm", F(2, 3, 4))
call("L.layer_norm", F(2, 3, 4), begin_norm_axis=2, act="relu")
call("L.layer_norm", F(2, 3), scale=False, shift=False)
call("L.group_norm", F(2, 4, 3, 3), 2)
call("L.spectral_norm", F(2, 3, known=True))
call("L.smooth_l1", F(2, 3), F(2, 3))
call("L.smooth_l1", F(2, 3), F(2, 3), F(2, 3), F(2, 3), sigma=2.0)
call("L.one_hot", I(3, 1), 4)
call("L.one_hot", J(3, 1), depth=4)
call("L.one_hot", I(3, 1, top=9), 4, allow_out_of_range=True)
call("L.one_hot", I(3, 1, lod=L1), 4)
call("L.autoincreased_step_counter")
call("L.autoincreased_step_counter", "n", 3, 2)
call("L.reshape", F(2, 6), [-1, 3])
call("L.reshape", F(2, 6), [0, 3, 2], act="relu")
call("L.reshape", F(2, 6), [4, 3], inplace=True)
call("L.reshape", F(2, 6), J(2, data=[3, 4], known=True))
call("L.reshape", F(2, 6), [-1, J(1, data=[3], known=True)])
call("L.squeeze", F(2, 1, 3), [1])
call("L.squeeze", F(2, 1, 3), [-2])
call("L.squeeze", F(2, 1, 3), [])
call("L.squeeze", F(2, 1, 3, known=True), [0, 1])
call("L.unsqueeze", F(2, 3), [1])
call("L.unsqueeze", F(2, 3), [0, -1])
call("L.unsqueeze", F(2, 3), 1)
call("L.lod_reset", F(3, 2), y=F(3, 1, lod=L1))
call("L.lod_reset", F(3, 2), target_lod=[0, 1, 3])
call("L.lod_append", F(3, 2, lod=[[1, 2]]), [1, 1, 1])
call("L.lrn", F(2, 3, 4, 4))
call("L.pad", F(2, 3), [0, 1, 1, 0], 0.5)
call("L.pad_constant_like", F(3, 4), F(2, 3), 1.0)
call("L.label_smooth", F(2, 3))
call("L.label_smooth", F(2, 3), F(1, 3, known=True), 0.2)
call("L.roi_pool", F(1, 2, 5, 5), F(2, 4, lod=[[2]], data=R4), 2, 2, 1.0)
call("L.roi_align", F(1, 2, 5, 5), F(2, 4, lod=[[2]], data=R4), 2, 2, 1.0, 2)
call("L.dice_loss", F(3, 4), I(3, 1))
call("L.dice_loss", F(2, 3, 4), I(2, 3, 1))
call("L.image_resize", F(1, 2, 3, 3), [4, 5])
call("L.image_resize", F(1, 2, 3, 3), scale=2.0, resample="NEAREST")
call("L.image_resize", F(1, 2, 3, 3), out_shape=J(2, data=[4, 5], known=True))
call("L.image_resize_short", F(1, 2, 3, 4), 6)
call("L.resize_bilinear", F(1, 2, 3, 3), [4, 5])
call("L.resize_bilinear", F(1, 2, 3, 3), scale=2, align_corners=False, align_mode=0)
call("L.resize_trilinear", F(1, 2, 3, 3, 3), [4, 4, 4])
call("L.resize_nearest", F(1, 2, 3, 3), [4, 5], align_corners=False)
call("L.gather", F(4, 3), I(2))
call("L.gather", F(4, 3), J(2, 1))
call("L.gather_nd", F(3, 4), I(2, 2))
call("L.scatter", F(4, 3), I(2, data=[1, 3]), F(2, 3))
call("L.scatter", F(4, 3), I(2, data=[1, 1]), F(2, 3), overwrite=False)
call("L.scatter_nd_add", F(4, 3, known=True), I(2, 1), F(2, 3))
call("L.scatter_nd", I(2, 1), F(2, 3), [4, 3])
for text in ("[2, 2]", "[3, 3]", "[3, 2, 2]", "[4, 4]", "[1.5, 2]", "['x']", "2"):  # what is drawn is not compared
    calls.static("L.random_crop(x, %s).shape" % text, x=F(2, 3, 3).given(0))
call("L.mean_iou", J(2, 3), J(2, 3), 3)
call("L.mean_iou", I(2, 3), I(2, 3), 3)
for n in (
    "relu",
    "log",
    "logsigmoid",
    "exp",
    "tanh",
    "atan",
    "tanh_shrink",
    "sqrt",
    "rsqrt",
    "abs",
    "ceil",
    "floor",
    "cos",
    "acos",
    "asin",
    "sin",
    "round",
    "reciprocal",
    "square",
    "softplus",
    "softsign",
    "erf",
    "mean",
    "sign",
    "sigmoid",
    "has_inf",
    "has_nan",
    "isfinite",
    "is_empty",
    "shape",
    "rank",
    "size",
    "gelu",
    "selu",
    "elu",
    "relu6",
    "hard_sigmoid",
    "swish",
    "brelu",
    "leaky_relu",
    "soft_relu",
    "softshrink",
    "hard_shrink",
    "thresholded_relu",
    "stanh",
    "hard_swish",
    "mish",
    "log_softmax",
    "sequence_softmax",
    "cumsum",
    "zeros_like",
    "ones_like",
    "pow",
):
    if n != "sequence_softmax":
        call("L." + n, F(2, 3))
    if n in ("relu", "mean", "sign", "shape", "cumsum", "sigmoid"):
        call("L." + n, F(3, 2, lod=L1))
call("L.selu", F(2, 3), 1.5, 1.2)
call("L.elu", F(2, 3), 0.5)
call("L.relu6", F(2, 3), 0.5)
call("L.pow", F(2, 3), 2.0)
call("L.pow", F(2, 3), factor=F(1, known=True))
call("L.stanh", F(2, 3), 0.5, 1.5)
call("L.hard_sigmoid", F(2, 3), 0.3, 0.4)
call("L.swish", F(2, 3), 2.0)
call("L.brelu", F(2, 3), 0.2, 0.6)
call("L.leaky_relu", F(2, 3), 0.1)
call("L.soft_relu", F(2, 3), 20.0)
call("L.softshrink", F(2, 3), 0.3)
call("L.hard_shrink", F(2, 3), 0.4)
call("L.thresholded_relu", F(2, 3), 0.4)
call("L.cumsum", F(2, 3), 1, True, True)
call("L.gelu", F(2, 3), True)
call("L.hard_swish", F(2, 3), 5.0, 5.0, 2.0)
