"""Calls that reach the refusals of operators and layers, continued: losses, metrics, networks, shapes, sequences."""

from call_variants import explained

from calls.table import Table, floats, given, ints, np

calls = Table()
static, imperative = calls.static, calls.imperative
F, I = floats, ints


def N(*shape, **options):
    """Numbers whose sizes the program does not know, so that the operator meets them when it runs."""
    return floats(*shape, shape=[-1] * len(shape), **options)


def G(value, dtype="float32", **options):
    return given(np.array(value, dtype), **options)


def U(value, dtype="float32"):
    value = np.array(value, dtype)
    return given(value, shape=[-1] * value.ndim)


# Losses
static("L.bpr_loss(x, y)", x=F(2, 1), y=G([[0], [0]], "int64"))
static("L.bpr_loss(x, y)", x=F(2, 3), y=G([[0], [5]], "int64"))
static("L.bpr_loss(x, y)", x=F(2, 3), y=G([[0], [-1]], "int64"))
for value in (5, -1, -100):
    static("L.cross_entropy(x, y)", x=G([[0.2, 0.8], [0.5, 0.5]]), y=G([[0], [value]], "int64"))
    static(
        "L.cross_entropy(x, y, ignore_index=%d)" % value, x=G([[0.2, 0.8], [0.5, 0.5]]), y=G([[0], [value]], "int64")
    )
    static("L.softmax_with_cross_entropy(x, y)", x=F(2, 3), y=G([[0], [value]], "int64"))
    static("L.softmax_with_cross_entropy(x, y, ignore_index=%d)" % value, x=F(2, 3), y=G([[0], [value]], "int64"))
    static("L.one_hot(y, 3)", y=G([[0], [value]], "int64"))
    static("L.one_hot(y, 3, True)", y=G([[0], [value]], "int64"))
    static("fluid.one_hot(y, 3)", y=G([0, value], "int64"))
    static("fluid.one_hot(y, 3, True)", y=G([0, value], "int64"))
    static("L.embedding(y, [3, 2])", y=G([[0], [value]], "int64"))
    static("fluid.embedding(y, [3, 2])", y=G([0, value], "int64"))
    static("L.embedding(y, [3, 2], padding_idx=%d)" % value, y=G([[0], [value]], "int64"))
    static("fluid.embedding(y, [3, 2], padding_idx=%d)" % value, y=G([0, value], "int64"))
    static("L.gather(x, y)", x=F(3, 2), y=G([0, value], "int64"))
    static("L.gather(x, y)", x=F(3, 2), y=G([0, value], "int32"))
    static("L.gather_nd(x, y)", x=F(3, 2), y=G([[0], [value]], "int64"))
    static("L.scatter(x, y, u)", x=F(3, 2), y=G([0, value], "int64"), u=F(2, 2))
    static("L.scatter_nd_add(x, y, u)", x=F(3, 2), y=G([[0], [value]], "int64"), u=F(2, 2))
    static("L.multiplex([x, u], y)", x=F(2, 2), u=F(2, 2, seed=3), y=G([[0], [value]], "int32"))
    static("L.shard_index(y, 4, 2, 0)", y=G([[0], [value]], "int64"))
    static("L.center_loss(x, y, 3, 0.1, None)", x=F(2, 3), y=G([[0], [value]], "int64"))
    static("L.hsigmoid(x, y, 4)", x=F(2, 3), y=G([[0], [value]], "int64"))
    static("L.edit_distance(y, y)", y=G([[0], [value]], "int64", lengths=[[2]]))
    static("L.mean_iou(y, y, 3)", y=G([0, value], "int32"))
    static("L.linear_chain_crf(x, y)", x=F(2, 3, lengths=[[2]]), y=G([[0], [value]], "int64", lengths=[[2]]))
    static("L.warpctc(x, y)", x=F(3, 3, lengths=[[3]]), y=G([[1], [value]], "int32", lengths=[[2]]))
    static(
        "L.sequence_scatter(x, y, u)", x=F(1, 3), y=G([[0], [value]], "int64", lengths=[[2]]), u=F(2, 1, lengths=[[2]])
    )
    static("L.teacher_student_sigmoid_loss(x, y)", x=F(2, 1), y=G([[0], [value]]))
    static("L.log_loss(x, y)", x=G([[0.4], [value]]), y=G([[0], [1]]))
    static(
        "D.BCELoss()(x, y)",
        x=G([[0.4], [value]]),
        y=G([[0], [1]]),
    )
    static("L.hash(y, 100)", y=G([[0], [value]], "int64"))
    static("L.sequence_mask(y, 3)", y=G([0, value], "int64"))
    static("L.sequence_mask(y)", y=G([2, value], "int64"))
    static("L.sequence_unpad(x, y)", x=F(2, 3, 2), y=G([1, value], "int64"))
    static(
        "L.sequence_slice(x, y, z)", x=F(5, 2, lengths=[[2, 3]]), y=G([[0], [value]], "int64"), z=G([[1], [1]], "int64")
    )
    static(
        "L.sequence_slice(x, z, y)", x=F(5, 2, lengths=[[2, 3]]), y=G([[1], [value]], "int64"), z=G([[0], [0]], "int64")
    )
    static("L.auc(x, y)[0]", x=G([[0.3, 0.7], [0.5, 0.5]]), y=G([[0], [value]], "int64"))
    static("L.accuracy(x, y)", x=F(2, 3), y=G([[0], [value]], "int64"))
    static("L.gather_tree(y, z)", y=I(2, 1, 2), z=G([[[0, 0]], [[0, value]]], "int64"))
    static("L.ctc_greedy_decoder(x, %d)" % value, x=F(3, 3, lengths=[[3]]))
    static("L.sequence_enumerate(y, 2, %d)" % value, y=G([[0], [1]], "int64", lengths=[[2]]))
    static(
        "L.filter_by_instag(x, y, z, True)",
        x=F(2, 2, lengths=[[1, 1]]),
        y=G([[0], [value]], "int64", lengths=[[1, 1]]),
        z=G([7], "int64"),
    )
    static("L.continuous_value_model(x, y)", x=F(2, 3), y=G([[1, 1], [2, value]]))
