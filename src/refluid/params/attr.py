"""ParamAttr: the settings of a parameter."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.params.initializer import Constant, Initializer, Xavier


class ParamAttr:
    """What to make a parameter with.

    Args:
        name: its name; parameters of one name are one parameter.
        initializer: how it gets its first value.
        learning_rate: factor on the optimizer's learning rate.
        regularizer: takes the place of the optimizer's own.
        trainable: whether training changes it.
        gradient_clip: how to clip its gradient (before 1.8; the optimizer's grad_clip since).
        do_model_average: whether ModelAverage averages it.
    """

    def __init__(
        self,
        name: str | None = None,
        initializer: Any = None,
        learning_rate: float = 1.0,
        regularizer: Any = None,
        trainable: bool = True,
        gradient_clip: Any = None,
        do_model_average: bool = True,
    ):
        if isinstance(gradient_clip, bool):  # 1.8 has do_model_average in its place
            gradient_clip, do_model_average = None, gradient_clip
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
        self.gradient_clip = gradient_clip
        self.do_model_average = do_model_average

    def with_default(self, initializer: Any) -> Any:
        return self.initializer if self.initializer is not None else initializer

    @classmethod
    def _to_attr(cls, arg: Any) -> Any:
        """A ParamAttr from what programs pass: None, a name, an initializer, a regularizer; False means none."""
        if arg is None or arg is True:
            return cls()
        if arg is False:
            return False
        if isinstance(arg, list | tuple):
            return [cls._to_attr(one) for one in arg]
        if isinstance(arg, ParamAttr):
            return arg
        if isinstance(arg, str):
            return cls(name=arg)
        if isinstance(arg, Initializer):
            return cls(initializer=arg)
        if hasattr(arg, "append_decay"):
            return cls(regularizer=arg)
        raise ArgumentError(
            "param_attr must be a ParamAttr, a name, an initializer, a regularizer, None or False, "
            f"got {type(arg).__name__}"
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
    """A parameter kept as a direction and a length: w = g * v / ||v|| (Salimans and Kingma, 2016).

    Args:
        dim: the axis whose slices have lengths of their own; None for one length of the whole.
    """

    def __init__(
        self,
        dim: int | None = None,
        name: str | None = None,
        initializer: Any = None,
        learning_rate: float = 1.0,
        regularizer: Any = None,
        trainable: bool = True,
        gradient_clip: Any = None,
        do_model_average: bool = False,
    ):
        super().__init__(name, initializer, learning_rate, regularizer, trainable, gradient_clip, do_model_average)
        self.dim = dim


def _kind(value: Any) -> str:
    return f"the class {value.__name__}; call it" if isinstance(value, type) else type(value).__name__


def default_initializer(is_bias: bool) -> Initializer:
    return Constant(0.0) if is_bias else Xavier()
