with fluid.dygraph.guard():
    epoch_num = 5
    BATCH_SIZE = 64
    train_reader = paddle.batch(
        paddle.dataset.mnist.train(), batch_size=32, drop_last=True)
    mnist = MNIST("mnist")
    id, data = list(enumerate(train_reader()))[0]
    adam = fluid.optimizer.AdamOptimizer(learning_rate=0.001)
    for epoch in range(epoch_num):
        for batch_id, data in enumerate(train_reader()):
            dy_x_data = np.array([x[0].reshape(1, 28, 28)
                                  for x in data]).astype('float32')
            y_data = np.array(
                [x[1] for x in data]).astype('int64').reshape(-1, 1)

            img = fluid.dygraph.to_variable(dy_x_data)
            label = fluid.dygraph.to_variable(y_data)

            cost = mnist(img)

            loss = fluid.layers.cross_entropy(cost, label)
            avg_loss = fluid.layers.mean(loss)

            if batch_id % 100 == 0 and batch_id is not 0:
                print("epoch: {}, batch_id: {}, loss is: {}".format(epoch, batch_id, avg_loss.numpy()))
            avg_loss.backward()
            adam.minimize(avg_loss)
            mnist.clear_gradients()
