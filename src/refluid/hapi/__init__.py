"""Model: a network that knows how to train, evaluate, predict and save itself (paddle.incubate.hapi)."""
