"""The Tracer of 1.5 to 1.8: operators by their type, and the switch of train and eval."""

from types import SimpleNamespace

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.framework import _dygraph_tracer
from refluid.core.errors import EnforceNotMet

D = fluid.dygraph


def var(*values):
    made = D.to_variable(np.array(values, "float32"))
    made.stop_gradient = False
    return made


def test_an_operator_is_run_by_its_type_with_its_gradient():
    assert _dygraph_tracer() is None
    with D.guard():
        x, y, out = var(1, 2), var(3, 4), var(0, 0)
        tracer = _dygraph_tracer()
        assert isinstance(tracer, D.Tracer)
        tracer.trace_op("elementwise_mul", {"X": [x], "Y": [y]}, {"Out": [out]}, {"axis": -1})
        fluid.layers.reduce_sum(out).backward()
        assert out.numpy().tolist() == [3, 8] and x.gradient().tolist() == [3, 4]
        tracer.trace_op("sum", {"X": [x, y]}, {"Out": out}, stop_gradient=True)
        assert out.numpy().tolist() == [4, 6] and out.stop_gradient
        scale = SimpleNamespace(type="scale", attrs={"scale": 3.0})
        tracer.trace_op(op=scale, inputs={"X": [x]}, outputs={"Out": [out]})
        assert out.numpy().tolist() == [3, 6]
        with pytest.raises(EnforceNotMet, match="trace_op: missing a required argument: 'type'"):
            tracer.trace_op(inputs={"X": [x]}, outputs={"Out": [out]})
        with pytest.raises(EnforceNotMet, match="sum has no input 'Y'; it has X"):
            tracer.trace_op("sum", {"Y": x}, {"Out": out})


def test_the_switch_and_the_parameters_it_keeps():
    with D.guard():
        tracer, x = D.Tracer(None), var(1, 2)
        tracer.eval_mode()
        assert (x * 2).stop_gradient and not tracer._train_mode
        tracer.train_mode()
        assert not (x * 2).stop_gradient and tracer._train_mode
        layer = D.Linear(2, 2)
        tracer.trace_var("w", layer.weight)
        tracer.trace_var("x", x)
        assert tracer.all_parameters() == [layer.weight]
