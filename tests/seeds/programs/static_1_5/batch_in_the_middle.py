sentence = fluid.layers.data(name="sentence",
                             shape=[80, -1, 1],
                             append_batch_size=False,
                             dtype="int64")
