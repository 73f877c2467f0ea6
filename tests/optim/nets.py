"""One small network in both modes: words through a sparse table, two linear layers, five steps on one batch."""

from typing import Any

import numpy as np

from refluid.core import unique_name
from refluid.core.places import CPUPlace
from refluid.eager.base import guard, to_variable
from refluid.eager.parameter import ParamBase
from refluid.executor.executor import Executor
from refluid.ir.program import Program, program_guard
from refluid.layers.data import data
from refluid.ops.activation.sigmoids import tanh
from refluid.ops.loss.softmax_with_cross_entropy import softmax_with_cross_entropy
from refluid.ops.math.elementwise import elementwise_add
from refluid.ops.math.mean import mean
from refluid.ops.math.mul import mul
from refluid.ops.registry import get
from refluid.params.attr import ParamAttr
from refluid.params.create import named_parameter
from refluid.params.initializer import NumpyArrayInitializer
from refluid.tensor.scope import Scope, global_scope, scope_guard

STEPS = 5
SHAPES = {"table": (7, 4), "w_0": (4, 5), "b_0": (5,), "w_1": (5, 3)}
WORDS = np.array([[1], [5], [1], [2], [1], [3]], "int64")
LABELS = np.array([[0], [2], [1], [1], [0], [2]], "int64")


def parameters(attrs: dict[str, ParamAttr] | None = None) -> dict[str, Any]:
    """The parameters of the network in the current mode, from fixed values."""
    made = {}
    for index, (name, shape) in enumerate(SHAPES.items()):
        value = np.random.RandomState(index).uniform(-0.5, 0.5, shape).astype("float32")
        attr = (attrs or {}).get(name) or ParamAttr()
        made[name] = named_parameter(name, attr, shape, "float32", NumpyArrayInitializer(value))
    return made


def loss_of(params: dict[str, Any], words: Any, labels: Any, sparse: bool) -> Any:
    x = get("lookup_table")(params["table"], words, is_sparse=sparse, padding_idx=-1)
    x = tanh(elementwise_add(mul(x, params["w_0"]), params["b_0"], axis=1))
    return mean(softmax_with_cross_entropy(mul(x, params["w_1"]), labels)[1])


def train_static(make: Any, attrs: Any = None, sparse: bool = False) -> tuple[list[float], dict[str, np.ndarray]]:
    """Losses, and every persistable variable after the last step."""
    main, startup = Program(), Program()
    with unique_name.guard(), program_guard(main, startup), scope_guard(Scope()):
        words, labels = data("words", [1], dtype="int64"), data("labels", [1], dtype="int64")
        loss = loss_of(parameters(attrs), words, labels, sparse)
        make(None).minimize(loss)
        executor = Executor(CPUPlace())
        executor.run(startup)
        feed = {"words": WORDS, "labels": LABELS}
        losses = [float(executor.run(main, feed, [loss])[0][0]) for _ in range(STEPS)]
        scope = global_scope()
        names = [var.name for var in main.list_vars() if var.persistable]
        return losses, {name: np.array(scope.find_var(name).get_tensor()) for name in names}


def train_imperative(make: Any, attrs: Any = None, sparse: bool = False, steps: int = STEPS) -> Any:
    """Losses, the parameters, and the optimizer."""
    with guard(), unique_name.guard():
        params = parameters(attrs)
        optimizer = make(list(params.values()))
        return go_on(optimizer, params, sparse, steps), params, optimizer


def go_on(optimizer: Any, params: dict[str, ParamBase], sparse: bool = False, steps: int = STEPS) -> list[float]:
    losses = []
    for _ in range(steps):
        loss = loss_of(params, to_variable(WORDS), to_variable(LABELS), sparse)
        loss.backward()
        optimizer.minimize(loss)
        losses.append(float(loss))
        for param in params.values():
            param.clear_gradient()
    return losses
