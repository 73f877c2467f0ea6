with fluid.dygraph.guard():
    fluid.default_startup_program().random_seed = seed
    fluid.default_main_program().random_seed = seed

    mnist = MNIST("mnist")
    adam = AdamOptimizer(learning_rate=0.001)
    train_reader = paddle.batch(
        paddle.dataset.mnist.train(), batch_size=BATCH_SIZE, drop_last=True)
    test_reader = paddle.batch(
        paddle.dataset.mnist.test(), batch_size=BATCH_SIZE, drop_last=True)
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

            cost, acc = mnist(img, label)

            loss = fluid.layers.cross_entropy(cost, label)
            avg_loss = fluid.layers.mean(loss)
            avg_loss.backward()
            adam.minimize(avg_loss)
            # save checkpoint
            mnist.clear_gradients()
            if batch_id % 100 == 0:
                print("Loss at epoch {} step {}: {:}".format(epoch, batch_id, avg_loss.numpy()))
        mnist.eval()
        test_cost, test_acc = self._test_train(test_reader, mnist, BATCH_SIZE)
        mnist.train()
        print("Loss at epoch {} , Test avg_loss is: {}, acc is: {}".format(epoch, test_cost, test_acc))

    fluid.dygraph.save_persistables(mnist.state_dict(), "save_dir")
    print("checkpoint saved")

with fluid.dygraph.guard():
    fluid.default_startup_program().random_seed = seed
    fluid.default_main_program().random_seed = seed

    mnist_infer = MNIST("mnist")
    # load checkpoint
    mnist_infer.load_dict(
        fluid.dygraph.load_persistables(mnist.state_dict(), "save_dir"))
    print("checkpoint loaded")

    # start evaluate mode
    mnist_infer.eval()
    def load_image(file):
        im = Image.open(file).convert('L')
        im = im.resize((28, 28), Image.ANTIALIAS)
        im = np.array(im).reshape(1, 1, 28, 28).astype(np.float32)
        im = im / 255.0 * 2.0 - 1.0
        return im

    cur_dir = os.path.dirname(os.path.realpath(__file__))
    tensor_img = load_image(cur_dir + '/image/infer_3.png')

    results = mnist_infer(to_variable(tensor_img))
    lab = np.argsort(results.numpy())
    print("Inference result of image/infer_3.png is: %d" % lab[0][0])
