"""fluid.op.Operator: one operator run by hand."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import core
from paddle.fluid.op import OpDescCreationMethod, Operator, create_op_creation_method


def scope_with(**arrays):
    scope = core.Scope()
    for name, array in arrays.items():
        scope.var(name).get_tensor().set(array, core.CPUPlace())
    return scope


def test_an_operator_reads_and_writes_a_scope():
    scope = scope_with(x=np.array([[1, 2]], "float32"), y=np.array([[3], [4]], "float32"))
    op = Operator("mul", X="x", Y="y", Out="out")
    op.run(scope, core.CPUPlace())
    assert np.array(scope.find_var("out").get_tensor()).tolist() == [[11.0]]
    assert (op.type(), op.input_vars(), op.outputs()) == ("mul", ["x", "y"], {"Out": ["out"]})


def test_an_update_writes_over_its_parameter():
    one = np.ones(2, "float32")
    scope = scope_with(w=one, g=one, lr=np.array([0.5], "float32"))
    Operator(type="sgd", Param="w", Grad="g", LearningRate="lr", ParamOut="w").run(scope, core.CPUPlace())
    assert np.array(scope.find_var("w").get_tensor()).tolist() == [0.5, 0.5]


def test_slots_and_attributes_of_operators_are_told():
    assert Operator.get_op_inputs("sum") == [("X", True)] and "mul" in Operator.types()
    assert Operator.get_op_output_names("mul") == ["Out"] and "scale" in Operator.get_op_attr_names("scale")
    with pytest.raises(ValueError, match="mul: X takes one variable, got 2"):
        Operator("mul", X=["a", "b"], Y="y", Out="z")
    with pytest.raises(ValueError, match="mul: the scope has no value of 'x'"):
        Operator("mul", X="x", Y="y", Out="z").run(core.Scope(), core.CPUPlace())


def test_operators_are_made_from_protos():
    proto = fluid.framework.OpProtoHolder.instance().get_op_proto("scale")
    desc = OpDescCreationMethod(proto)(X="x", Out=["y"], scale=2.0)
    assert (desc.type, desc.inputs[0].arguments[0]) == ("scale", "x")
    assert {attr.name: attr.f for attr in desc.attrs} == {"scale": 2.0}
    scope = scope_with(x=np.ones(2, "float32"))
    create_op_creation_method(proto).method(X="x", Out="y", scale=3.0).run(scope, core.CPUPlace())
    assert np.array(scope.find_var("y").get_tensor()).tolist() == [3.0, 3.0]
