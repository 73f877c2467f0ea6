buffered_reader = paddle.reader.buffered(paddle.dataset.mnist.train(), 100)
