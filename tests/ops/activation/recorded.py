"""What Fluid 1.8.5 recorded of the activations."""

from tests.ops.cases import fixture

OPS = """
brelu elu gelu hard_shrink hard_sigmoid hard_swish leaky_relu logsigmoid maxout prelu relu relu6 selu sigmoid softmax
softplus softshrink softsign stanh swish tanh tanh_shrink thresholded_relu
"""
for name in OPS.split():
    fixture(name)

# test_kinks.py takes these.
fixture("soft_relu", skip={1: "the gradient is not the slope", 2: "the gradient is not the slope"})
fixture("mish", skip={1: "the gradient is not the slope"})
