"""Schedules beyond their values, which tests/models compares with Fluid's."""

import pytest

from refluid.core.errors import ArgumentError, DtypeError, NotFoundError
from refluid.eager.base import guard, to_variable
from refluid.eager.variable import VarBase
from refluid.executor.executor import Executor
from refluid.ir.program import Program, default_startup_program, program_guard
from refluid.optim import decay, epoch_decay, schedules
from refluid.optim.decay import LearningRateDecay

BOTH = {
    "NoamDecay": lambda: schedules.noam_decay(64, 4),
    "ExponentialDecay": lambda: schedules.exponential_decay(0.1, 3, 0.5, True),
    "NaturalExpDecay": lambda: schedules.natural_exp_decay(0.1, 3, 0.5),
    "InverseTimeDecay": lambda: schedules.inverse_time_decay(0.1, 3, 0.5),
    "PolynomialDecay": lambda: schedules.polynomial_decay(0.1, 4, cycle=True),
    "PiecewiseDecay": lambda: schedules.piecewise_decay([3], [1.0, 0.5]),
    "CosineDecay": lambda: schedules.cosine_decay(0.1, 2, 4),
    "LinearLrWarmup": lambda: schedules.linear_lr_warmup(0.1, 5, 0.0, 0.05),
}


@pytest.mark.parametrize("name", list(BOTH))
def test_a_function_of_programs_gives_the_object_in_the_imperative_mode(name):
    with guard():
        made = BOTH[name]()
        assert type(made) is getattr(decay, name)
        rate = made()
        assert isinstance(rate, VarBase) and rate.shape == [1]


def test_two_schedules_of_one_program_do_not_share_a_variable():
    with program_guard(Program(), Program()):
        rates = [schedules.piecewise_decay([3], [1.0, 0.5]) for _ in range(2)]
        assert rates[0].name == "learning_rate" and rates[1].name != "learning_rate"


def test_a_schedule_of_ones_own():
    class Halving(LearningRateDecay):
        def step(self):
            return 0.5**self.step_num

    with guard():
        made = Halving(begin=1, step=2)
        assert [float(made()) for _ in range(3)] == [0.5, 0.125, 0.03125]
        assert made.state_dict() == {"step_num": 7} and made.current() == 0.5**7


def test_state_of_a_schedule():
    with guard():
        made = epoch_decay.MultiStepDecay(1.0, [1, 2], 0.5)
        made.epoch()
        made.epoch()
        other = epoch_decay.MultiStepDecay(1.0, [1, 2], 0.5)
        other.set_dict(made.state_dict())
        assert other.epoch_num == 2 and float(other()) == 0.25
        with pytest.raises(NotFoundError, match="'learning_rate' is missing in the state"):
            other.set_dict({"epoch_num": 1})
        with pytest.warns(UserWarning, match="not used: \\['best'\\]"):
            other.set_dict({"epoch_num": 1, "learning_rate": 0.5, "best": 1})


def test_the_rate_falls_when_the_loss_stands_still(capsys):
    with guard():
        made = epoch_decay.ReduceLROnPlateau(1.0, decay_rate=0.5, patience=1, cooldown=1, min_lr=0.3, verbose=True)
        rates = []
        for loss in (1.0, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9):
            made.step(to_variable([loss]))
            rates.append(float(made()))
        assert rates == pytest.approx([1, 1, 1, 0.5, 0.5, 0.5, 0.3, 0.3, 0.3])
        assert capsys.readouterr().out.startswith("Epoch 4: reducing learning rate from 1.0 to 0.5.")
        rising = epoch_decay.ReduceLROnPlateau(1.0, mode="max", threshold=0.5, threshold_mode="abs", patience=0)
        rising.step(1.0)
        rising.step(1.4)
        assert rising.current() == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (
            lambda: schedules.piecewise_decay([1, 2], [0.1]),
            ArgumentError,
            "one value more than boundaries, got 1 values and 2",
        ),
        (
            lambda: decay.LinearLrWarmup(0.1, 5, 0.2, 0.1),
            ArgumentError,
            "end_lr must be greater than start_lr, got 0.1 and",
        ),
        (
            lambda: decay.LinearLrWarmup("0.1", 5, 0.0, 0.1),
            DtypeError,
            "must be a number or a LearningRateDecay, got str",
        ),
        (lambda: epoch_decay.StepDecay(0.1, 2.5), DtypeError, "StepDecay: step_size must be an int, got float"),
        (lambda: epoch_decay.StepDecay(0.1, 2, 1.5), ArgumentError, "decay_rate must be smaller than 1, got 1.5"),
        (lambda: epoch_decay.MultiStepDecay(0.1, [3, 2]), ArgumentError, "milestones must increase, got \\[3, 2\\]"),
        (lambda: epoch_decay.LambdaDecay(-0.1, abs), ArgumentError, "learning_rate must not be negative, got -0.1"),
        (lambda: epoch_decay.ReduceLROnPlateau(0.1, mode="up"), ArgumentError, "mode must be 'min' or 'max', got 'up'"),
    ],
)
def test_refusals(make, error, says):
    with pytest.raises(error, match=says):
        make()


def test_a_rate_to_warm_up_to_may_be_the_text_of_a_number():
    rate = schedules.linear_lr_warmup("0.5", 1, 0.0, 0.5)
    exe = Executor()
    exe.run(default_startup_program())
    assert [float(exe.run(fetch_list=[rate])[0][0]) for _ in range(2)] == [0.0, 0.5]