for prob in ([[1.5, 0.7], [0.5, 0.5]], [[0.3, 0.7], [0.5, -0.5]], [[0.3, np.nan], [0.5, 0.5]]):
    static("L.auc(x, y)[0]", x=G(prob), y=G([[0], [1]], "int64"))
static("L.auc(x, y)[0]", x=G([[0.3, 0.7]]), y=G([[0], [1]], "int64"))
static("L.auc(x, y)[0]", x=U([[0.3, 0.7]]), y=U([[0], [1]], "int64"))
static("L.auc(x, y)[0]", x=U([[0.3, 0.7], [0.4, 0.6]]), y=U([[0]], "int64"))
static("L.auc(x, y, 'XX')[0]", x=G([[0.3, 0.7]]), y=G([[0]], "int64"))
static("L.auc(x, y, slide_steps=-1)[0]", x=G([[0.3, 0.7]]), y=G([[0]], "int64"))
static("L.auc(x, y, num_thresholds=0)[0]", x=G([[0.3, 0.7]]), y=G([[0]], "int64"))
static("L.auc(x, y, num_thresholds=1)[0]", x=G([[0.3, 0.7]]), y=G([[0]], "int64"))
static("L.auc(x, y)[0]", x=G([[0.3], [0.7]]), y=G([[0], [1]], "int64"))
static("L.auc(x, y)[0]", x=G([[0.3, 0.1, 0.7]]), y=G([[1]], "int64"))
static("L.center_loss(x, y, 3, 0.1, None)", x=F(2, 3), y=G([[0], [1], [2]], "int64"))
static("L.center_loss(x, y, 3, 0.1, None)", x=N(2, 3), y=U([[0], [1], [2]], "int64"))
static("L.kldiv_loss(x, y, 'other')", x=F(2, 3), y=F(2, 3))
static("L.kldiv_loss(x, y)", x=N(2, 3), y=N(3, 2))
static("L.huber_loss(x, y, -1.0)", x=F(2, 1), y=F(2, 1, seed=4))
static("L.huber_loss(x, y, 0.0)", x=F(2, 1), y=F(2, 1, seed=4))
static("L.smooth_l1(x, y, sigma=0.0)", x=F(2, 3), y=F(2, 3, seed=4))
static("L.smooth_l1(x, y)", x=N(2, 3), y=N(3, 2))
static("L.label_smooth(x, epsilon=1.5)", x=F(2, 3))
static("L.label_smooth(x, epsilon=-0.5)", x=F(2, 3))
static("L.label_smooth(x, p)", x=F(2, 3), p=F(1, 2))
static("L.label_smooth(x, p)", x=F(2, 3), p=F(1, 4))
static("L.label_smooth(x, p)", x=F(2, 3), p=F(2, 3))
static("L.label_smooth(x, p)", x=F(2, 3), p=F(3))
static("L.margin_rank_loss(x, y, z, -1.0)", x=F(2, 1), y=F(2, 1), z=F(2, 1))
static("L.dice_loss(x, y)", x=F(2, 3), y=G([[5], [0]], "int64"))
static("L.sampled_softmax_with_cross_entropy(x, y, 50)", x=F(2, 30), y=I(2, 1))
static("L.sampled_softmax_with_cross_entropy(x, y, 5, 2)", x=F(2, 30), y=I(2, 1))
static("L.nce(x, y, 5, num_neg_samples=0)", x=F(2, 3), y=I(2, 1))
static("L.nce(x, y, 5, num_neg_samples=-1)", x=F(2, 3), y=I(2, 1))
static("L.nce(x, y, 5, sampler='other')", x=F(2, 3), y=I(2, 1))
static("L.nce(x, y, 5, sampler='custom_dist')", x=F(2, 3), y=I(2, 1))
static("L.nce(x, y, 5, sampler='custom_dist', custom_dist=[0.5, 0.5])", x=F(2, 3), y=I(2, 1))
static("L.nce(x, y, 5, num_neg_samples=2, seed=1)", x=N(2, 3), y=U([[1]], "int64"))
static("L.hsigmoid(x, y, 1)", x=F(2, 3), y=I(2, 1))
static("L.hsigmoid(x, y, 4, is_custom=True)", x=F(2, 3), y=I(2, 1))
static("L.hsigmoid(x, y, 4, path_table=t, path_code=t)", x=F(2, 3), y=I(2, 1), t=G([[0, 1], [1, 0]], "int64"))
static(
    "L.hsigmoid(x, y, 4, path_table=t, path_code=t, is_custom=True)",
    x=F(2, 3),
    y=I(2, 1),
    t=G([[0, 1], [1, 0]], "int64"),
)
static("L.warpctc(x, y, blank=3)", x=F(3, 3, lengths=[[3]]), y=G([[1]], "int32", lengths=[[1]]))
static("L.warpctc(x, y, blank=-1)", x=F(3, 3, lengths=[[3]]), y=G([[1]], "int32", lengths=[[1]]))
static("L.warpctc(x, y)", x=F(3, 3, lengths=[[1, 2]]), y=G([[1]], "int32", lengths=[[1]]))
static("L.warpctc(x, y)", x=F(3, 3), y=G([[1]], "int32", lengths=[[1]]))
static("L.warpctc(x, y, input_length=n)", x=F(3, 1, 3), y=G([[1]], "int32"), n=G([3], "int64"))
static(
    "L.warpctc(x, y, input_length=n, label_length=m)",
    x=F(3, 1, 3),
    y=G([[1]], "int32"),
    n=G([5], "int64"),
    m=G([1], "int64"),
)
static(
    "L.warpctc(x, y, input_length=n, label_length=m)",
    x=F(3, 1, 3),
    y=G([[1]], "int32"),
    n=G([3], "int64"),
    m=G([2], "int64"),
)
static(
    "L.warpctc(x, y, input_length=n, label_length=m)",
    x=F(3, 1, 3),
    y=G([[1]], "int32"),
    n=G([0], "int64"),
    m=G([0], "int64"),
)
static("L.softmax_with_cross_entropy(x, y, axis=2)", x=F(2, 3), y=I(2, 1))
static("L.softmax_with_cross_entropy(x, y)", x=F(2, 3), y=I(2))
static("L.softmax_with_cross_entropy(x, y)", x=N(2, 3), y=U([[0], [1], [2]], "int64"))
static("L.softmax_with_cross_entropy(x, y, True)", x=F(2, 3), y=F(2, 1))
static("L.cross_entropy(x, y)", x=N(2, 3), y=U([[0], [1], [2]], "int64"))
static("L.cross_entropy(x, y, True)", x=F(2, 3), y=F(2, 1))
static("L.npair_loss(x, x, y)", x=F(2, 3), y=I(3))
static("L.mse_loss(x, y)", x=F(2, 3), y=F(3))
static("L.rank_loss(y, x, x)", x=F(2, 1), y=F(3, 1))
static("L.square_error_cost(x, y)", x=F(2, 3), y=F(2, 1))

