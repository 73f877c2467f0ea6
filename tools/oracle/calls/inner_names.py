"""Helpers that Fluid's modules share with one another: what public layer functions are written with."""

from calls.table import Table, fluid, np

calls = Table()

BAD_DTYPES = ["float33", "complex64", 3.5]


def converted(dtype):
    from paddle.fluid.data_feeder import convert_dtype

    return convert_dtype(dtype)


for dtype in ("float32", "int64", "bool", *BAD_DTYPES):
    calls.program(converted, dtype=dtype)


def checked(imperative, dtype, expected):
    from paddle.fluid.data_feeder import check_variable_and_dtype

    if imperative:
        with fluid.dygraph.guard():
            check_variable_and_dtype(fluid.dygraph.to_variable(np.ones(1, dtype)), "x", expected, "mine")
    else:
        check_variable_and_dtype(fluid.data("x", [1], dtype), "x", expected, "mine")
    return True


for imperative in (False, True):
    calls.program(checked, imperative=imperative, dtype="int64", expected=["float32"])
    calls.program(checked, imperative=imperative, dtype="float32", expected=["float32", "float64"])


@calls.program
def a_number_is_no_variable():
    fluid.data_feeder.check_type(3, "x", fluid.Variable, "mine")


@calls.program
def names_of_gradients():
    from paddle.fluid.backward import _append_grad_suffix_, _strip_grad_suffix_

    return [_append_grad_suffix_("x"), _strip_grad_suffix_("x@GRAD@RENAME@0"), fluid.framework.grad_var_name("y")]


@calls.program
def a_tensor_with_a_lod_is_no_array():
    tensor = fluid.create_lod_tensor(np.ones((3, 1), "float32"), [[2, 1]], fluid.CPUPlace())
    return fluid.executor.as_numpy(tensor)


@calls.program
def facts_about_operators():
    core = fluid.core
    types = ("relu", "shape", "sgd", "mul")
    return [[core.has_grad_op_maker(one), core.has_non_empty_grad_op_maker(one)] for one in types]


@calls.program
def an_operator_that_does_not_exist_has_no_facts():
    return fluid.core.has_grad_op_maker("nonsense")


@calls.program
def a_flag_that_does_not_exist():
    flags = fluid.core.globals()
    return ["FLAGS_nonsense" in flags, flags.get("FLAGS_nonsense", 3), "FLAGS_benchmark" in flags]


@calls.program
def padding_is_symmetric_or_not():
    from paddle.fluid.layers.utils import _is_symmetric_padding

    return [_is_symmetric_padding([1, 1, 2, 2], 2), _is_symmetric_padding([1, 0, 2, 2], 2)]


@calls.program
def the_operators_as_functions():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.array([[1.0, -2.0], [3.0, 4.0]], "float32"))
        parts = fluid.core.ops.split(x, 2, "num", 2, "axis", 1)
        found = [fluid.core.ops.relu(x), fluid.core.ops.elementwise_add(x, x, "axis", -1), *parts]
        return [one.numpy() for one in found]


@calls.program
def one_operator_on_a_scope():
    scope = fluid.core.Scope()
    scope.var("x").get_tensor().set(np.ones((1, 2), "float32"), fluid.CPUPlace())
    scope.var("y").get_tensor()
    from paddle.fluid.op import Operator

    Operator("scale", X="x", Out="y", scale=3.0).run(scope, fluid.CPUPlace())
    return np.array(scope.find_var("y").get_tensor())
