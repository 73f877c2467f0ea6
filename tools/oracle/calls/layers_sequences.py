"""Functions of fluid.layers for sequences, losses and recurrences, and calls with wrong arguments."""

from call_variants import F, I, J, Plain, Variants

from calls.table import Table

calls = Table()
call = Variants(calls, "layers_sequences")
L1 = [[2, 1]]  # two sequences

call("L.sequence_conv", F(3, 4, lod=L1), 2)
call("L.sequence_conv", F(3, 4, lod=L1), 2, 3, padding_start=0, act="tanh")
call("L.sequence_softmax", F(3, 1, lod=L1))
for p in ("sum", "average", "sqrt", "max", "last", "first"):
    call("L.sequence_pool", F(3, 4, lod=L1), p)
call("L.sequence_concat", [F(3, 4, lod=L1), F(3, 4, lod=L1)])
call("L.sequence_first_step", F(3, 4, lod=L1))
call("L.sequence_last_step", F(3, 4, lod=L1))
call("L.sequence_slice", F(3, 4, lod=L1), I(2, 1, data=[0, 0]), I(2, 1, data=[1, 1]))
call("L.sequence_expand", F(2, 3), F(3, 1, lod=L1))
call("L.sequence_expand", F(2, 3), F(3, 1, lod=L1), 0)
call("L.sequence_expand_as", F(2, 3), F(3, 1, lod=L1))
call("L.sequence_pad", F(3, 4, lod=L1), F(1, known=True))
call("L.sequence_pad", F(3, 4, lod=L1), F(1, known=True), 3)
call("L.sequence_unpad", F(2, 3, 4), I(2, data=[2, 1]))
call("L.sequence_unpad", F(2, 3), I(2, data=[2, 1]))
call("L.sequence_reshape", F(3, 4, lod=L1), 2)
call("L.sequence_scatter", F(2, 4), I(3, 1, lod=L1), F(3, 1, lod=L1))
call("L.sequence_enumerate", I(3, 1, lod=L1), 2)
call("L.sequence_mask", I(3), 4)
call("L.sequence_mask", I(3), None, "float32")
call("L.sequence_mask", J(3), J(1, data=[4], known=True))
call("L.sequence_reverse", F(3, 4, lod=L1))
call("L.center_loss", F(2, 3), I(2, 1), 3, 0.1, None)
call("L.bpr_loss", F(2, 3), I(2, 1))
call("L.cross_entropy", F(2, 3), I(2, 1))
call("L.cross_entropy", F(2, 3), F(2, 3), True)
call("L.cross_entropy", F(3, 4, lod=L1), I(3, 1, lod=L1))
call("L.square_error_cost", F(2, 3), F(2, 3))
call("L.edit_distance", I(3, 1, lod=L1), I(3, 1, lod=L1))
call("L.edit_distance", I(2, 3), I(2, 3), input_length=I(2, data=[3, 2]), label_length=I(2, data=[3, 3]))
call("L.warpctc", F(3, 4, lod=L1), J(2, 1, lod=[[1, 1]], data=[1, 2]))
call("L.warpctc", F(3, 2, 4), J(2, 1, data=[1, 2]), input_length=I(2, data=[3, 3]), label_length=I(2, data=[1, 1]))
for rows in (
    "5, num_neg_samples=2",
    "5",
    "5, sampler='log_uniform'",
    "5, sampler='wrong'",
    "'x'",
    "5, num_neg_samples=0",
):
    calls.static(
        "L.nce(x, y, %s).shape" % rows, x=F(2, 3).given(0), y=I(2, 1).given(1)
    )  # what is drawn is not compared
call("L.hsigmoid", F(2, 3), I(2, 1), 4)
call("L.sampled_softmax_with_cross_entropy", F(2, 30), I(2, 1), 5, seed=1)
call("L.softmax_with_cross_entropy", F(2, 3), I(2, 1))
call("L.softmax_with_cross_entropy", F(2, 3), F(2, 3), True, return_softmax=True)
call("L.softmax_with_cross_entropy", F(2, 3, 4), I(2, 1, 4), axis=1)
call("L.rank_loss", F(2, 1), F(2, 1), F(2, 1))
call("L.margin_rank_loss", F(2, 1), F(2, 1), F(2, 1))
call("L.sigmoid_cross_entropy_with_logits", F(2, 3), F(2, 3))
call("L.teacher_student_sigmoid_loss", F(2, 1), F(2, 1))
call("L.huber_loss", F(2, 1), F(2, 1), 0.5)
call("L.kldiv_loss", F(2, 3), F(2, 3))
call("L.kldiv_loss", F(2, 3), F(2, 3), "none")
call("L.npair_loss", F(3, 4, known=True), F(3, 4, known=True), F(3, known=True))
call("L.mse_loss", F(2, 3), F(2, 3))
call("L.dynamic_lstm", F(3, 8, lod=L1), 8)
call("L.dynamic_lstm", F(3, 8, lod=L1), 8, use_peepholes=False, is_reverse=True)
call("L.dynamic_lstmp", F(3, 8, lod=L1), 8, 3)
call("L.dynamic_gru", F(3, 6, lod=L1), 2)
call("L.gru_unit", F(2, 6), F(2, 2), 6)
call("L.lstm_unit", F(2, 3), F(2, 4), F(2, 4))
call(
    "L.lstm",
    F(3, 2, 4),
    F(1, 2, 5).but(declared=[1, -1, 5]),
    F(1, 2, 5).but(declared=[1, -1, 5]),
    3,
    5,
    1,
    is_test=True,
)
call(
    "L.beam_search",
    I(1, 1, lod=[[1], [1]]),
    F(1, 1, lod=[[1], [1]]),
    I(1, 3, lod=[[1], [1]]),
    F(1, 3, lod=[[1], [1]]),
    2,
    0,
)
call("L.Uniform", 0.0, 1.0)
call("L.Normal", 0.0, 1.0)
call("L.Categorical", F(3, known=True))
call("L.MultivariateNormalDiag", F(2, known=True), F(2, 2, known=True))
call("L.Uniform", F(2, known=True), F(2, known=True))
call("L.Normal", [0.0], Plain("np.array([1.0], 'float32')"))