# Mathematics
static("L.clip(x, 0.5, -0.5)", x=F(4))
static("L.clip_by_norm(x, 0.0)", x=F(4))
static("L.clip_by_norm(x, -1.0)", x=F(4))
static("L.elementwise_floordiv(x, y)", x=I(3), y=G([1, 0, 2], "int64"))
static("L.elementwise_mod(x, y)", x=I(3), y=G([1, 0, 2], "int64"))
static("L.elementwise_div(x, y)", x=I(3), y=G([1, 0, 2], "int64"))
imperative("L.elementwise_floordiv(x, y)", x=I(3), y=G([1, 0, 2], "int64"))
for shapes in (
    ((2, 3), (3, 2)),
    ((2, 3), (2,)),
    ((3,), (2, 3)),
    ((2, 3), (2, 3, 1)),
    ((1, 3), (2, 3)),
    ((2, 3), (1, 2, 3)),
    ((2, 1), (1, 3)),
    ((2, 3), (4,)),
):
    for axis in (-1, 0, 1, 2, 5):
        static("L.elementwise_add(x, y, axis=%d)" % axis, x=F(*shapes[0]), y=F(*shapes[1], seed=5))
    static("L.elementwise_add(x, y)", x=N(*shapes[0]), y=N(*shapes[1], seed=5))
    static("L.less_than(x, y)", x=F(*shapes[0]), y=F(*shapes[1], seed=5))
    static("L.logical_and(x, y)", x=G(np.ones(shapes[0]), "bool"), y=G(np.ones(shapes[1]), "bool"))
    static("L.matmul(x, y)", x=F(*shapes[0]), y=F(*shapes[1]))
    static("L.mul(x, y)", x=F(*shapes[0]), y=F(*shapes[1]))
    static("L.cos_sim(x, y)", x=F(*shapes[0]), y=F(*shapes[1]))
    static("L.sums([x, y])", x=F(*shapes[0]), y=F(*shapes[1]))
    static("L.sums([x, y])", x=N(*shapes[0]), y=N(*shapes[1]))
    static("L.concat([x, y])", x=F(*shapes[0]), y=F(*shapes[1]))
    static("L.stack([x, y])", x=F(*shapes[0]), y=F(*shapes[1]))
    static(
        "L.dist(x, y)",
        x=F(*shapes[0]),
        y=F(*shapes[1]),
    )
    static("L.expand_as(x, y)", x=F(*shapes[0]), y=F(*shapes[1]))
    static("L.pad_constant_like(x, y)", x=F(*shapes[0]), y=F(*shapes[1]))
    static("L.smooth_l1(x, y)", x=F(*shapes[0]), y=F(*shapes[1]))
    static("L.kldiv_loss(x, y)", x=F(*shapes[0]), y=F(*shapes[1]))
    static("L.huber_loss(x, y, 1.0)", x=F(*shapes[0]), y=F(*shapes[1]))
    static("L.log_loss(x, y)", x=F(*shapes[0]), y=F(*shapes[1]))
    static("L.sigmoid_cross_entropy_with_logits(x, y)", x=F(*shapes[0]), y=F(*shapes[1]))
    static("L.bilinear_tensor_product(x, y, 2)", x=F(*shapes[0]), y=F(*shapes[1]))
