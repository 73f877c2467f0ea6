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
        fluid.dygraph.save_persistables(mnist.state_dict(), "save_dir")
        mnist.clear_gradients()

        for param in mnist.parameters():
            dy_param_init_value[param.name] = param.numpy()

        mnist.load_dict(fluid.dygraph.load_persistables(mnist.state_dict(), "save_dir"))
        restore = mnist.parameters()
# check save and load
success = True
for value in restore:
    if (not np.allclose(value.numpy(), dy_param_init_value[value.name])) or (not np.isfinite(value.numpy().all())) or (np.isnan(value.numpy().any())):
        success = False
print("model save and load success? {}".format(success))
