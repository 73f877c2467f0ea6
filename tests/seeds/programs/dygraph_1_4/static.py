exe = fluid.Executor(fluid.CPUPlace(
) if not core.is_compiled_with_cuda() else fluid.CUDAPlace(0))
mnist = MNIST("mnist")
sgd = SGDOptimizer(learning_rate=1e-3)
train_reader = paddle.batch(
    paddle.dataset.mnist.train(), batch_size= BATCH_SIZE, drop_last=True)

img = fluid.layers.data(
    name='pixel', shape=[1, 28, 28], dtype='float32')
label = fluid.layers.data(name='label', shape=[1], dtype='int64')
cost = mnist(img)
loss = fluid.layers.cross_entropy(cost, label)
avg_loss = fluid.layers.mean(loss)
sgd.minimize(avg_loss)

# initialize params and fetch them
static_param_init_value = {}
static_param_name_list = []
for param in mnist.parameters():
    static_param_name_list.append(param.name)

out = exe.run(fluid.default_startup_program(),
              fetch_list=static_param_name_list)

for i in range(len(static_param_name_list)):
    static_param_init_value[static_param_name_list[i]] = out[i]

for epoch in range(epoch_num):
    for batch_id, data in enumerate(train_reader()):
        static_x_data = np.array(
            [x[0].reshape(1, 28, 28)
             for x in data]).astype('float32')
        y_data = np.array(
            [x[1] for x in data]).astype('int64').reshape([BATCH_SIZE, 1])

        fetch_list = [avg_loss.name]
        fetch_list.extend(static_param_name_list)
        out = exe.run(
            fluid.default_main_program(),
            feed={"pixel": static_x_data,
                  "label": y_data},
            fetch_list=fetch_list)

        static_param_value = {}
        static_out = out[0]
        for i in range(1, len(out)):
            static_param_value[static_param_name_list[i - 1]] = out[
                i]
