"""StaticModelRunner: a saved inference model as a layer of the imperative mode that can be trained (2.0-alpha)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.core import dtypes, unique_name
from refluid.core.errors import ArgumentError
from refluid.eager.base import to_variable
from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.executor.executor import Executor
from refluid.ir.program import Program
from refluid.jit.partial import Partial
from refluid.nn.layer import Layer
from refluid.saving.inference import get_program_persistable_vars, load_inference_model
from refluid.tensor.scope import Scope, scope_guard

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure


class StaticModelRunner(Layer):
    """Calls the program of an inference model; its parameters are the layer's.

    It begins in training mode, where dropout drops and batch normalisation counts; `eval()` gives the saved behaviour.

    Args:
        model_dir: the folder that `fluid.io.save_inference_model` wrote.
        model_filename: the file of the program, `__model__` by default.
        params_filename: the file of all parameters; None where each has a file of its own.
    """

    def __init__(self, model_dir: str, model_filename: str | None = None, params_filename: str | None = None):
        super().__init__()
        scope = Scope()
        with scope_guard(scope):
            program, feeds, targets = load_inference_model(model_dir, Executor(), model_filename, params_filename)
        self._input_names, outputs = list(feeds), tuple(var.name for var in targets)
        bound = self._take_over(program, scope)
        self._programs = {
            True: Partial(_for_training(program), tuple(feeds), outputs, bound, "StaticModelRunner"),
            False: Partial(program, tuple(feeds), outputs, bound, "StaticModelRunner"),
        }

    def _take_over(self, program: Program, scope: Scope) -> dict[str, VarBase]:
        """The saved variables as parameters of this layer, by their names in the program.

        What an operator writes, as the statistics of batch normalisation, is not trained.
        """
        written = {name for block in program.blocks for op in block.ops for name in op.output_arg_names}
        bound: dict[str, VarBase] = {}
        for var in get_program_persistable_vars(program):
            trained = dtypes.is_floating(var.dtype) and var.name not in written
            saved = scope.find_var(var.name)
            assert saved is not None  # load_inference_model has put it there
            name = unique_name.generate(f"{var.name}.load")  # a model may be loaded more than once
            bound[var.name] = self.add_parameter(name, ParamBase(saved.get_tensor().value(), name, trainable=trained))
            bound[var.name].stop_gradient = not trained
        return bound

    def train(self) -> None:
        """Run the operators as they are for training."""
        self.training = True

    def eval(self) -> None:
        """Run the operators as they were saved."""
        self.training = False

    def forward(self, *args: object, inputs: Structure = None) -> Structure:
        """The outputs of the model, a list if there are several.

        Args:
            args: variables or numpy arrays in the order of the saved inputs; or one as `inputs`.
        """
        arguments = args if inputs is None else (*args, inputs)
        if len(arguments) != len(self._input_names):
            raise ArgumentError(
                f"StaticModelRunner: the model takes {len(self._input_names)} inputs "
                f"({', '.join(self._input_names)}), got {len(arguments)}"
            )
        outs = self._programs[self.training]([to_variable(one) for one in arguments])
        return outs[0] if len(outs) == 1 else outs


def _for_training(program: Program) -> Program:
    copied = program.clone()
    for block in copied.blocks:
        for op in block.ops:
            if "is_test" in op.attrs:
                op.attrs["is_test"] = False
    copied.touch()
    return copied
