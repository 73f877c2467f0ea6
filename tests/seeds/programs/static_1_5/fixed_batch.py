image = fluid.layers.data(name="image", shape=[32, 784], append_batch_size=False)
