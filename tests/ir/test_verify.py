"""The verifier: legal programs pass, others are told what is wrong with them."""

import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet
from refluid.ir.operator import Operator
from refluid.ir.verify import verify


def network():
    image = fluid.layers.data("image", [1, 8, 8])
    label = fluid.layers.data("label", [1], dtype="int64")
    hidden = fluid.nets.simple_img_conv_pool(image, 4, 3, 2, 2, act="relu")
    hidden = fluid.layers.dropout(fluid.layers.batch_norm(hidden), 0.5)
    out = fluid.layers.fc(hidden, 10, act="softmax")
    return out, fluid.layers.mean(fluid.layers.cross_entropy(out, label))


def test_a_training_program_its_startup_its_clones_and_prunings_are_legal():
    out, loss = network()
    fluid.optimizer.Adam(0.01, regularization=fluid.regularizer.L2Decay(0.1)).minimize(loss)
    main = fluid.default_main_program()
    for program in (main, fluid.default_startup_program(), main.clone(), main.clone(for_test=True), main._prune([out])):
        verify(program)


def test_an_empty_program_is_legal():
    verify(fluid.Program())


def spoil_type(block):
    block.ops[0].type = "skale"


def spoil_slot(block):
    block.ops[0].inputs["Y"] = ["x"]


def spoil_count(block):
    block.ops[0].inputs["X"] = ["x", "x"]


def spoil_name(block):
    block.ops[0].inputs["X"] = ["nothing"]


def spoil_attr(block):
    block.ops[0].attrs["colour"] = 1


def spoil_order(block):
    block.ops.reverse()


def spoil_file(block):
    block.vars["z"] = block.vars["x"]


def spoil_shape(block):
    block.vars["x"].shape = [-2, 3]


def spoil_owner(block):
    other = fluid.Program().global_block()
    op = block.ops[0]
    block.ops[0] = Operator(other, op.type, op.inputs, op.outputs, op.attrs, op.site)


def spoil_parent(block):
    block.program._create_block().parent_idx = 5


@pytest.mark.parametrize(
    "spoil, says",
    [
        (spoil_type, "operator skale does not exist"),
        (spoil_slot, "scale has no input slot Y"),
        (spoil_count, "scale: input X holds 2 names"),
        (spoil_name, "scale: input X names nothing"),
        (spoil_attr, "scale has no attribute colour"),
        (spoil_order, "scale reads scale_0.tmp_0 before anything writes it"),
        (spoil_file, "variable x is filed under z"),
        (spoil_shape, "variable x has the shape [-2, 3]"),
        (spoil_owner, "scale does not know its block 0"),
        (spoil_parent, "block 1 has the later block 5 as its parent"),
    ],
)
def test_a_spoiled_program_is_refused(spoil, says):
    x = fluid.data("x", [None, 3])
    fluid.layers.scale(fluid.layers.scale(x, 2.0), 3.0)
    block = fluid.default_main_program().global_block()
    verify(block.program)
    spoil(block)
    with pytest.raises(EnforceNotMet) as caught:
        verify(block.program)
    assert says in str(caught.value)
