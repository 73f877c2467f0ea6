reader = paddle.reader.shuffle(paddle.dataset.mnist.train(), 512)
