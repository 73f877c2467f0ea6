with fluid.dygraph.guard():
    mnist = MNIST("mnist")
    id, data = list(enumerate(train_reader()))[0]
    dy_x_data = np.array(
        [x[0].reshape(1, 28, 28)
         for x in data]).astype('float32')
    img = to_variable(dy_x_data)
    print("cost is: {}".format(mnist(img).numpy()))
