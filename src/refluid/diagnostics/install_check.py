"""run_check: whether this installation trains."""

from __future__ import annotations

import numpy as np
import torch

from refluid.core import mode, unique_name
from refluid.core.errors import EnforceNotMet
from refluid.core.places import CPUPlace, CUDAPlace, Place
from refluid.eager.base import guard, to_variable
from refluid.executor.executor import Executor
from refluid.ir.program import Program, program_guard
from refluid.ir.recorder import recorder
from refluid.layers.data import fluid_data
from refluid.layers.fc import fc
from refluid.layers.reduce import reduce_sum
from refluid.nn.linear import Linear
from refluid.optim.sgd import SGDOptimizer
from refluid.params.attr import ParamAttr
from refluid.params.initializer import Constant
from refluid.tensor.scope import Scope

_INPUT = np.arange(6, dtype="float32").reshape(3, 2)


def run_check() -> None:
    """Train a small network for a step, in both modes and on every kind of device that there is, and say so."""
    places: list[Place] = [CPUPlace()]
    if torch.cuda.is_available():
        places += [CUDAPlace(i) for i in range(torch.cuda.device_count())]
    print("Checking the installation ...")
    # loss = sum(x . w) with w = 0.5; a step of 0.1 moves each row of w by 0.1 times the sum of its column of x.
    expected = 0.5 - 0.1 * np.repeat(_INPUT.sum(0)[:, None], 3, axis=1)
    for place in places:
        for name, train in (("static", _static), ("imperative", _imperative)):
            loss, weight = train(place)
            if not (np.allclose(loss, 1.5 * _INPUT.sum()) and np.allclose(weight, expected, atol=1e-6)):
                raise EnforceNotMet(
                    f"run_check: the {name} mode computes wrongly on {place}: loss {loss}, weight {weight.tolist()}; "
                    f"expected {1.5 * _INPUT.sum()} and {expected.tolist()}"
                )
            print(f"  {place}: the {name} mode works")
    print("Your Paddle Fluid is installed successfully!")


def _attr() -> ParamAttr:
    return ParamAttr(initializer=Constant(0.5))


def _static(place: Place) -> tuple[float, np.ndarray]:
    """The loss, and the weight after a step."""
    main, startup, scope = Program(), Program(), Scope()
    with mode.using(recorder), program_guard(main, startup), unique_name.guard():  # it may be called inside a guard
        out = fc(fluid_data("x", [-1, 2]), 3, param_attr=_attr(), bias_attr=False)
        loss = reduce_sum(out)
        SGDOptimizer(0.1).minimize(loss)
    weight = main.all_parameters()[0].name
    executor = Executor(place)
    executor.run(startup, scope=scope)
    (value,) = executor.run(main, {"x": _INPUT}, [loss], scope=scope)
    return value.item(), np.array(scope.find_var(weight).get_tensor())  # type: ignore[union-attr]


def _imperative(place: Place) -> tuple[float, np.ndarray]:
    with guard(place):
        linear = Linear(2, 3, param_attr=_attr(), bias_attr=False)
        loss = reduce_sum(linear(to_variable(_INPUT)))
        loss.backward()
        SGDOptimizer(0.1, parameter_list=linear.parameters()).minimize(loss)
        return loss.numpy().item(), linear.weight.numpy()
