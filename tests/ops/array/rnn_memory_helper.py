from tests.ops.cases import case, rand

case("rnn_memory_helper", X=rand(3, 4), expect=lambda X: X)
