for epoch in range(epoch_num):
    for batch_id, data in enumerate(train_reader()):
        dy_x_data = np.array(
            [x[0].reshape(1, 28, 28)
             for x in data]).astype('float32')
        y_data = np.array(
            [x[1] for x in data]).astype('int64').reshape(BATCH_SIZE, 1)

        img = to_variable(dy_x_data)
        label = to_variable(y_data)
        label.stop_gradient = True

        cost = mnist(img)
        loss = fluid.layers.cross_entropy(cost, label)
        avg_loss = fluid.layers.mean(loss)

        dy_out = avg_loss.numpy()
        avg_loss.backward()
        sgd.minimize(avg_loss)
        mnist.clear_gradients()
