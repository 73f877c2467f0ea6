"""ParamAttr: the settings of a parameter."""

from __future__ import annotations

from typing import Any, TypeAlias

from refluid.core.callsite import called_function
from refluid.core.errors import ArgumentError
from refluid.core.generations import Predicate, generations, older
from refluid.params.initializer import Constant, Initializer, Xavier


def _clips(place: int) -> Predicate:
    """Tells calls with a gradient_clip, which stood before do_model_average, in this place."""

    def tells(args: tuple, kwargs: dict[str, Any]) -> bool:
        if "gradient_clip" in kwargs or len(args) > place + 1:
            return True
        return len(args) > place and ("do_model_average" in kwargs or not isinstance(args[place], int | None))

    return tells


class ParamAttr:
    """The settings of a parameter: its name, initializer, learning rate, regularizer, and whether it is trained.

    Args:
        name: its name; parameters of one name are one parameter. None for a name after the layer.
        initializer: an object of fluid.initializer; None for the default of the layer.
        learning_rate: factor on the optimizer's learning rate, a number or a variable of one element.
        regularizer: takes the place of the optimizer's regularization.
        trainable: whether training changes it.
        do_model_average: whether ModelAverage averages it.

    Example:
        >>> attr = fluid.ParamAttr(name="weight", initializer=fluid.initializer.Constant(0.5), learning_rate=0.1)
        >>> y = fluid.layers.fc(fluid.data("x", [None, 3]), size=2, param_attr=attr, bias_attr=False)
        >>> weight = fluid.default_main_program().global_block().var("weight")
        >>> weight.shape, weight.trainable
        ((3, 2), True)
    """

    @generations
    def __init__(
        self,
        name: str | None = None,
        initializer: Initializer | None = None,
        learning_rate: float = 1.0,
        regularizer: object = None,
        trainable: bool = True,
        do_model_average: bool = True,
    ):
        if name == "":
            raise ArgumentError("ParamAttr: name must not be empty; leave it out for a name of its own")
        if name is not None and not isinstance(name, str):
            raise ArgumentError(f"ParamAttr: name must be a str, got {type(name).__name__}")
        if initializer is not None and not isinstance(initializer, Initializer):
            raise ArgumentError(
                f"ParamAttr: initializer must be an object of fluid.initializer, got {_kind(initializer)}"
            )
        if isinstance(learning_rate, str) or learning_rate is None:
            raise ArgumentError(f"ParamAttr: learning_rate must be a number, got {learning_rate!r}")
        if regularizer is not None and not hasattr(regularizer, "append_decay"):
            raise ArgumentError(f"ParamAttr: regularizer must be an L1Decay or L2Decay, got {_kind(regularizer)}")
        self.name = name
        self.initializer = initializer
        self.learning_rate = learning_rate
        self.regularizer = regularizer
        self.trainable = trainable
        self.gradient_clip: object = None
        self.do_model_average = do_model_average

    @older(__init__, before="1.8", when=_clips(6))
    def _init_1_7(
        self,
        name: str | None = None,
        initializer: Initializer | None = None,
        learning_rate: float = 1.0,
        regularizer: object = None,
        trainable: bool = True,
        gradient_clip: object = None,
        do_model_average: bool = True,
    ) -> None:
        """`gradient_clip` is how to clip the gradient; 1.8 leaves that to the optimizer's grad_clip."""
        ParamAttr.__init__(self, name, initializer, learning_rate, regularizer, trainable, do_model_average)
        self.gradient_clip = gradient_clip

    def with_default(self, initializer: Initializer) -> Initializer:
        return self.initializer if self.initializer is not None else initializer

    @classmethod
    def _to_attr(cls, arg: object) -> Any:
        """A ParamAttr from what programs pass: None, a name, an initializer, a regularizer; False means none."""
        if arg is None or arg is True:
            return cls()
        if arg is False:
            return False
        if isinstance(arg, list | tuple):
            return [cls._to_attr(entry) for entry in arg]
        if isinstance(arg, ParamAttr):
            return arg
        if isinstance(arg, str):
            return cls(name=arg)
        if isinstance(arg, Initializer):
            return cls(initializer=arg)
        if hasattr(arg, "append_decay"):
            return cls(regularizer=arg)
        raise ArgumentError(
            f"{called_function()}: param_attr must be a ParamAttr, a name, an initializer, a regularizer, None or "
            f"False, got {type(arg).__name__}"
        )

    def settings(self) -> dict[str, Any]:
        """What a parameter keeps of it."""
        return {
            "optimize_attr": {"learning_rate": self.learning_rate},
            "regularizer": self.regularizer,
            "trainable": self.trainable,
            "gradient_clip_attr": self.gradient_clip,
            "do_model_average": self.do_model_average,
        }


class WeightNormParamAttr(ParamAttr):
    """Settings of a parameter with weight normalization: w = g * v / ||v|| (Salimans and Kingma, 2016).

    Args:
        dim: the axis whose slices have norms of their own; None for one norm of the whole weight.
        name: the weight is computed from the parameters <name>_v and <name>_g.
        initializer: initializer of v; g starts as the norm of v.
        learning_rate: factor on the optimizer's learning rate.
        regularizer: takes the place of the optimizer's regularization.
        trainable: whether training changes v and g.
        do_model_average: whether ModelAverage averages them.
    """

    @generations
    def __init__(
        self,
        dim: int | None = None,
        name: str | None = None,
        initializer: Initializer | None = None,
        learning_rate: float = 1.0,
        regularizer: object = None,
        trainable: bool = True,
        do_model_average: bool = False,
    ):
        super().__init__(name, initializer, learning_rate, regularizer, trainable, do_model_average)
        self.dim = dim

    @older(__init__, before="1.8", when=_clips(7))
    def _init_with_dim_1_7(
        self, dim: int | None = None, name: str | None = None, initializer: Initializer | None = None,
        learning_rate: float = 1.0, regularizer: object = None, trainable: bool = True, gradient_clip: object = None,
        do_model_average: bool = False,
    ) -> None:  # fmt: skip
        WeightNormParamAttr.__init__(self, dim, name, initializer, learning_rate, regularizer, trainable,
                                     do_model_average)  # fmt: skip
        self.gradient_clip = gradient_clip


AttrLike: TypeAlias = ParamAttr | str | Initializer | bool | None
"""What programs pass as the settings of a parameter; see `ParamAttr._to_attr`."""


def _kind(value: object) -> str:
    return f"the class {value.__name__}; call it" if isinstance(value, type) else type(value).__name__


def default_initializer(is_bias: bool) -> Initializer:
    return Constant(0.0) if is_bias else Xavier()
