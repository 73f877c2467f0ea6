"""Gradients that Fluid writes with other operators than `<op>_grad`."""

import pytest

import paddle.fluid as fluid


@pytest.mark.parametrize(
    ("kind", "attrs", "back"),
    [
        ("c_allreduce_sum", {"ring_id": 3, "use_calc_stream": True}, "c_allreduce_sum"),
        ("c_allgather", {"ring_id": 3, "nranks": 1}, "c_reducescatter"),
    ],
)
def test_the_gradient_of_an_exchange_is_an_exchange(kind, attrs, back):
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.data("x", [4])
        x.stop_gradient = False
        out = main.global_block().create_var(name="out", dtype="float32")
        main.global_block().append_op(type=kind, inputs={"X": x}, outputs={"Out": out}, attrs=attrs)
        (grad,) = fluid.gradients(out, x)
    last = [op for op in main.global_block().ops if op.type == back][-1]
    assert last.output("Out") == [grad.name]
    assert all(last.attr(name) == value for name, value in attrs.items())
