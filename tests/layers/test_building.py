"""Building a program refuses what 1.8.5 refuses while it builds; the rest is an error when it runs, if at all."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import DtypeError, EnforceNotMet, ShapeError

L = fluid.layers


def run(feed, fetch):
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    return exe.run(feed=feed, fetch_list=fetch)


def test_a_dtype_that_fluid_looks_at_when_the_program_runs_is_refused_then_at_the_users_line():
    x = fluid.data("x", [None, 3, 4, 4], "int64")
    out = L.pool2d(x, 2)
    assert out.shape == (-1, 3, 3, 3) and out.dtype == x.dtype
    with pytest.raises(DtypeError, match=r"pool2d: X must be floating point, got int64(.|\n)*test_building\.py"):
        run({"x": np.ones((1, 3, 4, 4), "int64")}, [out])


def test_an_operator_appended_on_data_of_the_default_dtype_takes_what_is_fed():
    x = fluid.layers.data("x", [1])
    block = fluid.default_main_program().global_block()
    out = block.create_var(name="out", dtype="float32")
    block.append_op(type="one_hot", inputs={"X": [x]}, outputs={"Out": [out]}, attrs={"depth": 3})
    assert out.shape == (-1, 3)
    with pytest.raises(DtypeError, match="one_hot: X must be int32 or int64, got float32"):
        run({"x": np.ones((2, 1), "float32")}, [out])


def test_a_mixture_of_dtypes_is_built():
    x, y = fluid.data("x", [None, 3]), fluid.data("y", [None, 3], "float64")
    total = L.elementwise_add(x, y)
    assert total.dtype == x.dtype
    with pytest.raises(DtypeError, match="X and Y must have one dtype"):
        run({"x": np.ones((2, 3), "float32"), "y": np.ones((2, 3))}, [total])


def test_sizes_that_nobody_knows_yet_are_no_reason_to_refuse():
    boxes, sizes = fluid.data("boxes", [None, None], lod_level=1), fluid.data("sizes", [None, None])
    assert L.box_clip(boxes, sizes).shape[0] == -1
    image, offset, mask = (fluid.data(n, [None, c, None, None]) for n, c in (("i", 2), ("o", 18), ("m", 9)))
    assert L.deformable_conv(image, offset, mask, 2, 3, stride=2, padding=1).shape == (-1, 2, -1, -1)
    assert L.pool3d(fluid.data("v", [None] * 5), 2).shape == (-1,) * 5


def test_sizes_that_do_not_fit_are_refused_when_the_program_runs():
    x, y = fluid.data("x", [None, 3], "int32"), fluid.data("y", [None, 4], "int32")
    mean, _, _ = L.mean_iou(x, y, 2)
    with pytest.raises(ShapeError, match="mean_iou: Predictions has shape"):
        run({"x": np.ones((2, 3), "int32"), "y": np.ones((2, 4), "int32")}, [mean])


def test_squeeze_leaves_axes_alone_whose_size_is_not_1():
    x = fluid.data("x", [2, 1, 3])
    assert L.squeeze(x, [0, 1]).shape == (2, 3)


def test_numbers_and_arrays_of_numpy_are_arguments():
    ids = fluid.data("ids", [None, 1], "int64")
    (found,) = run({"ids": np.array([[1], [19]])}, [L.shard_index(ids, np.array([20]), np.int64(2), 0)])
    assert found.ravel().tolist() == [1, -1]
    (found,) = run({}, [L.sign(np.array([-2.0, 3.0], "float32"))])
    assert found.tolist() == [-1, 1]


def test_an_attribute_of_the_wrong_kind_is_refused_where_it_is_given():
    x = fluid.data("x", [None, 3])
    with pytest.raises(EnforceNotMet, match="crop: shape must be a list, each an int"):
        L.crop(x, shape=[1.5, 1.5], offsets=[0, 0])


def test_an_activation_of_a_layer_is_looked_at_when_the_program_runs():
    x = fluid.data("x", [None, 3], "int64")
    out = L.elementwise_add(x, x, act="relu")
    with pytest.raises(DtypeError, match="relu: X must be floating point, got int64"):
        run({"x": np.ones((2, 3), "int64")}, [out])


def test_results_have_the_very_name_that_clip_is_given():
    x = fluid.data("x", [None, 3])
    assert L.clip(x, 0.0, 1.0, name="clipped").name == L.clip_by_norm(x, 1.0, name="clipped").name == "clipped"


@pytest.mark.parametrize("call", [lambda x: L.cast(x, "float31"), lambda x: L.concat([x, L.cast(x, "int64")])])
def test_an_exception_is_of_the_class_that_fluid_raises(call):
    with pytest.raises(ValueError, match="dtype must be one of|but X"):
        call(fluid.data("x", [None, 3]))


def test_what_is_no_variable_is_a_type_error():
    with pytest.raises(TypeError, match="sequence_pad: pad_value must be a Variable, got float"):
        L.sequence_pad(fluid.data("x", [None, 3], lod_level=1), 0.0)


def test_boxes_of_other_sizes_are_refused_when_the_program_runs():
    prior, spread, target = fluid.data("p", [5, 4]), fluid.data("v", [4]), fluid.data("t", [20, 4])
    out = L.box_coder(prior, spread, target)
    assert out.shape == (20, 5, 4)
    with pytest.raises(ShapeError, match="box_coder: PriorBoxVar has shape"):
        run({"p": np.ones((5, 4), "float32"), "v": np.ones(4, "float32"), "t": np.ones((20, 4), "float32")}, [out])
