"""A layer that a program has written after Fluid's own: operators by name, in both modes."""

import numpy as np

import paddle.fluid as fluid
from paddle.fluid.dygraph.layer_object_helper import LayerObjectHelper


class Product(fluid.dygraph.Layer):
    def __init__(self, width, size, act=None):
        super().__init__()
        self._act, self._dtype = act, "float32"
        self.weight = self.create_parameter(shape=[width, size], dtype="float32")
        self.bias = self.create_parameter(shape=[size], dtype="float32", is_bias=True)

    def forward(self, input):
        product = self._helper.create_variable_for_type_inference(self._dtype)
        self._helper.append_op(type="matmul", inputs={"X": [input], "Y": [self.weight]}, outputs={"Out": product})
        out = self._helper.create_variable_for_type_inference(dtype=self._dtype)
        self._helper.append_op(
            type="elementwise_add", inputs={"X": [product], "Y": [self.bias]}, outputs={"Out": [out]}, attrs={"axis": 1}
        )
        return self._helper.append_activation(out, act=self._act)


X = np.array([[1, -2, 3]], "float32")
W = np.array([[1, 2], [3, -4], [5, -6]], "float32")


def test_it_runs_and_has_gradients_in_the_imperative_mode():
    with fluid.dygraph.guard():
        layer = Product(3, 2, act="relu")
        assert isinstance(layer._helper, LayerObjectHelper) and layer._helper.name == "product_0"
        layer.weight.set_value(W)
        out = layer(fluid.dygraph.to_variable(X))
        assert out.numpy().tolist() == np.maximum(X @ W, 0).tolist()
        fluid.layers.reduce_sum(out).backward()
        assert layer.weight.gradient().tolist() == [[1, 0], [-2, 0], [3, 0]]
        assert layer.bias.gradient().tolist() == [1, 0]


def test_it_is_recorded_with_the_names_of_the_layer():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        layer = Product(3, 2, act="relu")
        out = layer(fluid.data("x", [None, 3]))
        ops = main.global_block().ops
        assert [op.type for op in ops] == ["matmul", "elementwise_add", "relu"]
        assert [op.output("Out") for op in ops] == [["product_0.tmp_0"], ["product_0.tmp_1"], ["product_0.tmp_2"]]
        exe = fluid.Executor()
        exe.run(startup)
        fluid.global_scope().find_var(layer.weight.name).get_tensor().set(W, fluid.CPUPlace())
        assert exe.run(main, feed={"x": X}, fetch_list=[out])[0].tolist() == np.maximum(X @ W, 0).tolist()
