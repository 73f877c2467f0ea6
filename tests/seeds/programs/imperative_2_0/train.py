import numpy as np
from paddle.optimizer import AdamOptimizer
from paddle.imperative import to_variable

paddle.enable_imperative()
# 定义MNIST类的对象
mnist = MNIST()
# 定义优化器为AdamOptimizer，学习旅learning_rate为0.001
# 注意命令式编程下必须传入parameter_list参数，该参数为需要优化的网络参数，本例需要优化mnist网络中的所有参数
adam = AdamOptimizer(learning_rate=0.001, parameter_list=mnist.parameters())

# 设置全部样本的训练次数
epoch_num = 5

for epoch in range(epoch_num):
    for batch_id, data in enumerate(train_reader()):
        dy_x_data = np.array([x[0].reshape(1, 28, 28) for x in data]).astype('float32')
        y_data = np.array([x[1] for x in data]).astype('int64').reshape(-1, 1)

        img = to_variable(dy_x_data)
        label = to_variable(y_data)

        cost, acc = mnist(img, label)

        loss = paddle.nn.functional.cross_entropy(cost, label)
        avg_loss = paddle.mean(loss)
        avg_loss.backward()
        adam.minimize(avg_loss)
        mnist.clear_gradients()

        if batch_id % 100 == 0:
            print("Loss at epoch {} step {}: {:}".format(
                epoch, batch_id, avg_loss.numpy()))

model_dict = mnist.state_dict()
paddle.imperative.save(model_dict, "save_temp")