for value in (0, -1, 1):
    static("L.reduce_sum(x, dim=[%d, %d])" % (value, value), x=F(2, 3))
    static("L.l2_normalize(x, %d)" % (value * 5), x=F(2, 3))
static("L.reduce_sum(x, dim=[])", x=F(2, 3))
static("L.reduce_sum(x, dim=[2])", x=F(2, 3))
static("L.reduce_sum(x, dim=[-3])", x=F(2, 3))
static("L.cumsum(x, axis=2)", x=F(2, 3))
static("L.cumsum(x, axis=-3)", x=F(2, 3))
static("L.sum([])")
static("L.sums([])")
static("L.sum(x)", x=F(2))
static("L.increment(x)", x=F(2))
static("L.increment(x)", x=N(2))
static("L.pow(x, 0.5)", x=F(4))
static("L.fc(x, 3, num_flatten_dims=0)", x=F(2, 4))
static("L.fc(x, 3, num_flatten_dims=2)", x=F(2, 4))
static("L.fc(x, 3, num_flatten_dims=-1)", x=F(2, 4, 1))
static("L.fc(x, 3, num_flatten_dims=-2)", x=F(2, 4, 1))
static("L.fc([x, x], 3, param_attr=[P('a')])", x=F(2, 4))
static("L.fc([x, x], 3, param_attr=[P('a'), P('b'), P('c')])", x=F(2, 4))
static("L.fc(x, 0)", x=F(2, 4))
static("L.fc(x, -1)", x=F(2, 4))
static("L.fc(x, 3, act='other')", x=F(2, 4))
static("L.mul(x, y, x_num_col_dims=0)", x=F(2, 3), y=F(6, 2))
static("L.mul(x, y, x_num_col_dims=2)", x=F(2, 3), y=F(6, 2))
static("L.mul(x, y, y_num_col_dims=0)", x=F(2, 3), y=F(3, 2))
static("L.mul(x, y, y_num_col_dims=2)", x=F(2, 3), y=F(3, 2))
static("L.matmul(x, y)", x=F(3), y=F(3))
static("L.matmul(x, y)", x=F(3), y=F(4))
static("L.matmul(x, y, True, True)", x=F(3), y=F(4))
static("L.matmul(x, y)", x=F(2, 2, 3), y=F(3, 3, 2))
static("L.matmul(x, y)", x=F(1, 2, 3), y=F(3, 3, 2))
static("L.matmul(x, y)", x=F(2, 3), y=F(4, 3, 2))

explained(calls, "refusals_losses")
