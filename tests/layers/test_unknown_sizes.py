"""Sizes that are not known while a program is built pass, and are checked when it runs."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet


def test_labels_of_unknown_sizes():
    logits, label = fluid.data("x", [-1, -1, 10]), fluid.data("label", [-1, -1, -1], "int64")
    loss = fluid.layers.softmax_with_cross_entropy(logits, label)
    assert loss.shape == (-1, -1, 1)
    exe, x = fluid.Executor(), np.zeros([2, 3, 10], "float32")
    (found,) = exe.run(feed={"x": x, "label": np.ones([2, 3, 1], "int64")}, fetch_list=[loss])
    np.testing.assert_allclose(found, np.full([2, 3, 1], np.log(10)), rtol=1e-6)
    with pytest.raises(EnforceNotMet, match="Label"):
        exe.run(feed={"x": x, "label": np.ones([2, 3, 4], "int64")}, fetch_list=[loss])
