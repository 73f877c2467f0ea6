def custom_batch_reader():
    while True:
        batch = []
        for i in xrange(128):
            # 注意一定需要是tuple，所以是(data,)这样的写法
            batch.append((numpy.random.uniform(-1, 1, 28*28),)) 
        yield batch

mnist_random_image_batch_reader = custom_batch_reader
